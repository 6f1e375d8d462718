"""What chains share, made from the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.cache import CacheEntry, MemoryCache, NoCache, SqliteCache
from groundwire.client import Client
from groundwire.config.settings import CacheSettings
from groundwire.config.settings.chains import named
from groundwire.model import SearchQuery
from groundwire.search import SearchChain
from groundwire.search.cached_replies import load_page, load_search
from groundwire.search.search_context import open_cache
from tests.loopback import serve
from tests.search.services import hits, search_context, settings


@pytest.mark.parametrize(
    ("kind", "expected"), [("off", NoCache), ("memory", MemoryCache), ("sqlite", SqliteCache)]
)
async def test_the_settings_choose_the_cache(kind: str, expected: type[object]) -> None:
    cache = open_cache(CacheSettings.model_validate({"kind": kind}))

    assert type(cache) is expected


async def test_a_search_in_a_file_is_known_to_the_next_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    chosen = settings(cache={"kind": "sqlite"}, search_provider="tavily")
    ages = []
    async with serve(hits("https://a.org/")) as server:
        for _ in range(2):
            async with (
                Client() as client,
                search_context(chosen, {"tavily": server}, client=client) as own,
            ):
                found = await SearchChain(own).find(SearchQuery(text="otters"))
                ages.append(found.age_seconds is None)

    assert ages == [True, False]
    assert (tmp_path / "cache.sqlite3").exists()


@pytest.mark.parametrize("value", [b"", b"[]", b"7", b'{"page": {}}', b'{"results": [{}]}'])
def test_what_a_file_holds_that_is_not_ours_counts_as_nothing(value: bytes) -> None:
    entry = CacheEntry(value=value, age_seconds=0)

    assert load_page(entry) is None
    assert load_search(entry, 10) is None


def test_a_name_twice_is_asked_once() -> None:
    assert named(["tavily", "searxng", "tavily"]) == ("tavily", "searxng")
    assert named("tavily") == ("tavily",)
