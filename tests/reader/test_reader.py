"""Reading in other processes: they are used again, and stopped when a page costs too much."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.model import Page
from groundwire.reader import Limits, Reader

URL = "https://example.org/otters"
TEXT = b"Otters swim."

HOSTILE = {
    "deep nesting": b"<div>" * 300_000 + b"x",
    "deep inline nesting": b"<b><i><a href=x>" * 50_000 + b"x",
    "one line": b"<p>" + b"word " * 900_000,
    "huge table": b"<table>" + b"<tr><td>a</td><td>b</td></tr>" * 100_000,
    "attributes": b"<p " + b"".join(b"a%d=1 " % number for number in range(100_000)) + b">x",
    "entities": b"<p>" + b"&amp;" * 500_000,
    "broken bytes": b"<p>\xff\xfe\x80" * 100_000,
    "unclosed": b"<!--" * 200_000,
    "styles": b"<style>" + b".a{display:none}@media{" * 10_000 + b"</style><p class=a>x",
}


async def test_a_document_becomes_a_page() -> None:
    async with Reader() as reader:
        page = await reader.read(TEXT, "text/plain", URL)

    assert page == Page(url=URL, content="Otters swim.", original_length=12)


async def test_a_document_that_cannot_be_read_says_why() -> None:
    async with Reader() as reader:
        page = await reader.read(b"\x89PNG", "image/png", URL)

    assert page == Page(
        url=URL,
        success=False,
        error="'image/png' is not a document with text: nothing was read",
    )


async def test_more_documents_than_processes_are_all_read() -> None:
    async with Reader(Limits(processes=2)) as reader:
        pages = await asyncio.gather(
            *(reader.read(b"page %d" % number, "text/plain", URL) for number in range(6))
        )

    assert [page.content for page in pages] == [f"page {number}" for number in range(6)]


async def test_a_page_over_the_byte_limit_is_cut_and_marked() -> None:
    async with Reader(Limits(max_bytes=6)) as reader:
        page = await reader.read(TEXT, "text/plain", URL)

    assert page == Page(url=URL, content="Otters", original_length=6, truncated=True)


async def test_a_page_over_the_time_limit_is_stopped_and_the_next_one_is_read() -> None:
    async with Reader(Limits(seconds=0.0)) as hasty:
        page = await hasty.read(HOSTILE["huge table"], "text/html", URL)
    async with Reader(Limits(processes=1)) as reader:
        after = await reader.read(TEXT, "text/plain", URL)

    reason = "the page is too complex: reading it took over 0 s of CPU time"
    assert page == Page(url=URL, success=False, error=reason)
    assert after.content == "Otters swim."


async def test_a_page_over_the_memory_limit_costs_only_itself() -> None:
    limits = Limits(memory_bytes=400_000_000, max_bytes=200_000_000, seconds=60, processes=1)
    async with Reader(limits) as reader:
        page = await reader.read(b"<p>" * 30_000_000, "text/html", URL)
        after = await reader.read(TEXT, "text/plain", URL)

    assert not page.success
    assert after.content == "Otters swim."


@pytest.mark.parametrize("name", HOSTILE)
async def test_hostile_pages_end_in_a_page_or_a_reason(name: str) -> None:
    async with Reader(Limits(seconds=30)) as reader:
        page = await reader.read(HOSTILE[name], "text/html", URL)

    assert page.success or page.error
