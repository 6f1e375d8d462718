"""Documents of one workspace are never found in another: the table of docs/library.md, walked."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

import groundwire
from groundwire.library import Adder, open_library, reader
from groundwire.sandbox import SandboxServer
from groundwire.service.documentation import library_options
from mcp import Client
from tests import forked
from tests.library.folders import write
from tests.mcp.server import over_stdio
from tests.web.browser import visiting
from tests.web.server import Web

SOURCE = Path(groundwire.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "library.md"
QUESTION = "Which word opens the vault of the lighthouse?"
WORDS = {"personal": "cormorant", "team": "wolverine"}
ADDRESS = "https://library.test/notes/vault.md"
# What a module calls that can find or open a document.
_CALLS = {
    *("SearchChain", "ReadChain", "web_tools", "claim_tool"),
    *("open_library", "borrowed", "Library"),
}
_BELOW = ("library/", "sandbox/", "providers/")
"""Those open what they are told to; `web/routes/tools.py` only lists what there is."""


@dataclass(slots=True, kw_only=True)
class Server:
    """A server with two workspaces: each has one document, at the same address."""

    web: Web
    ids: dict[str, str]
    agents: dict[str, str]
    tokens: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def answer(self, name: str) -> str:
        """Return the id of an answer of the extractive model in a workspace."""
        if name not in self.answers:
            events = self.web.ask(QUESTION, agent=self.agents[name], provider_id="extractive")
            (self.answers[name],) = {
                each.data["message_id"] for each in events if "message_id" in each.data
            }
        return self.answers[name]

    def get(self, path: str) -> str:
        """Return what the server says, whatever that is."""
        return self.web.client.get(path).text


@pytest.fixture
def server(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    monkeypatch.setenv("GROUNDWIRE_STORE__URL", str(tmp_path / "web.sqlite3"))
    with Web(sandbox, tmp_path, checks={"pages": "all"}) as web:
        team = web.client.post("/api/workspaces", json={"name": "team"}).json()["id"]
        everywhere = {"web_allowed_domains": ["*"]}
        web.client.patch(f"/api/workspaces/{team}", json=everywhere).raise_for_status()
        body = {"name": "Ann", "workspace_id": team, "web_search_enabled": True}
        agent = web.client.post("/api/agents", json=body).json()["id"]
        found = Server(
            web=web,
            ids={"personal": "personal", "team": team},
            agents={"personal": "assistant", "team": agent},
        )
        for name, word in WORDS.items():
            library = "" if name == "personal" else team
            text = f"# The vault\n\nThe word that opens the vault of the lighthouse is {word}.\n"
            asyncio.run(_add(web, library, write(tmp_path / name / "notes", {"vault.md": text})))
        yield found


async def _add(web: Web, library: str, folder: Path) -> None:
    async with reader(1) as documents:
        options = library_options(web.program.settings, library)
        with open_library(options, writes=True) as opened_library:
            await Adder(opened_library, documents).add_folder(folder)


def _chat(server: Server, name: str) -> str:
    asked = server.web.ask(QUESTION, agent=server.agents[name], provider_id="extractive")
    return json.dumps([event.data for event in asked])


def _checks(server: Server, name: str) -> str:
    key = server.answer(name)
    server.web.client.post(f"/api/messages/{key}/checks").raise_for_status()
    said = ""
    for _ in range(1_000):
        said = server.get(f"/api/messages/{key}/checks")
        if not json.loads(said)["pending"]:
            break
    return said + server.get(f"/api/messages/{key}/sources/1")


def _kept(server: Server, name: str) -> str:
    key = server.answer(name)
    places = (f"/sources/{key}/1", f"/api/messages/{key}/export?format=html", f"/answers/{key}")
    return "".join(map(server.get, places))


def _gateway(server: Server, name: str) -> str:
    body = {"name": name, "workspace_id": server.ids[name], "role": "member"}
    token = server.web.client.post("/api/tokens", json=body).json()["token"]
    reply = server.web.client.post(
        "/v1/chat/completions",
        headers={"Authorization": f"Bearer {token}"},
        json={
            "model": "extractive/extractive",
            "messages": [{"role": "user", "content": QUESTION}],
            "web_search_options": {},
        },
    )
    return reply.text


def _api(server: Server, name: str) -> str:
    place = f"/api/workspaces/{server.ids[name]}/library"
    paths = (f"{place}/search?query=vault", f"{place}/documents?query=vault", place)
    return "".join(map(server.get, paths))


def _page(server: Server, name: str) -> str:
    return server.get(f"/library/notes/vault.md?workspace_id={server.ids[name]}")


def _mcp(server: Server, name: str) -> str:
    del server
    given = [] if name == "personal" else ["--workspace", name]
    library = {f"GROUNDWIRE_{role}_PROVIDER": "library" for role in ("SEARCH", "READ")}
    command = over_stdio({**os.environ, **library}, *given)

    async def run() -> str:
        async with Client(command) as client:
            found = await client.call_tool("web_search", {"query": "vault lighthouse"})
            page = await client.call_tool("open_page", {"url": ADDRESS})
            return json.dumps([found.structured_content, page.structured_content])

    return asyncio.run(run())


def _command(*words: str, name: str) -> str:
    given = [] if name == "personal" else ["--workspace", name]
    ran = subprocess.run(
        forked.groundwire(*words, *given),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"},
        check=False,
    )
    return ran.stdout + ran.stderr


def _library_command(server: Server, name: str) -> str:
    del server
    found = _command("library", "search", "vault", name=name)
    return found + _command("library", "list", "notes", name=name)


def _search_command(server: Server, name: str) -> str:
    del server
    found = _command("search", "vault", "--provider", "library", name=name)
    return found + _command("read", ADDRESS, "--provider", "library", name=name)


_PROGRAM = """
import asyncio, sys, groundwire

