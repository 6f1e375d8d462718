"""Searches of a request that comes again: some clients repeat a failed turn thirty times."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import orjson

if TYPE_CHECKING:
    from groundwire.tools import Ledger, Progress, Tool, ToolOutput

SECONDS = 120.0
MAX_REQUESTS = 500
_UNIMPORTANT = ("stream", "stream_options")

Outputs: TypeAlias = "dict[bytes, ToolOutput]"


def digest_of(guest: str, body: Mapping[str, object]) -> str:
    """Return what a request is known by, streamed or not."""
    said = {name: value for name, value in body.items() if name not in _UNIMPORTANT}
    return hashlib.sha256(guest.encode() + b"\0" + _key(said)).hexdigest()


class Repeats:
    """Keeps what the tools of recent requests gave, for the same request alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Outputs]] = OrderedDict()

    def outputs(self, digest: str) -> Outputs:
        """Return what tools gave to a request, to be read and added to."""
        until, outputs = self._kept.get(digest, (0.0, {}))
        now = self._clock()
        if until < now:
            outputs = {}
        self._kept[digest] = (now + SECONDS, outputs)
        self._kept.move_to_end(digest)
        while len(self._kept) > MAX_REQUESTS:
            self._kept.popitem(last=False)
        return outputs


def repeating(tool: Tool, outputs: Outputs, ledger: Ledger) -> Tool:
    """Return a tool that is not run again for arguments that it was run for."""

    async def run(arguments: object, progress: Progress) -> ToolOutput:
        key = tool.name.encode() + b"\0" + _key(arguments)
        known = outputs.get(key)
        if known is not None and _has_same_numbers(known, ledger):
            return known
        output = await tool.run(arguments, progress)
        if not output.is_error:
            outputs[key] = output
        return output

    return replace(tool, run=run)


def _has_same_numbers(output: ToolOutput, ledger: Ledger) -> bool:
    """Let pages have the numbers that they were told under, and tell whether they have."""
    found = [
        (item["url"], item["title"], item["citation_id"])
        for item in output.plain.get("results", ())
    ]
    pages = output.plain.get("pages") or [output.plain]
    found += [
        (page["url"], page["title"], page["provenance"]["citation_id"])
        for page in pages
        if isinstance(page.get("provenance"), Mapping)
    ]
    for url, *_ in found:
        ledger.allow(url)
    return all(ledger.number(url, title) == number for url, title, number in found)


def _key(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
