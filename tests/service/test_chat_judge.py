"""A judge of what chat cites: the user's own model, asked beside the answer, never by default."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import groundwire
from groundwire import Settings
from groundwire.chat.events import CitationChecked, TurnEnded
from groundwire.chat.quotas import QuotaHolder
from groundwire.checks import Says, to_json
from groundwire.config.settings.quota_tables import QuotaSettings
from groundwire.conversation import ChecksState
from groundwire.model import Json
from groundwire.sandbox.played_citations import PLAYED
from groundwire.service.program import Groundwire
from groundwire.testing import SandboxServer, sandbox
from tests import loopback
from tests.chat.program import keys, settings
from tests.prepared import prepare
from tests.service.played_judge import played, said

__all__ = ["sandbox"]

QUESTION = f"Windmills: {', '.join(each.words for each in PLAYED)}"
ONE = "Windmills: invent a number"
WORDS = "Only 38 of them still turn."
WANTED = {"judge": "openai"}


def _chosen(sandbox: SandboxServer, url: str, **checks: Json) -> Settings:
    """Return settings under which `openai` is a model that was told what to say."""
    return settings(sandbox, more={"openai": {"base_url": url, "model": "gpt-5.5"}}, checks=checks)


@asynccontextmanager
async def _opened(chosen: Settings, folder: Path) -> AsyncIterator[Groundwire]:
    database = str(folder / "judge.sqlite3")
    prepare(folder / "judge.sqlite3")
    async with groundwire.open(settings=chosen, keys=keys(folder), database=database) as program:
        yield program


async def test_the_judge_of_the_settings_is_asked_about_every_claim_that_was_compared(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with (
        loopback.serve(*played(*[said("contradicted", WORDS)] * 3)) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        answer = await program.ask(QUESTION, provider="anthropic", search="hosted")
        kept = await program.open_checks.of(answer.message.id)

    opinions = [each.opinion for each in answer.checks]
    assert [bool(each) for each in opinions] == [True, True, True, False, False]
    first = opinions[0]
    assert first is not None
    assert (first.model, first.says, first.words) == ("gpt-5.5", Says.CONTRADICTED, WORDS)
    assert first.cost_usd
    assert answer.sources[0].check is not None
    assert answer.sources[0].check.opinion == first
    assert kept == answer.checks
    # It is one model's opinion: no state and no fact is another for it.
    told = to_json(answer.checks[0])
    assert (told["state"], told["facts"]) == ("found", ["Quoted to the letter."])
    assert told["opinion"]["label"].startswith("Opinion of gpt-5.5: the page says otherwise by")


async def test_the_judge_is_asked_by_a_schema_with_the_nearest_passages_inside_a_fence(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with (
        loopback.serve(*played(said("contradicted", WORDS))) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        await program.ask(ONE, provider="anthropic", search="hosted")

    asked = json.loads(far.requests[0].body)
    assert asked["response_format"]["json_schema"]["schema"]["required"] == ["says", "words"]
    assert PLAYED[1].text in asked["messages"][-1]["content"]
    assert WORDS in asked["messages"][-1]["content"]
    assert "tools" not in asked


async def test_by_default_nobody_is_asked(sandbox: SandboxServer, tmp_path: Path) -> None:
    async with (
        loopback.serve() as far,
        _opened(_chosen(sandbox, far.url), tmp_path) as program,
    ):
        answer = await program.ask(ONE, provider="anthropic", search="hosted")

    assert far.requests == []
    assert [each.opinion for each in answer.checks] == [None]


async def test_an_opinion_whose_words_are_not_on_the_page_is_dropped(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with (
        loopback.serve(*played(said("supported", "All 97 of them still turn."))) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        answer = await program.ask(ONE, provider="anthropic", search="hosted")

    assert len(far.requests) == 1
    assert [each.opinion for each in answer.checks] == [None]
    assert [each.opinion_pending for each in answer.checks] == [False]
    assert answer.checks[0].no_opinion == (
        "No opinion: the judge named no words that are on the page."
    )


async def test_what_a_judge_costs_is_added_to_its_answer_also_if_its_opinion_is_dropped(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    dropped = said("supported", "All 97 of them still turn.")
    async with (
        loopback.serve(*played(dropped, said("contradicted", WORDS))) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        answers = [await program.ask(ONE, provider="anthropic", search="hosted") for _ in "12"]
        kept = [await program.store.messages.get(each.message.id) for each in answers]

    one = answers[1].checks[0].opinion
    assert one is not None
    assert one.cost_usd is not None
    for answer, message in zip(answers, kept, strict=True):
        before, after = answer.message.usage, message.usage
        assert before is not None
        assert after is not None
        assert (after.input_tokens or 0) - (before.input_tokens or 0) == 200
        assert (after.output_tokens or 0) - (before.output_tokens or 0) == 20
        more = (message.cost_usd or 0) - (answer.message.cost_usd or 0)
        assert more == pytest.approx(one.cost_usd)


async def test_a_judge_counts_towards_quotas_and_is_not_asked_when_one_is_used_up(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    def limited(url: str, tokens: int) -> Settings:
        quotas = {"workspace": {"tokens": tokens}}
        return _chosen(sandbox, url, **WANTED).model_copy(
            update={"quotas": QuotaSettings.model_validate(quotas)}
        )

    async with loopback.serve(*played(said("contradicted", WORDS))) as far:
        async with _opened(limited(far.url, 1_000_000), tmp_path) as program:
            first = await program.ask(ONE, provider="anthropic", search="hosted")
            [level] = await program.quotas.levels(await _holder(program))
        async with _opened(limited(far.url, int(level.used) + 1), tmp_path) as program:
            second = await program.ask(ONE, provider="anthropic", search="hosted")

    assert first.checks[0].opinion is not None
    assert second.checks[0].opinion is None
    assert len(far.requests) == 1
    assert second.checks[0].no_opinion.startswith("No opinion: ")


async def _holder(program: Groundwire) -> QuotaHolder:
    return QuotaHolder(workspace=await program.store.workspaces.get("personal"))


async def test_a_judge_that_fails_leaves_the_facts_as_they_are(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    refused = loopback.reply(b'{"error": {"message": "no"}}', status="401 No")
    async with (
        loopback.serve(refused) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        answer = await program.ask(ONE, provider="anthropic", search="hosted")
        state = (await program.store.messages.get(answer.message.id)).checks_state
        kept = await program.open_checks.of(answer.message.id)

    [check] = answer.checks
    assert check.check.missing_numbers == ("97",)
    assert (check.opinion, state) == (None, ChecksState.DONE)
    # Whoever chose a judge learns that it said nothing, and why.
    assert check.no_opinion.startswith("No opinion: the judge could not be asked: ")
    assert "401" in check.no_opinion or "key" in check.no_opinion
    assert kept == answer.checks


async def test_a_judge_that_does_not_exist_leaves_the_facts_as_they_are(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    chosen = _chosen(sandbox, sandbox.base_url("openai"), judge="nobody")
    async with _opened(chosen, tmp_path) as program:
        answer = await program.ask(ONE, provider="anthropic", search="hosted")

    assert answer.checks[0].check.missing_numbers == ("97",)
    assert answer.checks[0].opinion is None
    assert "'nobody'" in answer.checks[0].no_opinion


async def test_no_more_claims_are_judged_than_the_settings_say(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with (
        loopback.serve(*played(*[said("not_stated", "")] * 3)) as far,
        _opened(_chosen(sandbox, far.url, **WANTED, judge_claims=2), tmp_path) as program,
    ):
        answer = await program.ask(QUESTION, provider="anthropic", search="hosted")

    assert len(far.requests) == 2
    assert sum(each.opinion is not None for each in answer.checks) == 2


async def test_a_workspace_chooses_its_own_judge_or_none(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with loopback.serve(*played(said("not_stated", ""))) as far:
        async with _opened(_chosen(sandbox, far.url), tmp_path) as program:
            space = await program.store.workspaces.get("personal")
            await program.store.workspaces.update(replace(space, citation_judge="openai"))
            chosen = await program.ask(ONE, provider="anthropic", search="hosted")
        async with _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program:
            await program.store.workspaces.update(replace(space, citation_judge="off"))
            none = await program.ask(ONE, provider="anthropic", search="hosted")

    assert len(far.requests) == 1
    assert chosen.checks[0].opinion is not None
    assert none.checks[0].opinion is None


async def test_the_facts_and_the_end_of_the_answer_do_not_wait_for_the_judge(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with (
        loopback.serve(loopback.stream(hang=True)) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        stream = program.stream(ONE, provider="anthropic", search="hosted")
        async with aclosing(stream) as events:
            told = []
            async for event in events:
                told.append(event)
                if {TurnEnded, CitationChecked} <= {*map(type, told)}:
                    break
        [ended] = [each for each in told if isinstance(each, TurnEnded)]
        kept = await _kept(program, ended.message.id)

    assert kept[0].check.missing_numbers == ("97",)
    assert kept[0].opinion_pending

    # Whoever opens the database next asks what was not said, and compares nothing anew.
    visits = len(sandbox.requests)
    async with (
        loopback.serve(*played(said("contradicted", WORDS))) as far,
        _opened(_chosen(sandbox, far.url, **WANTED), tmp_path) as program,
    ):
        await program.open_checks.resume()
        async for _ in program.checks.late(ended.message.id):
            pass
        after = await program.open_checks.of(ended.message.id)

    assert after[0].checked_at == kept[0].checked_at
    assert after[0].opinion is not None
    assert not after[0].opinion_pending
    assert len(sandbox.requests) == visits


async def _kept(program: Groundwire, message_id: str) -> tuple[groundwire.CitationCheck, ...]:
    """Return the checks of an answer as soon as they are kept."""
    assert message_id in program.checks.busy
    while not (kept := await program.open_checks.of(message_id)):
        await program.store.messages.get(message_id)
    return kept
