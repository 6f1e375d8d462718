"""Texts of strangers, neither pages nor replies: answers to check, rules, heads, opinions."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from random import Random

from groundwire.browser.http_heads import BadHeadError, read_head
from groundwire.client.robots import _read
from groundwire.model import Json
from groundwire.service.cited_input import cited_input
from groundwire.service.judge import read_opinion
from groundwire.wire.contract import HttpReply
from groundwire.wire.errors import rate_limits_of, request_id_of, retry_after_of
from tests.security.fuzzing import (
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    our_errors_only,
    written,
)

A = "https://a.example/1"
OWN: Json = {
    "text": "Otters swim.[1] They dive.[2]",
    "markers": [
        {"start": 12, "end": 15, "numbers": [1], "supports": [{"number": 1, "start": 0}]},
        {"position": 26, "label": "[2]", "unknown": ["2"]},
    ],
    "sources": [{"number": 1, "url": A}, {"number": 2, "url": f"{A}2"}],
}
ANSWERS: tuple[Json, ...] = (
    OWN,
    {"answers": [OWN]},
    {"messages": [{"marked": OWN}]},
    {"answer": f"Otters swim. ([a]({A}))", "citations": [A, {"url": A, "title": "T"}]},
    {"choices": [{"message": {"content": "Otters swim.[1]"}}], "citations": [A]},
    {
        "content": [
            {"type": "text", "text": "Otters.", "citations": [{"url": A, "cited_text": "x"}]}
        ]
    },
    {"candidates": [{"content": {"parts": [{"text": "Otters."}]}, "groundingMetadata": {}}]},
    {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Otters."}]}]},
)
TEXTS = (
    f"Otters swim.[1] They ([a]({A})) dive.[^2]\n\n[^2]: <{A}>\n\nSources:\n[1] T {A}\n- {A}",
    f"<!doctype html><p>Otters<sup><a href='#n1'>1</a></sup></p><ol><li id='n1'><a href='{A}'>x",
    f"Otters swim (Marsh 2020).\n\n## References\n\n1. Marsh, A. (2020). Otters. {A}",
)
RULES = (
    b"User-agent: *\nDisallow: /a*b$\nAllow: /%zz\nCrawl-delay: 1e9\nRequest-rate: 1/0\nSitemap: x"
)
HEAD = b"GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nX: y\r\n\r\n"
HEADERS = {
    "retry-after": "Wed, 18 Nov 2026 10:00:00 GMT",
    "retry-after-ms": "1500",
    "x-request-id": "r",
    "x-ratelimit-remaining": "0",
}
NOW = datetime(2026, 11, 18, tzinfo=UTC)


@fuzz(120, chance=chances)
def test_a_text_given_to_be_checked_is_read_or_refused(chance: Random) -> None:
    if chance.random() < 0.5:
        body = written(distorted(one_of(ANSWERS, chance), chance), chance)
    else:
        body = damaged(one_of(TEXTS, chance).encode(), chance)

    with our_errors_only():
        cited = cited_input(body.decode("utf-8", "replace"))
        assert all(0 <= each.position <= len(cited.text) for each in cited.citations)


@fuzz(60, chance=chances)
def test_damaged_rules_for_robots_are_read_as_far_as_they_are_rules(chance: Random) -> None:
    body = damaged(damaged(RULES, chance), chance)

    rules = _read(HttpReply(status=200, headers={}, body=body, url="https://a.example/robots.txt"))

    assert rules is not None
    assert isinstance(rules.can_fetch("https://a.example/ab", "groundwire"), bool)


@fuzz(100, chance=chances)
def test_a_damaged_head_is_a_head_or_none(chance: Random) -> None:
    async def read() -> None:
        reader = asyncio.StreamReader()
        reader.feed_data(damaged(HEAD, chance))
        reader.feed_eof()
        with contextlib.suppress(BadHeadError, EOFError, asyncio.LimitOverrunError):
            head = await read_head(reader)
            assert head.body_bytes >= 0
            # What is handed on has no line that was not read as one.
            assert head.encode().count(b"\n") == len(head.headers) + 2

    asyncio.run(read())


@fuzz(100, chance=chances)
def test_headers_of_any_kind_tell_a_time_or_nothing(chance: Random) -> None:
    headers = {
        name: damaged(value.encode(), chance).decode("latin-1") for name, value in HEADERS.items()
    }
    del headers[one_of([*headers], chance)]
    error = {"error": {"retry_after_seconds": 2, "details": [{"retryDelay": "3s"}]}}

    wait = retry_after_of(headers, distorted(error, chance), NOW)

    assert wait is None or 0 <= wait < float("inf")
    assert isinstance(request_id_of(headers), str)
    assert rate_limits_of(headers).keys() <= headers.keys()


class _Page:
    """A page that has every word."""

    async def passages(self, claim: str) -> str:
        return claim

    async def has(self, words: str) -> bool:
        return bool(words)


@fuzz(60, chance=chances)
def test_whatever_a_judge_says_is_an_opinion_or_none(chance: Random) -> None:
    said = written(distorted({"says": "yes", "words": "they sleep"}, chance), chance)
    text = f"{chance.choice(('', 'Here: ', '```json'))}{said.decode('utf-8', 'replace')}"

    found = asyncio.run(read_opinion(text, _Page(), model="m"))

    assert found is None or isinstance(found.words, str)
