"""Claims in, checks out, a JSON line each: for programs that have claims and pages of their own."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from typing import TYPE_CHECKING

from groundwire.checks import (
    Check,
    PageIndex,
    check_claim,
    check_to_json,
    find_in,
    index_page,
    not_read,
)
from groundwire.checks.citation import match_to_json
from groundwire.checks.quotes import NOWHERE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from groundwire.checks import QuoteMatch
    from groundwire.model import Json
    from groundwire.service.text_check import Pages

MAX_TEXT = 1_100_000
"""So many characters of a given text are compared: all of a megabyte."""

MAX_LINE_BYTES = 16_000_000
_KEPT_CHARACTERS = 3_000_000
"""So much text stays indexed: an index is some twenty times as large."""

_AT_ONCE = 4
_WANTED = (
    'a line is {"id": …, "claim": "…", "text": "…"} or {"id": …, "claim": "…", "url": "https://…"}'
)
_FACTS = (
    "missing_numbers",
    "rounded_numbers",
    "numbers_elsewhere",
    "missing_names",
    "coverage",
    "score",
    "is_cut",
    "not_compared",
    "detail",
)


class _BadLineError(Exception):
    """A line cannot be used; the message says why."""


class PairChecker:
    """Compares one claim with one text or page at a time; equal texts are indexed once."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._indexes: OrderedDict[str, PageIndex] = OrderedDict()

    async def check_line(self, line: bytes) -> Json:
        """Return what a line's check comes to, or the line's `error`."""
        given: Json = {}
        try:
            given = _parsed(line)
            return {"id": given.get("id"), **await self._check(given)}
        except _BadLineError as error:
            return {"id": given.get("id"), "error": str(error)}
        except Exception as error:  # noqa: BLE001 - a defect must not cost the other lines
            reason = f"{type(error).__name__}: {error}"
            return {"id": given.get("id"), "error": f"it could not be compared ({reason})"}

    async def _check(self, given: Json) -> Json:
        claim = _text(given, "claim")
        options = {
            key: _text(given, key) for key in ("quote", "context") if given.get(key) is not None
        }
        if given.get("text") is not None:
            page: PageIndex = self._index(_text(given, "text"))
        elif given.get("url") is not None:
            read = await self._pages.read(_text(given, "url"))
            if not read.success:
                return _result(not_read(read.error), None)
            page = index_page(read.content, has_pages=read.metadata.pages is not None)
        else:
            raise _BadLineError(f"it has neither text nor url: {_WANTED}")
        check = check_claim(claim, page, **options)
        # Whoever asks by pairs wants to know also of a claim that is a word or two.
        match = check.quote or find_in(page, options.get("quote") or claim)
        return _result(check, match)

    def _index(self, text: str) -> PageIndex:
        found = self._indexes.pop(text, None) or PageIndex(text, max_characters=MAX_TEXT)
        self._indexes[text] = found
        while len(self._indexes) > 1 and sum(map(len, self._indexes)) > _KEPT_CHARACTERS:
            self._indexes.popitem(last=False)
        return found


def _parsed(line: bytes) -> Json:
    if len(line) > MAX_LINE_BYTES:
        raise _BadLineError(f"it is longer than {MAX_LINE_BYTES:,} bytes")
    try:
        given = json.loads(line, parse_constant=_nothing)
    except (ValueError, RecursionError) as error:
        raise _BadLineError(f"it is not JSON ({error}): {_WANTED}") from error
    if not isinstance(given, dict):
        raise _BadLineError(f"it is no JSON object: {_WANTED}")
    return given


def _nothing(_: str) -> None:
    """Take `NaN` and its like for nothing: others could not read a line that repeats them."""


def _text(given: Json, key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise _BadLineError(f"{key!r} must be a string: {_WANTED}")
    return value


def _result(check: Check, match: QuoteMatch | None) -> Json:
    near = check.nearest
    facts = check_to_json(check)
    return {
        "quote": _place(match_to_json(match or NOWHERE)),
        "quotations": [{"text": each["text"], **_place(each)} for each in facts["quotations"]],
        "nearest": {"start": near.start if near else None, "end": near.end if near else None},
        **{key: facts[key] for key in _FACTS},
    }


def _place(match: Json) -> Json:
    return {key: match[key] for key in ("found", "start", "end")}


async def check_pairs(
    lines: AsyncIterator[bytes], checker: PairChecker, write: Callable[[Json], None]
) -> int:
    """Write one result for each line, in order and as soon as it is there; return the errors.

    Pages are read a few at a time; a program that waits for an answer before it writes its next
    line gets it.
    """
    queue: asyncio.Queue[asyncio.Task[Json] | None] = asyncio.Queue(maxsize=_AT_ONCE)
    try:
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(_write_all(queue, write))
            number = 0
            async for line in lines:
                number += 1
                if line.strip():
                    await queue.put(tasks.create_task(_numbered(checker, line, number)))
            await queue.put(None)
    except BaseExceptionGroup as several:
        # A reader that has seen enough, say: callers know the error, not the group.
        raise several.exceptions[0] from None
    return writing.result()


async def _numbered(checker: PairChecker, line: bytes, number: int) -> Json:
    result = await checker.check_line(line)
    if "error" in result:
        result["error"] = f"line {number}: {result['error']}"
    return result


async def _write_all(
    queue: asyncio.Queue[asyncio.Task[Json] | None], write: Callable[[Json], None]
) -> int:
    errors = 0
    while (task := await queue.get()) is not None:
        result = await task
        errors += "error" in result
        write(result)
    return errors
