"""robots.txt, as RFC 9309 has it: what a site asks programs not to open."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from enum import StrEnum
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from protego import Protego

from groundwire.cache import SingleFlight
from groundwire.errors import BlockedError, GroundwireError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from groundwire.guard import WebUrl
    from groundwire.wire.contract import HttpReply

    Fetch = Callable[[str], Awaitable[HttpReply]]

MAX_BYTES = 512_000
MAX_SITES = 500
RULES_SECONDS = 86_400
FAILURE_SECONDS = 60

_NO_RULES = Protego.parse("")


class RobotsVerdict(StrEnum):
    """What a site says about a page; unreachable is to be taken as a no."""

    ALLOWED = "allowed"
    DISALLOWED = "disallowed"
    UNREACHABLE = "unreachable"


class Robots:
    """The robots.txt of sites; each is fetched once a day, with the given function."""

    def __init__(self, agent: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._agent = agent
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Protego | None]] = OrderedDict()
        self._asked: SingleFlight[Protego | None] = SingleFlight()

    async def verdict(self, url: WebUrl, fetch: Fetch) -> RobotsVerdict:
        """Return what the site of a URL says about it."""
        rules = await self._rules(str(url).removesuffix(url.path_and_query), fetch)
        if rules is None:
            return RobotsVerdict.UNREACHABLE
        is_allowed = rules.can_fetch(str(url), self._agent)
        return RobotsVerdict.ALLOWED if is_allowed else RobotsVerdict.DISALLOWED

    async def _rules(self, site: str, fetch: Fetch) -> Protego | None:
        """Return a site's rules, None if it could not be asked."""
        until, rules = self._known.get(site, (-inf, None))
        if until > self._clock():
            self._known.move_to_end(site)
            return rules
        return await self._asked.join(site, partial(self._ask, site, fetch))

    async def _ask(self, site: str, fetch: Fetch) -> Protego | None:
        rules: Protego | None = None
        try:
            # In a thread: half a megabyte of rules takes half a second.
            rules = await asyncio.to_thread(_read, await fetch(f"{site}/robots.txt"))
        except BlockedError:
            # It leads where this caller may not go; another caller may, so it is not kept.
            return _NO_RULES
        except GroundwireError:
            pass
        seconds = FAILURE_SECONDS if rules is None else RULES_SECONDS
        self._known[site] = (self._clock() + seconds, rules)
        while len(self._known) > MAX_SITES:
            self._known.popitem(last=False)
        return rules


def _read(reply: HttpReply) -> Protego | None:
    if reply.status >= 500 or reply.status == 429:
        return None
    if not 200 <= reply.status < 300:
        return _NO_RULES
    return Protego.parse(reply.body[:MAX_BYTES].decode("utf-8-sig", "replace"))
