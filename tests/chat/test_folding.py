"""In a restricted workspace: what a provider ties to a forbidden page is folded, everywhere."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groundwire.chat import event_fields
from groundwire.chat.events import PassageFolded, TextShown, TurnStarted
from groundwire.conversation import SearchMode, Status
from groundwire.sandbox import SandboxServer
from tests.chat.program import Talk, Told, opened

WIKI, NEWS = "wiki.example.net", "news.example.com"
NOTE = f"(Folded by policy: this rests on {NEWS}.)"
SENTENCE = "River otters were counted"
# Who searches outside of the domains all the same: one has no filter, one an old tool without.
UNFILTERED = {"gemini": {}, "openai-responses": {"tool_type": "web_search_preview"}}


@pytest.fixture(params=UNFILTERED)
async def told(
    request: pytest.FixtureRequest, sandbox: SandboxServer, tmp_path: Path
) -> AsyncIterator[tuple[Talk, Told]]:
    """Return a turn whose provider searched the whole web for a workspace of one domain."""
    name = request.param
    more = {name: {"base_url": sandbox.base_url(name), "options": UNFILTERED[name]}}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), more=more) as talk:
        await talk.allow(WIKI)
        yield talk, await talk.turn(provider=name, search="hosted")


async def test_an_event_tells_which_of_the_words_shown_are_folded_and_why(
    told: tuple[Talk, Told],
) -> None:
    _, turn = told

    started, folds = turn.of(TurnStarted)[0], turn.of(PassageFolded)
    shown = "".join(event.text for event in turn.of(TextShown))
    assert (started.mode, started.is_restricted) == (SearchMode.HOSTED, True)
    assert event_fields(started)["is_restricted"] is True
    [words] = {shown[fold.start : fold.end] for fold in folds}
    assert words.startswith(SENTENCE)
    assert words.endswith(".")
    assert {fold.domains for fold in folds} == {(NEWS,)}
    assert folds[0].reason == f"only {WIKI} is allowed in this workspace"
    assert folds[0].type == "folded"


async def test_the_stored_message_says_which_words_are_folded(told: tuple[Talk, Told]) -> None:
    talk, turn = told

    kept = await talk.program.store.messages.get(turn.message.id)
    assert kept.marked
    [fold] = kept.marked.folded
    assert kept.status is Status.COMPLETE
    assert kept.marked.text[fold.start : fold.end].startswith(SENTENCE)
    assert fold.domains == (NEWS,)
    told_again = {"start": fold.start, "end": fold.end, "domains": [NEWS]}
    assert event_fields(turn.ended)["message"]["answer"]["folded"] == [told_again]
    assert SENTENCE in kept.marked.text


async def test_markdown_says_in_words_that_something_is_folded(told: tuple[Talk, Told]) -> None:
    _, turn = told

    assert NOTE in turn.ended.answer.markdown
    assert SENTENCE not in turn.ended.answer.markdown
    assert "carry them away" in turn.ended.answer.markdown


@pytest.mark.parametrize("next_provider", ["", "anthropic"])
async def test_what_is_folded_is_not_told_to_a_model_again(
    told: tuple[Talk, Told], next_provider: str
) -> None:
    talk, turn = told
    provider = next_provider or turn.started.provider

    await talk.turn("And where?", provider=provider, search="off", session=turn.started.session_id)

    sent = json.dumps(talk.asked(), ensure_ascii=False)
    assert SENTENCE not in sent
    assert NOTE in sent
    assert "carry them away" in sent
