"""What providers and clients do to the gateway: break off, hang up, come all at once."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Sequence
from itertools import count, product
from typing import Self

import aiohttp
from tests.adapters.outcomes import BROKEN, REFUSED, STOPPED

from groundwire.model import Json
from groundwire.sandbox.journal import Entry
from torture.cases.provider import LIMITS
from torture.client import CANARY, OTTERS, PATIENCE_SECONDS, SCRIPTS, Asker
from torture.registry import case
from torture.report import expect
from torture.server import Wish, until
from torture.stage import AT_ONCE, MODELS, Stage

PACE_SECONDS = 0.01
HANG_UPS = 1_000
STREAMS = 500
MOST_MEGABYTES = 300.0
HUGE = next(fault for fault in STOPPED if fault.startswith("huge_event"))
_NUMBERS = count(1)
_MARKER = re.compile(r"\[\d+\]\(http")

_TOOL = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
_BODIES: dict[str, Json] = {
    "messages": {"max_tokens": 4_000, "tools": [_TOOL]},
    "chat/completions": {"web_search_options": {}},
    "responses": {"tools": [{"type": "web_search"}]},
}
# What ends a stream in each dialect, whole or with its error.
_ENDS = {
    "messages": ('"type":"message_stop"', "event: error"),
    "chat/completions": ("data: [DONE]", '"error":'),
    "responses": ("event: response.completed", "event: response.failed"),
}


def _body(dialect: str, model: str, text: str = OTTERS) -> Json:
    asked: Json = {"messages": [{"role": "user", "content": text}]}
    if dialect == "responses":
        asked = {"input": text}
    return {"model": model, "stream": True, **asked, **_BODIES[dialect]}


class Clients:
    """Programs that speak to the gateway of one server; where a key shows is noted."""

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            timeout=aiohttp.ClientTimeout(total=PATIENCE_SECONDS),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def ask(self, dialect: str, body: Json, *, most: int = -1) -> tuple[int, str]:
        """Return status and text of a reply; with `most`, hang up after so many pieces."""
        url, pieces = f"{self._asker.url}/v1/{dialect}", []
        async with self._client.post(url, json=body) as reply:
            async for piece in reply.content.iter_any():
                pieces.append(piece)
                if len(pieces) == most:
                    break
        raw = b"".join(pieces)
        if CANARY.encode() in raw:
            self._asker.leaks.append(f"/v1/{dialect}")
        return reply.status, raw.decode("utf-8", "replace")


def _is_refused(dialect: str, status: int, text: str) -> None:
    """Check a failure before the first byte: a status and a body that the client understands."""
    expect(400 <= status < 600, f"it answers {status}")
    error = json.loads(text)["error"]
    expect(isinstance(error, dict) and error["message"], f"{dialect} is told {text[:200]}")


def _is_broken(dialect: str, status: int, text: str) -> None:
    """Check a failure in the middle: the stream says so, and does not pass for whole."""
    if status != 200:
        _is_refused(dialect, status, text)
        return
    whole, broken = _ENDS[dialect]
    expect(broken in text, f"the stream ends without an error: {text[-200:]!r}")
    expect(whole not in text or dialect == "chat/completions", "half an answer seems whole")


async def _are_over(calls: Sequence[Entry]) -> bool:
    """Tell whether calls of a provider have ended, or soon have."""
    return await until(lambda: all(each.ended != "open" for each in calls), 10)


@case("gateway-faults", "a provider that refuses or breaks off is an error in the client's dialect")
async def gateway_faults(stage: Stage) -> None:
    turns = asyncio.Semaphore(AT_ONCE)
    faults = [*REFUSED, *BROKEN, *STOPPED]
    async with stage.serve(**LIMITS) as (_, asker), Clients(asker) as clients:

        async def one(name: str, fault: str, dialect: str) -> None:
            own = f"{fault};id=gateway{next(_NUMBERS)}"
            with stage.tally.fault(f"{name} {fault} {dialect}"):
                async with turns:
                    provider = await asker.add_provider(name, stage.providers.url(name, own))
                    body = _body(dialect, f"{provider}/{MODELS[name]}", SCRIPTS)
                    status, text = await clients.ask(dialect, body)
                _is_broken(dialect, status, text)
                calls = stage.providers.calls(own)
                expect(calls, "nothing was asked upstream")
                expect(await _are_over(calls), "a call upstream goes on for nobody")

        # One dialect for each pair: all three are met by every provider and every fault. Papers
        # that Claude read come back as one event: it alone may send such large ones.
        pairs = [each for each in product(MODELS, faults) if each != ("anthropic", HUGE)]
        dialects = [*_BODIES]
        await asyncio.gather(*(one(*each, dialects[n % 3]) for n, each in enumerate(pairs)))


@case("gateway-hang-ups", "clients that hang up at any moment leave no call upstream and no task")
async def gateway_hang_ups(stage: Stage) -> None:
    chance = random.Random(26)
    turns = asyncio.Semaphore(2 * AT_ONCE)
    number = HANG_UPS // 10 if stage.scale.is_quick else HANG_UPS
    with stage.paced(PACE_SECONDS):
        async with stage.serve() as (_, asker), Clients(asker) as clients:

            async def one(index: int) -> None:
                dialect = [*_BODIES][index % 3]
                name = [*MODELS][index // 3 % len(MODELS)]
                pieces = chance.randrange(1, 25)
                with stage.tally.fault(f"{dialect} of {name} left after {pieces} pieces"):
                    async with turns:
                        body = _body(dialect, f"{name}/{MODELS[name]}", f"{OTTERS} {index}")
                        status, _ = await clients.ask(dialect, body, most=pieces)
                    expect(status == 200, f"it answers {status}")

            await asyncio.gather(*map(one, range(number)))
            with stage.tally.fault("upstream"):
                is_over = await _are_over(stage.providers.server.requests)
                expect(is_over, "a call upstream goes on for nobody")


@case("gateway-streams", "500 streams at once, in three dialects: each whole, cited and its own")
async def gateway_streams(stage: Stage) -> None:
    number = STREAMS // 10 if stage.scale.is_quick else STREAMS
    with stage.paced(PACE_SECONDS):
        async with (
            stage.serve(Wish(logs_all=False)) as (server, asker),
            Clients(asker) as clients,
        ):

            async def one(index: int) -> None:
                dialect = [*_BODIES][index % 3]
                name = ("anthropic", "openai-responses")[index // 3 % 2]
                with stage.tally.fault(f"stream {index} of {name} as {dialect}"):
                    asked = f"Tell me of number {index} at length, and how sea otters sleep"
                    body = _body(dialect, f"{name}/{MODELS[name]}", asked)
                    status, text = await clients.ask(dialect, body)
                    expect(status == 200, f"it answers {status}: {text[:200]}")
                    expect(_ENDS[dialect][0] in text, f"it breaks off: {text[-200:]!r}")
                    expect(_MARKER.search(text), "no marker came")

            await asyncio.gather(*map(one, range(number)))
            peak = server.megabytes(peak=True)
            stage.tally.figures["MB at most"] = round(peak)
            with stage.tally.fault("memory"):
                expect(peak < MOST_MEGABYTES, f"the server had {peak:.0f} MB")
