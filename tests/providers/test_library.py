"""The library as a provider, alone and in chains with services on loopback."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.cache import MemoryCache
from groundwire.client import Client
from groundwire.config.settings import Settings
from groundwire.errors import Attempt, ConfigError, SettingsError
from groundwire.model import Json, Page, SearchQuery, SearchReply, SearchResult
from groundwire.providers.library import provider
from groundwire.search import ReadChain, SearchChain, SearchContext
from groundwire.tools import Ledger, web_tools
from groundwire.wire.contract import Access, Endpoint, abilities
from tests.library.folders import HERON, OTTER, adding, write
from tests.loopback import Loopback, reply, serve
from tests.search.services import failure, hits, settings

OTTER_URL = "https://library.test/notes/otter.md"
OTTER_HIT = SearchResult(
    url=OTTER_URL,
    title="Sea otters",
    snippet="Sea otters Sea otters hold hands while they sleep, so that nobody drifts away.",
    published="2001-09-09",
)
WEB_HIT = SearchResult(url="https://a.org/", title="Otter", snippet="Hands.")


@pytest.fixture
async def access(tmp_path: Path) -> Access:
    """A library with two documents."""
    folder = write(tmp_path / "notes", {"otter.md": OTTER, "heron.md": HERON})
    for file in folder.iterdir():
        os.utime(file, (10**9, 10**9))
    async with adding(tmp_path / "l") as (adder, _):
        await adder.add_folder(folder)
    return Access(base_url=provider.base_url, options={"path": str(tmp_path / "l")})


@asynccontextmanager
async def search_context(
    chosen: Settings, access: Access, server: Loopback | None = None
) -> AsyncIterator[SearchContext]:
    def find(name: str) -> Endpoint:
        if name == "library":
            return Endpoint(name=name, provider=provider, access=access)
        assert server is not None
        return Endpoint(name=name, provider=registry.get(name), access=Access(base_url=server.url))

    cache = MemoryCache(max_entries=9, max_bytes=99_999)
    async with (
        Client(chosen.network) as client,
        SearchContext(chosen, client, find=find, cache=cache) as m,
    ):
        yield m


def chosen(**values: Json) -> Settings:
    names = ["library", "tavily"]
    return settings(search_provider=names, read={"respect_robots": False}, **values)


def test_it_searches_and_reads_and_needs_no_key() -> None:
    assert [*abilities(provider)] == ["search", "read"]
    assert provider.key_variable is None


async def test_a_search_gives_documents_with_their_date(access: Access) -> None:
    assert await provider.search(SearchQuery(text="sleep hands"), access) == [OTTER_HIT]


async def test_a_search_for_what_is_new_leaves_out_old_documents(access: Access) -> None:
    assert await provider.search(SearchQuery(text="otters", time_range="y"), access) == []


async def test_a_document_is_read_whole(access: Access) -> None:
    page = await provider.read_url(OTTER_URL, access)

    said = OTTER.strip()
    assert page == Page(url=OTTER_URL, title="Sea otters", content=said, original_length=len(said))


async def test_a_page_that_it_does_not_have_is_told_and_no_failure(access: Access) -> None:
    url = "https://example.org/"

    assert await provider.read_url(url, access) == Page(
        url=url, success=False, error="the library has no document at this address"
    )


async def test_where_there_is_no_library_it_says_how_to_make_one(tmp_path: Path) -> None:
    nowhere = Access(base_url=provider.base_url, options={"path": str(tmp_path / "none")})

    with pytest.raises(ConfigError, match="groundwire library add FOLDER"):
        await provider.search(SearchQuery(text="otters"), nowhere)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"index": "lucene"}, "options.index: 'lucene' is none of tantivy and fts5"),
        ({"paths": "x"}, "options: 'paths' is none of path, index, delay_seconds"),
    ],
)
async def test_options_that_are_none_are_named(options: dict[str, Json], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        await provider.search(
            SearchQuery(text="x"), Access(base_url=provider.base_url, options=options)
        )


@pytest.mark.usefixtures("access")
async def test_without_an_option_the_library_is_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "l").rename(tmp_path / "library.sqlite3")
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    at_home = Access(base_url=provider.base_url)

    assert await provider.search(SearchQuery(text="sleep hands"), at_home) == [OTTER_HIT]


async def test_in_a_chain_the_web_is_asked_where_there_is_no_library(tmp_path: Path) -> None:
    nowhere = Access(base_url=provider.base_url, options={"path": str(tmp_path / "none")})
    async with (
        serve(hits("https://a.org/")) as server,
        search_context(chosen(), nowhere, server) as shared,
    ):
        found = await SearchChain(shared).find(SearchQuery(text="otters"))

    assert (found.service, found.results) == ("tavily", (WEB_HIT,))
    assert [attempt.code for attempt in found.attempts] == ["config"]


async def test_library_and_web_are_searched_together(access: Access) -> None:
    both = chosen(search={"together": True})
    async with (
        serve(hits("https://a.org/", "http://library.test/notes/otter.md")) as server,
        search_context(both, access, server) as shared,
    ):
        found = await SearchChain(shared).find(SearchQuery(text="hands sleep"))

    assert found == SearchReply(
        service="library and tavily", results=(OTTER_HIT, WEB_HIT), filters_applied=("limit",)
    )


async def test_together_the_one_that_fails_is_told(access: Access) -> None:
    both = chosen(search={"together": True})
    async with serve(failure("401 No")) as server, search_context(both, access, server) as shared:
        found = await SearchChain(shared).find(SearchQuery(text="hands sleep"))

    assert (found.service, found.results) == ("library", (OTTER_HIT,))
    assert [(attempt.service, attempt.code) for attempt in found.attempts] == [("tavily", "auth")]


async def test_a_search_of_the_library_is_never_an_old_one(access: Access, tmp_path: Path) -> None:
    async with search_context(chosen(), access) as shared:
        chain = SearchChain(shared, "library")
        before = await chain.search("otters")
        async with adding(tmp_path / "l") as (_, library):
            library.remove(library.documents())
        after = await chain.search("otters")

    assert ([hit.url for hit in before], after) == ([OTTER_URL], [])


async def test_what_the_library_has_is_read_there_and_the_rest_elsewhere(access: Access) -> None:
    elsewhere = settings(read_provider=["library", "jina"], read={"respect_robots": False})
    page = reply(b'{"data": {"url": "https://nowhere.test/", "content": "Gulls."}}')
    async with serve(page) as server, search_context(elsewhere, access, server) as shared:
        ours = await ReadChain(shared).read(OTTER_URL)
        other = await ReadChain(shared).read("https://nowhere.test/")

    missing = Attempt(
        service="library", code="unreadable", reason="the library has no document at this address"
    )
    assert (ours.service, ours.page.content, ours.attempts) == ("library", OTTER.strip(), ())
    assert (other.service, other.page.content, other.attempts) == ("jina", "Gulls.", (missing,))


async def test_a_document_goes_from_search_to_citation(access: Access) -> None:
    only = settings(
        search_provider="library", read_provider="library", read={"respect_robots": False}
    )

    async def silent(_: str) -> None:
        return None

    async with search_context(only, access) as shared:
        web_search, open_page = web_tools(shared, Ledger())
        found = await web_search.run({"query": "dense fur of otters"}, silent)
        opened = await open_page.run({"url": found.data["results"][0]["url"]}, silent)

    assert found.plain["sources"] == [{"citation_id": 1, "url": OTTER_URL, "title": "Sea otters"}]
    assert (opened.plain["url"], opened.plain["content"]) == (OTTER_URL, OTTER.strip())
    assert opened.data["provenance"]["citation_id"] == 1