async def run():
    async with groundwire.open() as program:
        options = {"provider": "library", "workspace": sys.argv[1]}
        print(await program.search("vault", **options))
        print((await program.read(sys.argv[2], **options)).content)

asyncio.run(run())
"""


def _python(server: Server, name: str) -> str:
    del server
    words = forked.python("-c", _PROGRAM, "" if name == "personal" else name, ADDRESS)
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _recheck(server: Server, name: str) -> str:
    return _command("recheck", server.answer(name), "--json", name="personal")


PROBES: dict[str, Callable[[Server, str], str]] = {
    "chat: `web_search`, `open_page`, the extractive model": _chat,
    "citation checks, also once more": _checks,
    "source view, API and exports of an answer": _kept,
    "gateway": _gateway,
    "HTTP API of the library": _api,
    "`/library/…`, a document's page": _page,
    "MCP tools": _mcp,
    "`groundwire library`": _library_command,
    "`groundwire search`, `groundwire read`": _search_command,
    "Python: `search`, `read`": _python,
    "`groundwire recheck`": _recheck,
}

OF_THE_SETTINGS = "`groundwire check`, `groundwire.check`, the extension, the demo's sandbox"
"""What knows of no workspace: the settings' library is all that it can open."""


def _table() -> dict[str, list[str]]:
    """Return the modules of each row."""
    section = PAGE.read_text().split("\n## A library for each workspace\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {what: re.findall(r"`([^`]+)`", where) for what, _, where in rows}


def _called(path: Path) -> set[str]:
    calls = [each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Call)]
    names = [getattr(each.func, "id", getattr(each.func, "attr", "")) for each in calls]
    return _CALLS & set(names)


def test_every_row_of_the_table_is_asked() -> None:
    assert {*_table()} == {*PROBES, OF_THE_SETTINGS}


def test_every_module_that_can_find_or_open_a_document_is_in_a_row() -> None:
    paths = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    finding = {name for name, path in paths.items() if _called(path)}
    listed = {module for modules in _table().values() for module in modules}

    above = {name for name in finding if not name.startswith(_BELOW)} - {"web/routes/tools.py"}
    assert above == listed


def test_nothing_finds_a_document_of_another_workspace(server: Server) -> None:
    said = {(what, name): probe(server, name) for what, probe in PROBES.items() for name in WORDS}

    found = {row: {word for word in WORDS.values() if word in text} for row, text in said.items()}
    assert found == {(what, name): {WORDS[name]} for what in PROBES for name in WORDS}


def test_without_a_workspace_it_is_the_library_of_the_settings(server: Server) -> None:
    del server
    claim = "The word that opens the vault of the lighthouse is cormorant."

    said = _command(
        "check", "--claim", claim, ADDRESS, "--provider", "library", "--json", name="personal"
    )

    assert "cormorant" in said
    assert "wolverine" not in said


def test_a_removed_workspace_takes_its_library_along(server: Server) -> None:
    team = server.ids["team"]
    folder = server.web.folder / "library-workspaces" / team
    assert folder.is_dir()

    server.web.client.delete(f"/api/workspaces/{team}").raise_for_status()

    assert not folder.exists()
    assert "cormorant" in _page(server, "personal")


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", WORDS)
async def test_a_chat_opens_the_document_of_its_own_workspace(
    browser: Browser, server: Server, name: str
) -> None:
    asked = await asyncio.to_thread(
        server.web.ask, QUESTION, agent=server.agents[name], provider_id="extractive"
    )
    session = asked[0].data["session_id"]

    # The page itself is in the first workspace: somebody sent the link to the chat.
    async with visiting(browser, server.web, f"/s/{session}") as page:
        link = page.locator("a.mark").first
        await expect(link).to_be_visible()
        async with page.context.expect_page() as opened:
            await link.click(modifiers=["Control"])
        shown = await opened.value
        await expect(shown.get_by_text("opens the vault")).to_contain_text(WORDS[name])
