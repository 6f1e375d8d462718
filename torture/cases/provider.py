"""What providers of models do: refuse, fail for a moment, break off, go on for ever, lie."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from itertools import count, product

from tests.adapters.outcomes import BROKEN, PASSING, REFUSED, SHORT_LIMITS, STOPPED, SURVIVED
from tests.loopback import reply, serve

from groundwire.model import Json
from torture.client import SCRIPTS, Asker, Told
from torture.registry import case
from torture.report import expect
from torture.server import until
from torture.stage import AT_ONCE, MODELS, Stage

LIMITS: Json = {f"network__{name}": value for name, value in SHORT_LIMITS.items()}
_NUMBERS = count(1)
_LINK = re.compile(r"\(\[[^]]+\]\([^)]+\)\)")
TRIES = 3


class Trial:
    """Asks providers that have a fault, some at once."""

    def __init__(self, stage: Stage, asker: Asker) -> None:
        self.stage = stage
        self.asker = asker
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def whole(self, name: str) -> str:
        """Return the answer of a provider without a fault."""
        told = await self.asker.ask(SCRIPTS, provider_id=name, model=MODELS[name])
        expect(told.message["status"] == "complete", f"{name} without a fault: {told.message}")
        return told.text

    async def ask(self, name: str, fault: str) -> tuple[Told, list[str]]:
        """Ask a provider that has a fault; return the turn, and how each call of it ended."""
        own = f"{fault};id={next(_NUMBERS)}"
        async with self._turns:
            base_url = self.stage.providers.url(name, own)
            provider = await self.asker.add_provider(name, base_url)
            told = await self.asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
        calls = self.stage.providers.calls(own)
        # The reader may know of the end before the provider does.
        await until(lambda: all(each.ended != "open" for each in calls), 10, 0.01)
        return told, [each.ended for each in calls]

    async def all(self, faults: Iterable[str], check: Json) -> None:
        """Try every fault at every provider."""
        wholes = {name: await self.whole(name) for name in MODELS}

        async def one(name: str, fault: str) -> None:
            with self.stage.tally.fault(f"{name} {fault}"):
                told, calls = await self.ask(name, fault)
                check(fault, name, told, calls, wholes[name])

        await asyncio.gather(*(one(*each) for each in product(MODELS, faults)))


def failed_with(told: Told, code: str) -> None:
    """Check how an answer ended that could not be whole."""
    message = told.message
    expect(message["status"] in {"failed", "interrupted"}, f"it is {message['status']}")
    expect(message["error_code"] == code, f"{message['error_code']!r} instead of {code!r}")
    expect(message["error"] and told.codes("error") == [code], "its reader was not told")


@case("refusals", "typed error; passing ones are asked 3 times in all, others once")
async def refusals(stage: Stage) -> None:
    def check(fault: str, _: str, told: Told, calls: list[str], __: str) -> None:
        failed_with(told, REFUSED[fault])
        expect(told.text == "", f"text came: {told.text!r}")
        if fault != "error_in_200":  # In the first event or later, which is the provider's way.
            tries = TRIES if fault in PASSING else 1
            expect(len(calls) == tries, f"{len(calls)} calls instead of {tries}")

    async with stage.serve() as (_, asker):
        await Trial(stage, asker).all(REFUSED, check)


@case("retries", "429, 5xx and 529 before the first byte pass: at most 2 more calls, waits obeyed")
async def retries(stage: Stage) -> None:
    passing = {f"{fault};times={times}": times + 1 for fault in PASSING for times in (1, 2)}
    passing["rate_limit;retry_after=1.5;times=1"] = 2
    too_long = "rate_limit;retry_after=61"

    def check(fault: str, _: str, told: Told, calls: list[str], whole: str) -> None:
        if fault == too_long:
            failed_with(told, "rate_limit")
            expect(len(calls) == 1, f"{len(calls)} calls, though it is to wait for a minute")
            return
        expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
        expect(told.text == whole, "the answer is another one")
        expect(len(calls) == passing[fault], f"{len(calls)} calls, not {passing[fault]}")

    async with stage.serve() as (_, asker):
        await Trial(stage, asker).all([*passing, too_long], check)


@case("statuses", "400, 401, 403, 404: one call; 429, 500, 502, 503, 529: three, then the reason")
async def statuses(stage: Stage) -> None:
    tries = dict.fromkeys((400, 401, 403, 404), 1) | dict.fromkeys((429, 500, 502, 503, 529), TRIES)
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(asker: Asker, name: str, status: int) -> None:
        body = b'{"error": {"type": "some", "message": "Not this time."}}'
        with stage.tally.fault(f"{name} {status}"):
            async with turns, serve(reply(body, status=f"{status} Some")) as seen:
                provider = await asker.add_provider(name, seen.url)
                told = await asker.ask(SCRIPTS, provider_id=provider, model=MODELS[name])
                failed_with(told, told.message["error_code"])
                expect(told.message["error_code"] not in ("", "internal"), "the error has no type")
                calls = len(seen.requests)
                expect(calls == tries[status], f"{calls} calls instead of {tries[status]}")

    async with stage.serve() as (_, asker):
        await asyncio.gather(*(one(asker, *each) for each in product(MODELS, tries)))


@case("breaks", "an answer that breaks off keeps its text, is never complete, never begun again")
async def breaks(stage: Stage) -> None:
    def check(fault: str, _: str, told: Told, calls: list[str], whole: str) -> None:
        failed_with(told, BROKEN[fault])
        expect(told.text and whole.startswith(told.text), f"kept is {told.text!r}")
        expect(len(told.text) < len(whole), "nothing is missing")
        expect(len(calls) == 1, f"{len(calls)} calls")

    async with stage.serve() as (_, asker):
        await Trial(stage, asker).all(BROKEN, check)


@case("endless", "silence, endless text and huge events are stopped; what came stays")
async def endless(stage: Stage) -> None:
    def check(fault: str, name: str, told: Told, calls: list[str], _: str) -> None:
        if name == "anthropic" and "huge" in fault:
            # Papers that it read come back as one event: it alone may send such large ones.
            expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
            return
        failed_with(told, STOPPED[fault])
        expect(told.text, "the text before is gone")
        expect(len(calls) == 1, f"{len(calls)} calls")

    async with stage.serve(**LIMITS) as (_, asker):
        await Trial(stage, asker).all(STOPPED, check)


@case("odd-events", "malformed, unknown, doubled, late events are skipped: the answer is whole")
async def odd_events(stage: Stage) -> None:
    def check(_: str, __: str, told: Told, calls: list[str], whole: str) -> None:
        expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
        # Where a citation's place is wrong or comes late, the link that it replaces stays.
        expect(_LINK.sub("", told.text) == _LINK.sub("", whole), "the answer is another one")
        expect(calls == ["complete"], f"the calls ended as {calls}")

    async with stage.serve() as (_, asker):
        await Trial(stage, asker).all(SURVIVED, check)


@case("gone-and-back", "while a provider is gone turns fail with a reason; then they work again")
async def gone_and_back(stage: Stage) -> None:
    async with stage.serve(network__retries=1) as (_, asker):
        for _ in range(stage.scale.times):
            with stage.tally.fault("the provider goes while it answers"), stage.paced(0.02):
                async with asker.asking("Tell me of otters at length", search="off") as (
                    told,
                    all_,
                ):
                    async for event in all_:
                        if event.type == "text" and stage.providers.is_here:
                            await asyncio.to_thread(stage.providers.gone)
                failed_with(told, "truncated")
                expect(told.text, "the text before is gone")
                again = await asker.ask("Are you there?", search="off")
                failed_with(again, "connect")
                await asyncio.to_thread(stage.providers.back)
                whole = await asker.ask("Are you there?", search="off")
                expect(whole.message["status"] == "complete", f"it is {whole.message['error']!r}")


@case("cooldown", "after 3 failures a service is left alone for 5 s, then one call tries")
async def cooldown(stage: Stage) -> None:
    fault = "server_error;times=4;id=cooldown"

    def calls() -> int:
        return len(stage.providers.calls(fault))

    async def search(asker: Asker, number: int) -> str:
        question = f"Use web_search for otters number {number}"
        told = await asker.ask(question, provider_id="openai", model="gpt-4o", search="client")
        expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
        return str(told.message["tool_runs"][0]["status"])

    settings: Json = {
        "network__retries": 0,
        "providers__searxng__base_url": stage.providers.url("searxng", fault),
    }
    async with stage.serve(**settings) as (_, asker):
        with stage.tally.fault("a search service that keeps failing"):
            statuses = [await search(asker, number) for number in range(5)]
            expect(statuses == ["failed"] * 5, f"the searches are {statuses}")
            expect(calls() == 3, f"{calls()} calls before the pause")
            await asyncio.sleep(5.1)
            await asyncio.gather(*(search(asker, 10 + number) for number in range(4)))
            expect(calls() == 4, f"{calls()} calls after the pause, not one more")
            await asyncio.sleep(5.1)
            found = await search(asker, 20)
            expect((found, calls()) == ("done", 5), f"then it is {found}, {calls()} calls")
