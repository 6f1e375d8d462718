"""What the page on usage says is what the answers say, added up."""

from __future__ import annotations

import pytest

from groundwire.chat.budgets import cost_in_words
from groundwire.model import Json
from tests.chat.program import OTTERS
from tests.web.server import Web

READ = "How do sea otters sleep? read"
OPEN = "Use open_page for https://wiki.example.net/sea-otter"


def test_pages_read_and_cost_are_those_of_the_answers(web: Web) -> None:
    answers = [
        _answer(web, READ, provider_id="anthropic", search="hosted"),
        _answer(web, OPEN, provider_id="gemini", search="client"),
        # It opens several pages in one call.
        _answer(web, OTTERS, provider_id="extractive"),
        _answer(web, OTTERS, provider_id="openai-responses", search="off"),
    ]

    total = web.get("/api/usage")["total"]

    pages = [each["pages_read"] for each in answers]
    assert total["pages_read"] == sum(pages) == sum(map(_pages_shown, answers))
    assert min(pages[:3]) > 0
    assert pages[2] > sum(run["name"] == "open_page" for run in answers[2]["tool_runs"])
    assert total["cost_usd"] == pytest.approx(sum(each["cost_usd"] or 0 for each in answers))
    assert total["cost_is_partial"] is False


def test_a_total_with_an_unknown_price_is_at_least_that(web: Web) -> None:
    known = _answer(web, OTTERS, provider_id="anthropic", search="off")
    unknown = _answer(web, OTTERS, provider_id="openai", model="gpt-5-search-api")

    usage = web.get("/api/usage")

    assert (known["cost_is_partial"], unknown["cost_is_partial"]) == (False, True)
    assert usage["total"]["cost_is_partial"]
    assert usage["total"]["cost_text"].startswith("at least $")
    assert {day["model"]: day["cost_is_partial"] for day in usage["days"]} == {
        known["model"]: False,
        unknown["model"]: True,
    }


def test_each_day_provider_and_model_is_summed_with_its_cost_in_words(web: Web) -> None:
    answers = [
        _answer(web, OTTERS, provider_id="anthropic", search="off"),
        _answer(web, OTTERS, provider_id="anthropic", search="hosted"),
        _answer(web, OTTERS, provider_id="openai", model="gpt-5-search-api"),
    ]

    usage = web.get("/api/usage")

    costs = [each["cost_usd"] or 0 for each in answers]
    of_anthropic, of_openai = usage["by_provider"]
    assert (of_anthropic["provider"], of_anthropic["turns"]) == ("anthropic", 2)
    assert of_anthropic["cost_usd"] == pytest.approx(sum(costs[:2]), abs=1e-6)
    assert of_anthropic["cost_text"] == cost_in_words(of_anthropic["cost_usd"], is_partial=False)
    assert of_openai["cost_text"] == cost_in_words(of_openai["cost_usd"], is_partial=True)
    assert [each["model"] for each in usage["by_model"]] == [
        answers[0]["model"],
        "gpt-5-search-api",
    ]
    assert sum(each["turns"] for each in usage["by_day"]) == usage["total"]["turns"] == 3


def test_a_cost_is_told_in_the_words_of_one_rule_by_stream_message_and_usage(web: Web) -> None:
    events = web.ask(OTTERS, provider_id="anthropic", search="hosted")
    message = events[-1].data["message"]

    told = [event.data["cost_text"] for event in events if event.type == "usage"]
    kept = web.get(f"/api/sessions/{message['session_id']}")["messages"][-1]

    words = cost_in_words(message["cost_usd"], is_partial=message["cost_is_partial"])
    assert words.startswith("$")
    assert {told[-1], message["cost_text"], kept["cost_text"]} == {words}
    assert web.get("/api/usage")["total"]["cost_text"] == words


def _answer(web: Web, text: str, **choices: Json) -> Json:
    message = web.ask(text, **choices)[-1].data["message"]
    assert message["status"] == "complete", message["error"]
    return web.get(f"/api/sessions/{message['session_id']}")["messages"][-1]


def _pages_shown(message: Json) -> int:
    """Count what the answer lists as opened: each page once, and none that failed."""
    runs = [run for run in message["tool_runs"] if run["status"] == "done" and run["url"]]
    return len({url for run in runs for url in run["url"].split(", ")})
