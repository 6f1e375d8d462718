"""The tools that set up providers: whose they are, whoever asks the agent that has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.conversation import Status
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.store import ALL
from tests.web.recorder import Recorder
from tests.web.town import Town, built

ASK = {"text": "Call create_provider, please", "provider_id": "anthropic"}
EVIL = json.dumps({"name": "Evil", "type": "anthropic", "base_url": "http://127.0.0.1:9"})
OTHERS = ("member", "admin", "member token", "admin token", "maker demoted")


@pytest.fixture
def town(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Town]:
    with built(sandbox, tmp_path) as town:
        yield town


def _approve(town: Town, caller: str, message_id: str, *, yes: bool = True) -> int:
    body = {"message_id": message_id, "decisions": {"call-1": yes}}
    return town.ask(caller, "POST", "/api/agents/setup/approve", body).status_code


@pytest.mark.parametrize("caller", OTHERS)
def test_nobody_else_can_have_a_provider_made(town: Town, caller: str) -> None:
    before = town.do(town.store.providers.list())

    told = town.ask(caller, "POST", "/api/agents/setup/message", ASK)
    own = _approve(town, caller, town.waiting(caller, "create_provider", EVIL))
    owners = _approve(town, caller, town.waiting("owner", "create_provider", EVIL))

    assert (told.status_code, "approval_requested" in told.text) == (200, False)
    assert (own, owners) == (403, 404)
    assert town.do(town.store.providers.list()) == before
    assert town.do(town.store.audit.list(workspace_id=ALL)) == ()


@pytest.mark.parametrize("caller", [*OTHERS, "owner"])
def test_a_retry_is_offered_what_whoever_retries_may_use(
    town: Town, sandbox: SandboxServer, caller: str
) -> None:
    told = town.ask(caller, "POST", "/api/agents/setup/message", {**ASK, "text": "Otters?"})
    started = json.loads(told.text.partition("data: ")[2].partition("\n")[0])

    again = {"retry_of": started["message_id"], "client_id": "again"}
    retried = town.ask(caller, "POST", "/api/agents/setup/message", again)

    asked = [each.body for each in sandbox.requests if each.path.endswith("/messages")]
    offered = [{tool["name"] for tool in body.get("tools", ())} for body in asked[-2:]]
    assert (told.status_code, retried.status_code) == (200, 200)
    assert ["create_provider" in names for names in offered] == [caller == "owner"] * 2


def test_the_owners_token_is_not_the_owner(town: Town) -> None:
    """It sees her sessions, and what waits in them."""
    _, secret = town.new_token("olga")
    town.credentials["nobody"] = {"Authorization": f"Bearer {secret}"}
    message_id = town.waiting("owner", "create_provider", EVIL)

    by_token = _approve(town, "nobody", message_id)
    by_owner = _approve(town, "owner", message_id)

    assert (by_token, by_owner) == (403, 200)
    noted = town.do(town.store.audit.list(workspace_id=ALL))
    assert [(each.actor, each.action) for each in noted] == [("olga", "added")]


def test_an_admins_audit_is_of_their_workspace_alone(town: Town) -> None:
    town.ask("owner", "POST", "/api/providers", {"name": "New", "type": "openai"})
    town.ask("owner", "PATCH", f"/api/workspaces/{town.there}", {"name": "Elsewhere"})
    town.ask("admin", "PATCH", "/api/workspaces/personal", {"name": "Ours"})

    subjects = {
        caller: [each["subject"] for each in town.ask(caller, "GET", "/api/audit").json()]
        for caller in ("owner", "admin", "admin token", "other admin")
    }

    assert subjects == {
        "owner": ["workspace Ours", "workspace Elsewhere", "provider New"],
        "admin": ["workspace Ours"],
        "admin token": ["workspace Ours"],
        "other admin": ["workspace Elsewhere"],
    }


def test_what_waits_from_before_can_be_declined_by_anyone_whose_it_is(town: Town) -> None:
    message_id = town.waiting("member", "create_provider", EVIL)

    status = _approve(town, "member", message_id, yes=False)

    kept = town.do(town.store.messages.get(message_id))
    assert (status, kept.status, kept.tool_runs[0].status) == (200, Status.COMPLETE, "declined")


ELSEWHERE = "10.71.3.9"


@pytest.mark.parametrize("fault", ["closed", "redirect"])
def test_a_failure_names_an_address_to_the_owner_alone(town: Town, fault: str) -> None:
    with Recorder(f"http://{ELSEWHERE}/v1") as recorder:
        if fault == "closed":
            recorder.close()
        body = {"name": "Down", "type": "anthropic", "base_url": recorder.url}
        made = town.ask("owner", "POST", "/api/providers", body).json()["id"]
        question = {"text": "Otters?", "provider_id": made, "model": "claude-x", "search": "off"}
        said = {caller: _told(town, caller, question) for caller in (*OTHERS, "owner")}
        tested = town.ask("owner", "POST", f"/api/providers/{made}/test").json()["message"]

    named = {
        caller: [_names(recorder, words) for words in all_words]
        for caller, all_words in said.items()
    }
    assert named.pop("owner") == [True, True, True]
    assert named == {caller: [False, False, False] for caller in OTHERS}
    assert _names(recorder, tested)


def test_a_search_service_that_is_down_is_named_without_its_address(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Recorder() as recorder:
        pass
    question = {"text": "How do otters sleep?", "provider_id": "anthropic", "search": "client"}
    with built(sandbox, tmp_path, addresses={"searxng": recorder.url}) as town:
        told, shown, _ = _told(town, "member", question)

    assert "no connection to searxng" in told
    assert [_names(recorder, words) for words in (told, shown)] == [False, False]


def _told(town: Town, caller: str, question: Json) -> tuple[str, str, str]:
    """Ask, and return the stream, the session as it is kept, and the list of providers."""
    told = town.ask(caller, "POST", "/api/agents/assistant/message", question).text
    session_id = told.split('"session_id":"')[1].split('"')[0]
    shown = town.ask(caller, "GET", f"/api/sessions/{session_id}").text
    return told, shown, town.ask(caller, "GET", "/api/providers").text


def _names(recorder: Recorder, words: str) -> bool:
    port = recorder.url.rpartition(":")[2].removesuffix("/v1")
    return any(part in words for part in (f":{port}", "127.0.0.1", ELSEWHERE))
