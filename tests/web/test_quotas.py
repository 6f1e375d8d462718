"""Quotas at every entrance: the table of docs/quotas.md, walked."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path

import httpx2
import pytest
from bench.statements import counted as statements_of
from click.testing import CliRunner

from groundwire import service
from groundwire.chat.quotas import QuotaHolder
from groundwire.cli import groundwire
from groundwire.client import Client
from groundwire.config.settings.quota_tables import QuotaSettings
from groundwire.conversation import SearchMode, Status, now
from groundwire.conversation.quota import NAMES, QuotaUse
from groundwire.errors import QuotaExceededError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.counted_tools import WISHES, counted_tools
from groundwire.service.quotas import opened_quotas
from groundwire.store import Store
from groundwire.tools import say_nothing
from mcp import Client as McpClient
from tests.chat.program import keys, opened, settings
from tests.mcp.server import ASKED, served, variables
from tests.web.server import HANGING, Web, until
from tests.web.town import Town, built

PAGE = (Path(__file__).parents[2] / "docs" / "quotas.md").read_text()
SOURCE = Path(__file__).parents[2] / "src" / "groundwire"
FULL = QuotaUse(answers=1, tokens=1, cost_usd=1, searches=1)
MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 100}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}
QUESTION = {"text": "Otters?", "provider_id": "anthropic"}
BODIES: dict[str, Json] = {
    "POST /v1/messages": {
        **MODEL,
        "messages": [{"role": "user", "content": "Otters?"}],
        "tools": [SEARCH],
    },
    "POST /v1/chat/completions": {
        **MODEL,
        "messages": [{"role": "user", "content": "Otters?"}],
        "web_search_options": {},
    },
    "POST /v1/responses": {
        "model": "claude-sonnet-5-5",
        "input": "Otters?",
        "tools": [{"type": "web_search"}],
    },
    "POST /api/agents/{agent_id}/message": QUESTION,
    "POST /agents/{agent_id}/message": QUESTION,
}


def rows() -> dict[str, dict[str, str]]:
    """Return the table of entrances: what is held against which quota."""
    section = PAGE.split("\n## What counts against a quota\n")[1].split("\nEverything")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert tuple(head[1:]) == NAMES
    return {row[0].replace("`", ""): dict(zip(head[1:], row[1:], strict=True)) for row in found}


@pytest.fixture
def town(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Town]:
    with built(sandbox, tmp_path) as town:
        yield town


def limit(web: Web, **tables: Json) -> None:
    """Set quotas while a server runs."""
    chosen = QuotaSettings.model_validate(tables)
    web.app.state.site.take(quotas=chosen)


def use(town: Town, *holders: str, more: QuotaUse = FULL) -> None:
    town.do(town.store.quota_uses.add(now().date(), holders, more))


def asked(town: Town, row: str) -> httpx2.Response:
    """Come in by an entrance, as the owner."""
    method, path = row.split()
    body = BODIES.get(row)
    if body is None:
        waiting = town.waiting("owner", "fetch_models", '{"provider": "Mine"}')
        kept = town.do(town.store.messages.get(waiting))
        town.do(town.store.messages.save(replace(kept, mode=SearchMode.CLIENT)))
        body = {"message_id": waiting, "decisions": {"call-1": False}}
        path = path.replace("{agent_id}", "setup")
    return town.ask("owner", method, path.replace("{agent_id}", "assistant"), body)


@pytest.mark.parametrize("whose", ["user", "workspace"])
def test_every_entrance_over_http_is_held_against_the_quotas_of_the_table(
    town: Town, whose: str
) -> None:
    owner = town.ask("owner", "GET", "/api/me").json()["user"]["id"]
    holder = f"user {owner}" if whose == "user" else "workspace personal"
    use(town, holder)
    found: dict[str, dict[str, str]] = {}
    http = [row for row in rows() if row.startswith("POST ")]
    for row in http:
        found[row] = {}
        for quota in NAMES:
            # Only this one is used up.
            spent = asdict(town.do(town.store.quota_uses.of_day(now().date()))[holder])[quota]
            limit(town.web, **{whose: {quota: spent}})
            reply = asked(town, row)
            found[row][quota] = "yes" if reply.status_code == 429 else ""
            if reply.status_code == 429:
                _check_refusal(reply, whose)

    assert found == {row: rows()[row] for row in http}


def _check_refusal(reply: httpx2.Response, whose: str) -> None:
    error = reply.json()["error"]
    assert 0 < int(reply.headers["retry-after"]) <= 86_400
    assert ("your quota of" if whose == "user" else "this workspace's quota of") in error["message"]
    assert "00:00 UTC" in error["message"]
    assert error.get("code", "quota_exceeded") == "quota_exceeded"
    if "x-should-retry" in reply.headers:
        assert reply.headers["x-should-retry"] == "false"


def test_what_is_refused_leaves_nothing_behind_and_waits_on(town: Town) -> None:
    owner = town.ask("owner", "GET", "/api/me").json()["user"]["id"]
    use(town, f"user {owner}")
    limit(town.web, user={"tokens": 1})
    before = town.ask("owner", "GET", "/api/sessions").json()["sessions"]
    waiting = town.waiting("owner", "fetch_models", '{"provider": "Mine"}')
    decision = {"message_id": waiting, "decisions": {"call-1": True}}

    refused = town.ask("owner", "POST", "/api/agents/assistant/message", QUESTION)
    approved = town.ask("owner", "POST", "/api/agents/setup/approve", decision)

    assert (refused.status_code, approved.status_code) == (429, 429)
    kept = town.do(town.store.messages.get(waiting))
    assert kept.status is Status.AWAITING_APPROVAL
    after = town.ask("owner", "GET", "/api/sessions").json()["sessions"]
    assert [each["id"] for each in after if each["agent_id"] != "setup"] == [
        each["id"] for each in before if each["agent_id"] != "setup"
    ]
    limit(town.web)
    assert town.ask("owner", "POST", "/api/agents/setup/approve", decision).status_code == 200


@asynccontextmanager
async def tools(sandbox: SandboxServer, folder: Path, quota: str) -> AsyncIterator[dict[str, Json]]:
    """Give the tools as MCP has them, with one quota that is used up."""
    url = str(folder / f"{quota}.sqlite3")
    async with Store.open(url) as store:
        await store.quota_uses.add(now().date(), ["user "], FULL)
    chosen = settings(sandbox, quotas={"user": {quota: 1}})
    store_of_keys = keys(folder)
    async with (
        Client(chosen.network) as client,
        service.search_context(chosen, store_of_keys, client) as search_context,
        opened_quotas(lambda: chosen, None, url) as quotas,
    ):
        made = counted_tools(service.tools(store_of_keys, search_context), quotas)
        yield {tool.name: tool for tool in made}


async def test_every_tool_over_mcp_is_held_against_the_quotas_of_the_table(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    names = [name for name, wish in WISHES.items() if wish is not None]
    found: dict[str, dict[str, str]] = {f"MCP {name}": {} for name in names}
    for quota in NAMES:
        async with tools(sandbox, tmp_path, quota) as by_name:
            for name in names:
                # Wrong arguments cost nothing, so only a refusal comes before that is said.
                output = await by_name[name].run({"wrong": 1}, say_nothing)
                is_refused = "your quota of" in output.words
                found[f"MCP {name}"][quota] = "yes" if is_refused else ""

    assert found == {row: cells for row, cells in rows().items() if row.startswith("MCP ")}


async def test_a_search_of_a_provider_over_mcp_counts_with_what_it_used(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    url = str(tmp_path / "mcp.sqlite3")
    more = {
        **variables(sandbox),
        "GROUNDWIRE_STORE__URL": url,
        "GROUNDWIRE_QUOTAS__USER__SEARCHES": "3",
        "GROUNDWIRE_CHECKS__PAGES": "off",
    }
    providers = ("anthropic", "gemini", "openrouter", "anthropic")
    with served(more) as address:
        async with McpClient(address) as client:
            replies = [
                await client.call_tool("websearch", {"query": ASKED, "provider": each})
                for each in providers
            ]
    async with Store.open(url) as store:
        [use] = (await store.quota_uses.of_day(now().date())).values()

    assert [reply.is_error for reply in replies] == [False, False, False, True]
    assert "your quota of 3 searches a day is used up" in str(replies[-1].content)
    assert (use.answers, use.searches) == (3, 3)
    assert use.tokens > 0
    assert use.cost_usd > 0


@pytest.mark.parametrize("quota", NAMES)
async def test_programs_are_held_against_the_quotas_of_the_table(
    sandbox: SandboxServer, tmp_path: Path, quota: str
) -> None:
    url = str(tmp_path / "own.sqlite3")
    async with opened(sandbox, url, quotas={"user": {quota: 1}}) as talk:
        await talk.program.store.quota_uses.add(now().date(), ["user "], FULL)
        with pytest.raises(QuotaExceededError):
            await talk.program.ask("Otters?", provider="anthropic")

    assert rows()["groundwire ask and Python's ask"][quota] == "yes"


def test_everything_that_asks_a_model_or_searches_is_on_the_page() -> None:
    asking = re.compile(r"\b(ModelApiAdapter|SearchChain|service\.adapter|reply_stream)[(,]")
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(
            asking.search(line) and not line.lstrip().startswith(("class ", "from ", "import "))
            for line in path.read_text().splitlines()
        )
    }
    section = PAGE.split("| where | counted |")[1].split("\n## ")[0]
    named = {
        name
        for line in section.splitlines()
        for name in re.findall(r"`([\w/]+\.py)`", line.partition("|")[2].partition("|")[0])
    }

    assert found == named


def test_what_an_answer_used_is_counted_when_its_end_is_told(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    quotas = {"user": {"answers": 9, "tokens": 10**9, "cost_usd": 9.0, "searches": 99}}
    with Web(sandbox, tmp_path, quotas=quotas) as web:
        events = web.ask(search="client")
        found = web.get("/api/quotas")

    message = next(each.data for each in events if each.type == "done")["message"]
    used = {each["quota"]: each["used"] for each in found["quotas"]}
    assert used["answers"] == 1
    assert used["tokens"] >= message["usage"]["input_tokens"] + message["usage"]["output_tokens"]
    assert used["cost_usd"] == pytest.approx(message["cost_usd"] or 0)
    assert used["searches"] >= 1
    assert {each["whose"] for each in found["quotas"]} == {"user"}


def test_a_stopped_answer_counts_with_what_it_used(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, faults=HANGING, quotas={"user": {"answers": 1}}) as web:
        with web.asking(search="off") as events:
            begun = until(events, "turn_started")
            refused = web.client.post("/api/agents/assistant/message", json=QUESTION)
            web.client.post(f"/api/messages/{begun[0].data['message_id']}/stop")
            list(events)
        again = web.client.post("/api/agents/assistant/message", json=QUESTION)

    assert (refused.status_code, again.status_code) == (429, 429)


def test_the_same_message_again_counts_once(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, quotas={"user": {"answers": 5}}) as web:
        for _ in range(3):
            web.ask("Otters?", search="off", client_id="one")
        found = web.get("/api/quotas")

    assert [each["used"] for each in found["quotas"]] == [1]


def test_a_turn_with_quotas_costs_two_statements_more(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    counts = []
    with statements_of() as statements, Web(sandbox, tmp_path) as web:
        for tables in ({}, {"user": {"answers": 99}}):
            limit(web, **tables)
            web.ask("First?", search="off")
            web.get("/api/me")
            statements.clear()
            web.ask("Otters?", search="off")
            counts.append(dict(statements))

    assert sum(counts[1].values()) - sum(counts[0].values()) <= 2
    assert "INSERT quota_uses" not in counts[0]


def test_a_workspace_has_quotas_that_only_the_owner_changes(town: Town) -> None:
    body = {"quotas": {"answers": 1, "cost_usd": 0}}

    by_admin = town.ask("admin", "PATCH", "/api/workspaces/personal", body)
    by_owner = town.ask("owner", "PATCH", "/api/workspaces/personal", body)
    found = town.ask("member", "GET", "/api/quotas?workspace_id=personal").json()

    assert by_admin.status_code == 403
    assert by_owner.json()["quotas"] == {
        "answers": 1,
        "tokens": None,
        "cost_usd": 0,
        "searches": None,
    }
    assert [(each["whose"], each["quota"], each["limit"]) for each in found["quotas"]] == [
        ("workspace", "answers", 1)
    ]
    noted = town.ask("owner", "GET", "/api/audit?workspace_id=personal").json()
    assert noted[0]["after"]["quotas"]["answers"] == 1


def test_a_token_counts_for_whoever_made_it(town: Town) -> None:
    limit(town.web, user={"answers": 5})
    town.ask("admin token", "POST", "/api/agents/assistant/message", {**QUESTION, "search": "off"})

    found = town.ask("admin", "GET", "/api/quotas?workspace_id=personal").json()

    assert [each["used"] for each in found["quotas"]] == [1]


async def test_holders_of_nothing_are_let_in(sandbox: SandboxServer) -> None:
    chosen = settings(sandbox)
    async with opened_quotas(lambda: chosen, None, "/nonexistent/x") as quotas:
        assert quotas.concerns(None) is False
        assert await quotas.levels(QuotaHolder()) == ()


def test_two_servers_on_one_database_count_together(sandbox: SandboxServer, tmp_path: Path) -> None:
    quotas = {"user": {"answers": 6}}
    with (
        Web(sandbox, tmp_path, quotas=quotas) as one,
        Web(sandbox, tmp_path, quotas=quotas) as other,
        ThreadPoolExecutor(8) as threads,
    ):
        body = {**QUESTION, "search": "off"}
        asking = [
            threads.submit(each.new_client().post, "/api/agents/assistant/message", json=body)
            for each in (one, other) * 8
        ]
        statuses = [each.result().status_code for each in asking]
        levels = [each.get("/api/quotas")["quotas"][0]["used"] for each in (one, other)]

    assert (statuses.count(200), statuses.count(429)) == (6, 10)
    assert levels == [6, 6]


def test_the_command_prints_what_everybody_used(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Web(sandbox, tmp_path, quotas={"user": {"answers": 4}}) as web:
        web.ask("Otters?", search="off")
    monkeypatch.setenv("GROUNDWIRE_STORE__URL", str(tmp_path / "web.sqlite3"))
    none = CliRunner().invoke(groundwire, ["quotas"])
    monkeypatch.setenv("GROUNDWIRE_QUOTAS__USER__ANSWERS", "4")
    monkeypatch.setenv("GROUNDWIRE_QUOTAS__WORKSPACE__COST_USD", "2.5")
    table = CliRunner().invoke(groundwire, ["quotas"])
    found = json.loads(CliRunner().invoke(groundwire, ["quotas", "--json"]).output)

    assert "no quota is set" in none.output
    assert re.search(r"user +owner +answers +1 +4", table.output)
    assert [(row["whose"], row["name"], row["quota"], row["used"]) for row in found] == [
        ("user", "owner", "answers", 1),
        ("workspace", "Personal", "cost_usd", 0),
    ]
