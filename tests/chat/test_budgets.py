"""What a turn may spend: every limit ends it with what there is, and a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire import guard
from groundwire.catalog import TokenPrice
from groundwire.chat.budgets import Billing, Budgets, Meter
from groundwire.chat.draft import Draft
from groundwire.chat.events import BudgetReached, ToolUpdate
from groundwire.chat.tool_runner import ToolRunner
from groundwire.conversation import ChatMessage, MessageKind, SearchMode, Status, ToolRun
from groundwire.model import Json, ToolCall, Usage
from groundwire.sandbox import SandboxServer
from tests.chat.program import opened


@pytest.mark.parametrize(
    ("limits", "faults", "budget"),
    [
        ({"tokens": 100}, {}, "tokens"),
        ({"cost_usd": 0.001}, {}, "cost"),
        ({"seconds": 0.3}, {"anthropic": "silence;after=3"}, "seconds"),
    ],
)
async def test_a_used_up_budget_ends_the_turn_with_what_there_is(
    sandbox: SandboxServer, tmp_path: Path, limits: Json, faults: dict[str, str], budget: str
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, faults, chat=limits) as talk:
        told = await talk.turn()

    assert [event.budget for event in told.of(BudgetReached)] == [budget]
    assert told.failure.code == f"budget_{budget}"
    assert told.message.status is Status.FAILED
    assert told.message.error == told.of(BudgetReached)[0].message


async def test_the_limit_of_searches_is_told_to_the_model_which_answers_with_what_it_has(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, chat={"searches": 0}) as talk:
        told = await talk.turn(search="client")

    assert [event.budget for event in told.of(BudgetReached)] == ["searches"]
    assert [event.run.status for event in told.of(ToolUpdate)] == ["running", "failed"]
    assert told.message.status is Status.COMPLETE
    assert "used up" in told.message.content


async def test_after_the_last_round_the_model_gets_no_tools(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    async with opened(sandbox, database, chat={"rounds": 1}) as talk:
        told = await talk.turn(search="client")

        assert "tools" not in talk.asked()
    assert told.message.status is Status.COMPLETE


def test_an_answer_that_goes_on_has_opened_every_page_that_it_named() -> None:
    meter = Meter(budgets=Budgets(), billing=Billing(model="m"))
    runs = (
        ToolRun(id="1", name="open_page", url="https://a.example/, https://b.example/"),
        ToolRun(id="2", name="open_page", url="https://c.example/"),
        ToolRun(id="3", name="web_search"),
        ToolRun(id="4", name="web_search", mode=SearchMode.HOSTED),
        ToolRun(id="5", name="web_fetch", mode=SearchMode.HOSTED),
    )

    meter.resume(ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, tool_runs=runs))

    assert (meter.pages, meter.searches) == (3, 1)
    assert (meter.hosted_searches, meter.hosted_pages) == (1, 1)


def test_usage_of_replies_is_added_and_within_a_reply_the_last_counts() -> None:
    price = TokenPrice(input_usd=2, output_usd=10)
    meter = Meter(budgets=Budgets(), billing=Billing(model="gpt-4o", price=price))

    meter.begin_reply()
    meter.take(Usage(input_tokens=100, output_tokens=1))
    meter.take(Usage(input_tokens=100, output_tokens=50))
    meter.begin_reply()
    meter.take(Usage(input_tokens=200, output_tokens=50, searches=2))

    assert meter.total == Usage(input_tokens=300, output_tokens=100, searches=2)
    assert meter.cost().usd == pytest.approx(0.0006 + 0.001 + 2 * 0.025)


async def test_a_tool_that_the_end_of_a_turn_cut_off_does_not_stay_running(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    faults = {"searxng": "silence;late"}
    async with opened(sandbox, database, faults, chat={"seconds": 0.5}) as talk:
        told = await talk.turn(search="client")

    assert told.failure.code == "budget_seconds"
    assert [(run.status, run.error) for run in told.message.tool_runs] == [
        ("failed", "the answer ended first")
    ]


@pytest.mark.parametrize(
    ("urls", "reached"),
    [
        (["https://a.example/", "https://b.example/"], []),
        (["https://a.example/", "https://b.example/", "https://c.example/"], ["pages"]),
        ("https://a.example/", []),
    ],
)
async def test_each_page_that_one_call_opens_counts(urls: Json, reached: list[str]) -> None:
    asked = ToolCall(id="1", name="open_page", arguments=json.dumps({"url": urls}))
    meter = Meter(budgets=Budgets(pages=2), billing=Billing(model="m"))
    answer = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE)
    runner = ToolRunner({}, Draft(answer, guard.ANYWHERE), meter, "searxng")

    told = [event async for events, _ in runner.run([asked]) for event in events]

    assert [event.budget for event in told if isinstance(event, BudgetReached)] == reached
    assert meter.pages == (len(urls) if isinstance(urls, list) else 1)
