"""Pages that answers opened, or that were read to check them, are kept with the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import event

from groundwire.cache import MemoryCache
from groundwire.checks.records import Purpose
from groundwire.client import Client
from groundwire.config.settings import Settings
from groundwire.guard import DomainPolicy
from groundwire.model import Json
from groundwire.sandbox.played_citations import PLAYED
from groundwire.search import ReadChain, SearchContext
from groundwire.system.compression import unpack
from groundwire.testing import SandboxServer, sandbox
from tests.chat.program import OTTERS, Talk, opened
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback, reply, serve
from tests.search.services import search_context, settings

__all__ = ["sandbox"]

HTML = b"<html><body><article><h1>Otter</h1><p>Otters hold <b>hands</b>.</p></article></body>"
URL = "http://a.example/otter"
PAGE = "https://wiki.example.net/sea-otter"
CHECKED = f"Windmills: {PLAYED[0].words}"
OPEN = f"Use open_page for {PAGE}"
MODEL: Json = {"provider": "openai", "model": "gpt-5.5", "search": "client"}


@asynccontextmanager
async def _talk(sandbox: SandboxServer, folder: Path, **tables: Json) -> AsyncIterator[Talk]:
    async with opened(sandbox, str(folder / "talk.sqlite3"), **tables) as talk:
        yield talk


@contextmanager
def _written(talk: Talk) -> Iterator[list[str]]:
    """Give the statements that write, as they are run."""
    statements: list[str] = []
    engine = talk.program.store._database._writer.sync_engine

    def note(*given: Json) -> None:
        statements.append(given[2])

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


async def test_pages_that_were_opened_are_kept_as_they_were_read(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _talk(sandbox, tmp_path) as talk:
        told = await talk.turn(OPEN, **MODEL)
        kept = await talk.program.store.snapshots.of_message(told.message.id)

    (page,) = kept
    assert (page.url, page.asked_url) == (PAGE, PAGE)
    assert (page.service, page.purpose, page.fetched) == ("jina", Purpose.OPENED, None)
    assert "Sea otters have the densest fur" in page.text


async def test_pages_read_for_the_checks_are_kept_too(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _talk(sandbox, tmp_path, checks={"pages": "all"}) as talk:
        answer = await talk.program.ask(CHECKED, provider="anthropic", search="hosted")
        kept = await talk.program.store.snapshots.of_message(answer.message.id)
        page = await talk.program.store.citation_checks.page(answer.message.id, 1)

    assert [each.purpose for each in kept] == [Purpose.CHECKED]
    assert page.text == kept[0].text != ""
    assert answer.checks[0].page_hash == kept[0].text_hash


async def test_nothing_is_kept_where_it_is_switched_off(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    off = {"snapshots": {"enabled": False}, "checks": {"pages": "all"}}
    async with _talk(sandbox, tmp_path, **off) as talk:
        opened_one = await talk.program.ask(OPEN, **MODEL)
        answer = await talk.program.ask(CHECKED, provider="anthropic", search="hosted")
        sizes = await talk.program.store.snapshots.sizes()
        pages = await talk.program.store.citation_checks.pages(answer.message.id)

    assert opened_one.message.pages_read
    assert (sizes.snapshots, sizes.contents) == (0, 0)
    # The checks have their pages all the same.
    assert pages
    assert all(each.text for each in pages)


async def test_a_page_that_a_policy_forbids_is_never_kept(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _talk(sandbox, tmp_path, checks={"pages": "all"}) as talk:
        await talk.allow("nothing.example")
        answer = await talk.program.ask(OPEN, **MODEL)
        sizes = await talk.program.store.snapshots.sizes()

    assert [run.status for run in answer.message.tool_runs] == ["failed"]
    assert (sizes.snapshots, sizes.contents) == (0, 0)


async def test_keeping_is_one_batch_at_the_end_and_none_where_nothing_was_opened(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with _talk(sandbox, tmp_path) as talk:
        with _written(talk) as without:
            await talk.turn(OTTERS, search="off")
        with _written(talk) as with_pages:
            await talk.turn(OPEN, **MODEL)

    assert not [each for each in without if "snapshots" in each or "page_contents" in each]
    inserted = [
        each.split()[2] for each in with_pages if "page_contents" in each or "snapshots" in each
    ]
    assert inserted == ["page_contents", "snapshots"]


@asynccontextmanager
async def _web(
    server: Loopback, cache: MemoryCache | None = None, **snapshots: Json
) -> AsyncIterator[SearchContext]:
    chosen: Settings = settings(read={"respect_robots": False}, snapshots=snapshots)
    internet = Internet(server, {"a.example": [[PUBLIC]]})
    client = Client(chosen.network, resolve=internet.resolve, make_socket=internet.make_socket)
    async with search_context(chosen, {}, cache=cache, client=client) as made:
        yield made


async def test_a_page_that_we_open_has_its_bytes_also_from_the_cache() -> None:
    headers = {"Set-Cookie": "id=secret", "Last-Modified": "Tue, 17 Nov 2026 08:00:00 GMT"}
    script = reply(HTML, content_type="text/html", headers=headers)
    cache = MemoryCache(max_entries=10, max_bytes=1_000_000)
    async with serve(script) as server, _web(server, cache) as made:
        fresh = await ReadChain(made).read(URL)
        cached = await ReadChain(made).read(URL)

    assert len(server.requests) == 1
    assert fresh.fetched is not None
    assert unpack(fresh.fetched.packed, 1_000) == HTML
    assert (fresh.fetched.status, fresh.fetched.size) == (200, len(HTML))
    assert dict(fresh.fetched.headers) == {
        "content-type": "text/html",
        "last-modified": "Tue, 17 Nov 2026 08:00:00 GMT",
    }
    assert cached.age_seconds is not None
    assert cached.fetched == fresh.fetched


async def test_of_a_page_over_the_limit_only_the_text_is_kept() -> None:
    script = reply(HTML, content_type="text/html")
    async with serve(script) as server, _web(server, max_page_bytes=len(HTML) - 1) as made:
        read = await ReadChain(made, policy=DomainPolicy(allowed=("a.example",))).read(URL)

    assert read.page.success
    assert read.fetched is None
