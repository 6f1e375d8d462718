"""Every route and every tool, asked by everybody who could ask: the table of docs/access.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from fastapi.routing import APIRoute

from groundwire import gateway
from groundwire.conversation import Status
from groundwire.library import library_path
from groundwire.sandbox import SandboxServer
from groundwire.service import ledger
from groundwire.service.actor import OWNER
from groundwire.service.agent_tools import provider_tools
from groundwire.store import ALL
from groundwire.tools import web_tools
from groundwire.web.routes import ROUTERS
from tests.library.folders import OTTER, add, write
from tests.web.access_table import LOGIN_NAME, Row, filled, ids_for, read_table, request_of
from tests.web.server import PASSWORD, Web
from tests.web.town import CALLERS, Town, built

ROUTES = read_table("Routes")
TOOLS = read_table("Tools")


@pytest.fixture
def town(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Town]:
    with built(sandbox, tmp_path) as town:
        yield town


def _answers(town: Town, row: Row) -> dict[str, str]:
    """Return what each caller is answered: yes, or the status of a refusal."""
    asked = request_of(row)
    method = row[0].partition(" ")[0]
    found = {}
    for caller in CALLERS:
        ids = ids_for(town, caller, asked)
        path, body = filled(asked.path, ids), filled(asked.body, ids)
        reply = town.ask(caller, method, path, body)
        if asked.signs_out:
            town.sign_in(caller)
        is_login = reply.status_code == 303 and reply.headers["location"].startswith("/login")
        status = 401 if is_login else reply.status_code
        found[caller] = "yes" if status in asked.done else str(status)
    return found


def test_every_route_answers_everybody_as_the_table_says(town: Town, tmp_path: Path) -> None:
    add(library_path({}), write(tmp_path / "notes", {"otter.md": OTTER}))
    # A hash that is quick to check: twelve sign in.
    hashed = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    lena = town.do(town.store.users.get(town.new_user()))
    town.do(town.store.users.update(replace(lena, name=LOGIN_NAME, password_hash=hashed)))

    found = {row: _answers(town, row) for row in ROUTES}

    assert found == ROUTES


def test_every_route_has_a_row() -> None:
    served = {
        f"{method} {_without_kinds(route.path)}"
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in (route.methods or set()) - {"HEAD"}
    }
    served |= {f"{method} {gateway.PREFIX}{path}" for method, path in gateway.ROUTES}

    assert {route for route, _ in ROUTES} == served | {"GET /api/openapi.json"}


def test_every_documented_route_has_a_row(web: Web) -> None:
    documented = {
        f"{method.upper()} {path}"
        for path, methods in web.get("/api/openapi.json")["paths"].items()
        for method in methods
    }

    assert documented - {route for route, _ in ROUTES} == set()


def test_every_tool_has_a_row(web: Web) -> None:
    program = web.program
    tools = (
        *web_tools(program.search_context, ledger(program.settings)),
        *provider_tools(program.provider_settings_of(OWNER)),
    )

    assert {tool for tool, _ in TOOLS} == {tool.name for tool in tools}


@pytest.mark.parametrize("column", [*ROUTES.values(), *TOOLS.values()][:1])
def test_the_table_has_a_column_for_everybody(column: dict[str, str]) -> None:
    assert tuple(column) == CALLERS


# What the calls that wait want.
_ARGUMENTS = {
    "create_provider": {"name": "Evil", "type": "anthropic", "base_url": "http://127.0.0.1:9"},
    "fetch_models": {"provider": "Mine"},
    "set_default_model": {"provider": "Mine", "model": "claude-sonnet-5-5"},
}


def test_every_tool_is_used_by_whom_the_table_says(town: Town) -> None:
    found = {}
    for tool, _ in TOOLS:
        ask = _approved if tool in _ARGUMENTS else _offered
        found[tool, ""] = {caller: ask(town, caller, tool) for caller in CALLERS}

    assert found == TOOLS
    # Whatever was refused has changed nothing, and what was not is noted with who did it.
    providers = town.do(town.store.providers.list())
    noted = town.do(town.store.audit.list(workspace_id=ALL))
    assert [each.name for each in providers] == ["Mine", "Evil"]
    assert [(each.actor, each.action, each.subject) for each in noted] == [
        ("olga", "changed", "provider Mine"),
        ("olga", "fetched the models of", "provider Mine"),
        ("olga", "added", "provider Evil"),
    ]


def _offered(town: Town, caller: str, tool: str) -> str:
    """Ask with our own search, and look what the model was offered."""
    body = {"text": "Otters?", "provider_id": "anthropic", "search": "client"}
    before = len(town.web.sandbox.requests)
    reply = town.ask(caller, "POST", "/api/agents/assistant/message", body)
    if reply.status_code != 200:
        return str(reply.status_code)
    return "yes" if tool in _tools_of(town, before) else "403"


def _approved(town: Town, caller: str, tool: str) -> str:
    """Approve a call that waits in a session of the caller's own."""
    message_id = town.waiting(caller, tool, json.dumps(_ARGUMENTS[tool]))
    body = {"message_id": message_id, "decisions": {"call-1": True}}
    reply = town.ask(caller, "POST", "/api/agents/setup/approve", body)
    kept = town.do(town.store.messages.get(message_id))
    if reply.status_code != 200:
        assert kept.status is Status.AWAITING_APPROVAL
        return str(reply.status_code)
    return "yes" if kept.tool_runs[0].status == "done" else kept.tool_runs[0].error


def _tools_of(town: Town, before: int) -> set[str]:
    """Return the names of the tools in the first request to a model after a number of them."""
    asked = [each for each in town.web.sandbox.requests[before:] if "messages" in each.path]
    return {tool["name"] for tool in asked[0].body.get("tools", ())}


def test_the_tools_that_change_providers_are_offered_to_the_owner_alone(town: Town) -> None:
    body = {"text": "Call create_provider, please", "provider_id": "anthropic"}
    offered, listed = {}, {}
    for caller in CALLERS:
        before = len(town.web.sandbox.requests)
        reply = town.ask(caller, "POST", "/api/agents/setup/message", body)
        if reply.status_code == 200:
            offered[caller] = _tools_of(town, before)
            tools = town.ask(caller, "GET", "/api/tools").json()
            listed[caller] = {tool["name"] for tool in tools if tool["writes"]}

    assert {caller for caller, names in offered.items() if names} == {"owner"}
    assert offered["owner"] == listed["owner"] == {*_ARGUMENTS}
    assert {caller for caller, names in listed.items() if names} == {"owner"}
    assert len(offered) == 7


def _without_kinds(path: str) -> str:
    return path.replace(":path}", "}")
