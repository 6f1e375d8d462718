"""Faults that fuzzing found across the program, each with its smallest input."""

from __future__ import annotations

import json

import pytest

from groundwire import registry
from groundwire.errors import GroundwireError
from groundwire.events import Done, Warned
from groundwire.model import SearchQuery
from groundwire.providers.duckduckgo import provider as duckduckgo
from groundwire.wire.contract import Access, Answers
from tests.loopback import reply, serve
from tests.security.obedience import attacked, calls, runs_of, say


async def test_arguments_nested_without_end_are_told_back_and_the_turn_goes_on() -> None:
    async with attacked(calls(("open_page", "[" * 100_000)), say("Done.")) as attack:
        told = await attack.ask("Hello?")

    assert told.message.content == "Done."


@pytest.mark.parametrize(("tool", "name"), [("open_page", "url"), ("web_search", "query")])
async def test_half_a_character_in_arguments_is_replaced_where_it_is_kept(
    tool: str, name: str
) -> None:
    async with attacked(calls((tool, f'{{"{name}": "\\ud800"}}')), say("Done.")) as attack:
        told = await attack.ask("Hello?")

    kept = [getattr(run, name) for run in runs_of(told)]
    assert [text.encode("utf-8", "replace").decode() for text in kept] == kept


def test_a_first_event_nested_without_end_is_skipped() -> None:
    provider = registry.get("openrouter")
    assert isinstance(provider, Answers)

    [event] = provider.answer_decoder().feed_data("[" * 100_000)

    assert isinstance(event, Warned)


def test_the_reason_why_gemini_stopped_is_a_text() -> None:
    provider = registry.get("gemini")
    assert isinstance(provider, Answers)
    decoder = provider.answer_decoder()
    candidate = {"content": {"parts": [{"text": "a"}]}, "finishReason": {"a": 1}}
    decoder.feed_data(json.dumps({"candidates": [candidate]}))

    [*_, done] = decoder.finish()

    assert done == Done("")


async def test_a_page_of_duckduckgo_that_is_only_a_comment_is_an_error_of_ours() -> None:
    async with serve(reply(b"<!-- -->", content_type="text/html")) as server:
        with pytest.raises(GroundwireError):
            await duckduckgo.search(SearchQuery(text="otters"), Access(base_url=server.url))
