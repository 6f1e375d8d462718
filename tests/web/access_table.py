"""The table of docs/access.md, and the request behind each of its rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from groundwire.conversation import Role, Workspace, new_id
from groundwire.library import Document, DocumentText, open_library
from groundwire.model import Json
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState
from tests.web.server import PASSWORD, SETUP_TOKEN
from tests.web.town import Town

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
LOGIN_NAME = "lena"
"""A user with a password; the others have none."""

MEMBERS, MAKERS = "a member's", "the tokens' maker's"
Row: TypeAlias = tuple[str, str]
Make: TypeAlias = Callable[[Town, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request: `path` and `body` have names of ids, which `make` gives anew for each caller.

    `path` is "" for the route itself. `done` are the statuses of a request that was let through.
    """

    path: str = ""
    body: Json = None
    make: Make = field(default=lambda town, caller: {})  # noqa: ARG005 - most make nothing
    done: tuple[int, ...] = (200, 201, 204)
    signs_out: bool = False


def read_table(heading: str) -> dict[Row, dict[str, str]]:
    """Return the rows below a heading of the page: the expected answer for each caller."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    found: dict[Row, dict[str, str]] = {}
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        key = (cells.pop(head[0]).strip("`"), cells.pop("whose", ""))
        assert key not in found, f"{key} stands twice"
        found[key] = cells
    return found


def _session(town: Town, caller: str) -> Mapping[str, str]:
    del caller
    return {"new_session": town.session("member").id, "new_makers": town.session("admin").id}


def _nobodys(town: Town, caller: str) -> Mapping[str, str]:
    del caller
    return {"session": town.session("nobody").id}


def _workspace(town: Town, caller: str) -> Mapping[str, str]:
    del caller
    return {"workspace": town.do(town.store.workspaces.create(Workspace(name="Soon gone"))).id}


def _source(town: Town, caller: str) -> Mapping[str, str]:
    del caller
    source = LibrarySource(
        workspace_id="personal",
        kind=SourceKind.URL,
        location=f"https://a.example/{new_id()}",
        state=SourceState.READY,
    )
    return {"source": town.do(town.store.library_sources.create(source)).id}


def _file(town: Town, caller: str) -> Mapping[str, str]:
    del caller
    name = f"{new_id()}.md"
    town.ask("owner", "PUT", f"/api/workspaces/personal/library/files/{name}", {"a": 1})
    return {"file": name}


def _document(town: Town, caller: str) -> Mapping[str, str]:
    del town, caller
    name = new_id()
    url = f"https://library.test/{name}/a.md"
    with open_library({}, writes=True) as library:
        library.put_collection(name, f"/{name}", f"https://library.test/{name}/")
        library.put(
            [(Document(collection=name, path="a.md", url=url), DocumentText(markdown="Newts."))]
        )
        made = library.document(url)
    assert made is not None
    return {"document": str(made.id), "collection": name}


def _about(path: str, **more: Json) -> dict[Row, Asked]:
    """Return a route that is about a message or a session, for both whose they are."""
    makers = re.sub(r"\{(session|message)\}", r"{makers_\1}", path.partition(" ")[2])
    body = more.pop("body", None)
    theirs = None if body is None else {k: _of_maker(v) for k, v in body.items()}
    route = more.pop("route")
    return {
        (route, MEMBERS): Asked(path=path.partition(" ")[2], body=body, **more),
        (route, MAKERS): Asked(path=makers, body=theirs, **more),
    }


def _of_maker(value: Json) -> Json:
    return (
        re.sub(r"\{(session|message)\}", r"{makers_\1}", value) if isinstance(value, str) else value
    )


_WORDS = {"text": "Hello", "provider_id": "anthropic", "search": "off"}
_TO_A_MODEL = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello"}],
}
_HERE = "?workspace_id=personal"

_LIBRARY = "/api/workspaces/{workspace_id}/library"
_ABOUT_LIBRARIES: dict[Row, Asked] = {
    (f"POST {_LIBRARY}/sources", "a page of the web"): Asked(
        body={"kind": "url", "location": "https://a.example/{new}"}
    ),
    # The settings name none, which only those are told who may add one.
    (f"POST {_LIBRARY}/sources", "a folder of the server"): Asked(
        body={"kind": "folder", "location": "/srv"}, done=(400,)
    ),
    (f"PATCH {_LIBRARY}/sources/{{source_id}}", ""): Asked(body={"refresh_hours": 1}, make=_source),
    (f"POST {_LIBRARY}/sources/{{source_id}}/refresh", ""): Asked(done=(202,), make=_source),
    (f"DELETE {_LIBRARY}/sources/{{source_id}}", ""): Asked(make=_source),
    (f"PUT {_LIBRARY}/files/{{name}}", ""): Asked(
        path=f"{_LIBRARY}/files/{{new}}.md", body={"a": 1}, done=(202,)
    ),
    (f"DELETE {_LIBRARY}/files/{{name}}", ""): Asked(path=f"{_LIBRARY}/files/{{file}}", make=_file),
    (f"DELETE {_LIBRARY}/documents/{{document_id}}", ""): Asked(make=_document),
    (f"DELETE {_LIBRARY}/collections/{{name}}", ""): Asked(
        path=f"{_LIBRARY}/collections/{{collection}}", make=_document
    ),
    (f"GET {_LIBRARY}/search", ""): Asked(path=f"{_LIBRARY}/search?query=otter"),
    (f"GET {_LIBRARY}/search", "the other workspace"): Asked(
        path="/api/workspaces/{there}/library/search?query=otter"
    ),
}

REQUESTS: dict[Row, Asked] = {
    **_ABOUT_LIBRARIES,
    ("POST /api/login", ""): Asked(body={"name": LOGIN_NAME, "password": PASSWORD}, signs_out=True),
    ("POST /api/logout", ""): Asked(signs_out=True),
    # Of the callers nobody has a password, which whoever is let through is told.
    ("PUT /api/password", ""): Asked(
        body={"old_password": PASSWORD, "new_password": PASSWORD}, done=(409,)
    ),
    ("POST /api/setup", ""): Asked(
        # There are users: whoever has the link is let through, and too late.
        body={"token": SETUP_TOKEN, "name": "x", "password": PASSWORD},
        done=(409,),
    ),
    # The town has no single sign-on, which whoever is let through is told.
    ("GET /sso/login", ""): Asked(done=(404,)),
    ("GET /sso/callback", ""): Asked(done=(400,)),
    ("POST /api/sso/connect", ""): Asked(done=(404,)),
    ("POST /api/users", ""): Asked(body={"name": "{new}", "password": PASSWORD}),
    ("DELETE /api/users/{user_id}", ""): Asked(make=lambda town, _: {"user": town.new_user()}),
    ("PUT /api/workspaces/{workspace_id}/members/{user_id}", ""): Asked(body={"role": "member"}),
    ("DELETE /api/workspaces/{workspace_id}/members/{user_id}", ""): Asked(
        make=lambda town, _: {"user": town.new_user(Role.MEMBER)}
    ),
    ("GET /api/tokens", ""): Asked(path=f"/api/tokens{_HERE}"),
    ("POST /api/tokens", ""): Asked(body={"name": "x", "workspace_id": "personal"}),
    ("DELETE /api/tokens/{token_id}", ""): Asked(
        make=lambda town, _: {"token": town.new_token("adam")[0]}
    ),
    ("GET /api/audit", ""): Asked(path=f"/api/audit{_HERE}"),
    ("POST /api/workspaces", ""): Asked(body={"name": "New"}),
    ("GET /api/workspaces/{workspace_id}", "the other workspace"): Asked(
        path="/api/workspaces/{there}"
    ),
    ("PATCH /api/workspaces/{workspace_id}", ""): Asked(body={"web_instructions": "Be brief."}),
    ("PATCH /api/workspaces/{workspace_id}", "its quotas"): Asked(body={"quotas": {"answers": 0}}),
    ("DELETE /api/workspaces/{workspace_id}", ""): Asked(make=_workspace),
    ("GET /api/agents", ""): Asked(path=f"/api/agents{_HERE}"),
    ("POST /api/agents", ""): Asked(body={"name": "Ann", "workspace_id": "personal"}),
    ("PATCH /api/agents/{agent_id}", ""): Asked(body={"description": "Helps."}),
    ("DELETE /api/agents/{agent_id}", ""): Asked(make=lambda town, _: {"agent": town.new_agent()}),
    ("POST /api/agents/{agent_id}/message", "a new session"): Asked(body=_WORDS),
    ("POST /agents/{agent_id}/message", "a new session"): Asked(body=_WORDS),
    ("POST /agents/{agent_id}/message", MEMBERS): Asked(body={**_WORDS, "session_id": "{session}"}),
    # It does not wait, which only those are told who may see it.
    ("POST /agents/{agent_id}/approve", MEMBERS): Asked(
        body={"message_id": "{message}"}, done=(409,)
    ),
    ("POST /api/typeset", ""): Asked(body={"code": [{"text": "x = 1", "language": "py"}]}),
    ("GET /api/sessions", ""): Asked(path=f"/api/sessions{_HERE}"),
    ("POST /api/sessions", ""): Asked(body={"agent_id": "{agent}"}),
    ("GET /api/sessions/{session_id}", "nobody's, from the command line"): Asked(make=_nobodys),
    ("DELETE /api/sessions/{session_id}", MEMBERS): Asked(
        path="/api/sessions/{new_session}", make=_session
    ),
    ("DELETE /api/sessions/{session_id}", MAKERS): Asked(
        path="/api/sessions/{new_makers}", make=_session
    ),
    ("POST /v1/messages", ""): Asked(body=_TO_A_MODEL),
    ("POST /v1/messages/count_tokens", ""): Asked(body=_TO_A_MODEL),
    ("POST /v1/chat/completions", ""): Asked(body=_TO_A_MODEL),
    ("POST /v1/responses", ""): Asked(body={"model": "claude-sonnet-5-5", "input": "Hello"}),
    ("GET /v1/models/{model}", ""): Asked(path="/v1/models/claude-sonnet-5-5"),
    ("POST /api/providers", ""): Asked(body={"name": "{new}", "type": "openai"}),
    ("PATCH /api/providers/{provider_id}", ""): Asked(body={"name": "Mine"}),
    ("DELETE /api/providers/{provider_id}", ""): Asked(
        make=lambda town, _: {"provider": town.new_provider()}
    ),
    ("PUT /api/providers/{provider_id}/key", ""): Asked(body={"key": "k"}),
    ("PUT /api/web", ""): Asked(body={"read_provider": ["jina"]}),
    ("PUT /api/web/{name}/key", ""): Asked(body={"key": "k"}),
    ("POST /api/web/search", ""): Asked(body={"domains": ["example.org"]}),
    ("POST /api/web/{name}/test", ""): Asked(path="/api/web/searxng/test"),
    ("GET /api/quotas", ""): Asked(path=f"/api/quotas{_HERE}"),
    ("GET /api/usage", ""): Asked(path=f"/api/usage{_HERE}"),
    ("GET /library/{path}", ""): Asked(path="/library/notes/otter.md"),
    ("GET /s/{session_id}", ""): Asked(path="/s/x"),
    ("GET /settings/{section}", ""): Asked(path="/settings/providers"),
    ("GET /page/{name}", ""): Asked(path="/page/main.js"),
    **_about(
        "POST /api/agents/{agent}/message",
        route="POST /api/agents/{agent_id}/message",
        body={**_WORDS, "session_id": "{session}"},
    ),
    **_about(
        "POST /api/agents/{agent}/approve",
        route="POST /api/agents/{agent_id}/approve",
        body={"message_id": "{message}"},
        done=(409,),
    ),
    **_about(
        "PATCH /api/sessions/{session}",
        route="PATCH /api/sessions/{session_id}",
        body={"title": "Otters"},
    ),
    **_about(
        "PUT /api/messages/{message}/feedback",
        route="PUT /api/messages/{message_id}/feedback",
        body={"rating": "up"},
    ),
    **_about("GET /api/attachments/{message}.0", route="GET /api/attachments/{attachment_id}"),
    # It cites nothing, which only those are told who may see it.
    **_about(
        "POST /api/messages/{message}/checks",
        route="POST /api/messages/{message_id}/checks",
        done=(409,),
    ),
    **_about(
        "GET /api/messages/{message}/sources/1",
        route="GET /api/messages/{message_id}/sources/{number}",
    ),
    **_about(
        "GET /api/messages/{message}/sources/1/icon",
        route="GET /api/messages/{message_id}/sources/{number}/icon",
    ),
    **_about("GET /sources/{message}/1", route="GET /sources/{message_id}/{number}"),
    **_about(
        "POST /sources/{message}/1/check",
        route="POST /sources/{message_id}/{number}/check",
        done=(409,),
    ),
}
"""What is asked, where the route itself with the ids of the town is not enough."""

_IDS = (
    "workspace",
    "source",
    "document",
    "agent",
    "user",
    "provider",
    "session",
    "message",
    "token",
)


def request_of(row: Row) -> Asked:
    """Return what a row asks: the route with the town's ids where nothing else is said."""
    asked = REQUESTS.get(row, Asked())
    path = asked.path or row[0].partition(" ")[2]
    for name in _IDS:
        own = f"makers_{name}" if row[1] == MAKERS and name in ("session", "message") else name
        path = path.replace(f"{{{name}_id}}", f"{{{own}}}")
    return Asked(
        path=path.replace("{name}", "tavily"),
        body=asked.body,
        make=asked.make,
        done=asked.done,
        signs_out=asked.signs_out,
    )


def filled(value: Json, ids: Mapping[str, str]) -> Json:
    """Return a path or a body with the ids in place of their names."""
    if isinstance(value, dict):
        return {name: filled(each, ids) for name, each in value.items()}
    if not isinstance(value, str):
        return value
    return re.sub(r"\{(\w+)\}", lambda found: ids[found[1]], value)


def ids_for(town: Town, caller: str, asked: Asked) -> dict[str, str]:
    """Return the ids of the town, with those that are made for one caller."""
    return {**town.ids, "new": new_id(), **asked.make(town, caller)}
