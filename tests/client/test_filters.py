"""Filters of a search: what is asked, what is applied again, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from groundwire import registry
from groundwire.client import Client, HttpSearchProvider, filters
from groundwire.errors import SettingsError, UnsupportedError
from groundwire.guard import DomainPolicy
from groundwire.model import SearchQuery, SearchReply, SearchResult
from groundwire.wire.contract import Access, Endpoint, Provider

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Knows(Provider):
    """Applies every filter."""

    filters = frozenset({"limit", "domains", "time_range"})
    max_domains = 2


class KnowsNothing(Provider):
    """Applies no filter."""


def hit(url: str, published: str = "") -> SearchResult:
    return SearchResult(url=url, title="", published=published)


def urls(reply: SearchReply) -> list[str]:
    return [result.url for result in reply.results]


def filtered(
    results: list[SearchResult], query: SearchQuery, provider: type[Provider] = Knows
) -> SearchReply:
    return filters.filtered(results, query, provider=provider(), now=NOW)


def test_results_of_other_domains_are_left_out_at_a_labels_border() -> None:
    query = SearchQuery(text="otters", limit=9, domains=("a.org", "*.b.org"))
    results = [
        hit("https://a.org/1"),
        hit("https://www.a.org/2"),
        hit("https://nota.org/"),
        hit("https://a.org.evil.example/"),
        hit("https://evil.example/?a.org"),
        hit("https://a.org@evil.example/"),
        hit("https://b.org/"),
        hit("https://x.b.org:8000/"),
    ]

    assert urls(filtered(results, query)) == [
        "https://a.org/1",
        "https://www.a.org/2",
        "https://x.b.org:8000/",
    ]


def test_what_is_no_web_page_is_left_out() -> None:
    results = [
        hit("javascript:alert(1)"),
        hit(""),
        hit("https://"),
        hit("http://[a"),
        hit("http://a.org/"),
    ]

    reply = filtered(results, SearchQuery(text="x"))

    assert (urls(reply), reply.removed) == (["http://a.org/"], 4)


def test_more_than_was_asked_for_is_cut_off() -> None:
    results = [hit(f"https://a.org/{number}") for number in range(5)]

    reply = filtered(results, SearchQuery(text="x", limit=2))

    assert (urls(reply), reply.removed) == (["https://a.org/0", "https://a.org/1"], 0)


def test_what_is_known_to_be_too_old_is_left_out() -> None:
    results = [
        hit("https://a.org/new", "2026-11-14T08:00:00Z"),
        hit("https://a.org/old", "2026-10-01"),
        hit("https://a.org/unknown", ""),
    ]

    reply = filtered(results, SearchQuery(text="x", time_range="w"))

    assert urls(reply) == ["https://a.org/new", "https://a.org/unknown"]


@pytest.mark.parametrize(
    ("provider", "published", "query", "said"),
    [
        (Knows, "", SearchQuery(text="x"), (("limit",), (), ())),
        (KnowsNothing, "", SearchQuery(text="x"), ((), ("limit",), ())),
        (
            Knows,
            "",
            SearchQuery(text="x", domains=("a.org",), time_range="d"),
            (("limit", "domains", "time_range"), (), ()),
        ),
        (
            KnowsNothing,
            "",
            SearchQuery(text="x", domains=("a.org",), time_range="d"),
            ((), ("limit", "domains"), ("time_range",)),
        ),
        (
            KnowsNothing,
            "2026-11-15",
            SearchQuery(text="x", time_range="d"),
            ((), ("limit", "time_range"), ()),
        ),
        (
            Knows,
            "",
            SearchQuery(text="x", domains=("a.org", "b.org")),
            (("limit", "domains"), (), ()),
        ),
        (
            Knows,
            "",
            SearchQuery(text="x", blocked_domains=("b.org",)),
            (("limit",), ("domains",), ()),
        ),
        (
            Knows,
            "",
            SearchQuery(text="x", domains=("a.org", "b.org", "c.org")),
            (("limit",), ("domains",), ()),
        ),
    ],
)
def test_the_reply_says_who_applied_each_filter(
    provider: type[Provider], published: str, query: SearchQuery, said: tuple[object, ...]
) -> None:
    reply = filtered([hit("https://a.org/", published)], query, provider)

    assert (reply.filters_applied, reply.filters_enforced, reply.filters_ignored) == said


def test_a_service_gets_a_list_of_domains_only_as_long_as_it_can_use() -> None:
    short = SearchQuery(text="x", domains=("a.org", "*.b.org"))
    long = SearchQuery(text="x", domains=("a.org", "b.org", "c.org"))

    assert filters.asked_of(Knows(), short) == SearchQuery(
        text="x", limit=10, domains=("a.org", "b.org")
    )
    assert filters.asked_of(Knows(), long) == SearchQuery(text="x", limit=20)


def test_more_is_asked_for_where_only_we_sort_out_other_domains() -> None:
    query = SearchQuery(text="x", limit=3, domains=("a.org",))

    assert filters.asked_of(KnowsNothing(), query) == SearchQuery(
        text="x", limit=20, domains=("a.org",)
    )


def test_domains_are_spelled_as_hosts_are_and_a_star_means_anywhere() -> None:
    assert filters.checked(SearchQuery(text="x", domains=("Bücher.example",))).domains == (
        "xn--bcher-kva.example",
    )
    assert filters.checked(SearchQuery(text="x", domains=("*", "a.org"))).domains == ()


@pytest.mark.parametrize(
    "query",
    [
        SearchQuery(text="x", domains=("https://a.org",)),
        SearchQuery(text="x", time_range="week"),
        SearchQuery(text="x", limit=0),
        SearchQuery(text=" \n"),
    ],
)
def test_a_query_that_cannot_be_asked_like_this_is_refused(query: SearchQuery) -> None:
    with pytest.raises(SettingsError):
        filters.checked(query)


@pytest.mark.parametrize(
    ("published", "day"),
    [
        ("2026-01-02", "2026-01-02"),
        ("2026-01-02T03:04:05.000Z", "2026-01-02"),
        ("Fri, 02 Jan 2026 08:00:00 GMT", "2026-01-02"),
        ("January 2, 2026", "2026-01-02"),
        ("2 Jan 2026", "2026-01-02"),
        ("3 days ago", "2026-11-12"),
        ("an hour ago", "2026-11-15"),
        ("5 minutes ago", "2026-11-15"),
        ("a week ago", "2026-11-08"),
        ("2 weeks ago", "2026-11-01"),
        ("a month ago", "2026-10-16"),
        ("1 year ago", "2025-11-15"),
        ("99999999999 years ago", "1753-01-30"),
        ("", None),
        ("recently", None),
    ],
)
def test_dates_are_read_in_each_services_wording(published: str, day: str | None) -> None:
    found = filters.date_of(published, NOW)

    assert (found and found.date().isoformat()) == day


class Remembers(KnowsNothing):
    """Answers with pages of two domains and remembers the query."""

    def __init__(self, remember: Callable[[SearchQuery], None]) -> None:
        self._remember = remember

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:  # noqa: ARG002
        self._remember(query)
        return [hit("https://b.org/"), hit("https://a.org/1"), hit("https://a.org/2")]


async def test_a_search_applies_what_the_service_did_not() -> None:
    asked: list[SearchQuery] = []
    endpoint = Endpoint(name="own", provider=Remembers(asked.append), access=Access(base_url=""))

    async with Client() as client:
        provider = HttpSearchProvider(endpoint, client)
        results = await provider.search("otters", limit=1, domains=("a.org",))

    assert results == [hit("https://a.org/1")]
    assert asked == [SearchQuery(text="otters", limit=20, domains=("a.org",))]


@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("brave", {"limit", "domains", "time_range"}),
        ("duckduckgo", {"domains", "time_range"}),
        ("exa", {"limit", "domains", "time_range"}),
        ("perplexity", {"limit", "domains", "time_range"}),
        ("searxng", {"time_range"}),
        ("tavily", {"limit", "domains", "time_range"}),
    ],
)
def test_each_service_says_which_filters_it_applies(name: str, filters: set[str]) -> None:
    assert registry.get(name).filters == filters


@pytest.mark.parametrize(("time_range", "days"), [("d", 1), ("w", 7), ("m", 31), ("y", 366)])
def test_a_result_is_too_old_a_day_after_the_time_that_was_asked_for(
    time_range: str, days: int
) -> None:
    oldest = NOW - timedelta(days=days + 1)
    results = [
        hit("https://a.org/oldest", oldest.isoformat()),
        hit("https://a.org/older", (oldest - timedelta(seconds=1)).isoformat()),
    ]

    reply = filtered(results, SearchQuery(text="x", time_range=time_range))

    assert urls(reply) == ["https://a.org/oldest"]


async def test_a_provider_that_does_not_search_says_so() -> None:
    endpoint = Endpoint(name="knows", provider=KnowsNothing(), access=Access(base_url="http://a"))
    async with Client() as client:
        with pytest.raises(UnsupportedError, match="knows"):
            await HttpSearchProvider(endpoint, client).search("otters")


def test_results_of_blocked_domains_are_left_out() -> None:
    results = [hit("https://a.org/"), hit("https://b.org/"), hit("https://c.a.org/")]

    blocked = filtered(results, SearchQuery(text="x", blocked_domains=("c.a.org",)))
    both = filtered(
        results, SearchQuery(text="x", domains=("a.org",), blocked_domains=("c.a.org",))
    )

    assert urls(blocked) == ["https://a.org/", "https://b.org/"]
    assert urls(both) == ["https://a.org/"]


@pytest.mark.parametrize(
    ("query", "limit"),
    [
        (SearchQuery(text="x", limit=3), 3),
        (SearchQuery(text="x", limit=3, blocked_domains=("b.org",)), 10),
        (SearchQuery(text="x", limit=30, blocked_domains=("b.org",)), 30),
        (SearchQuery(text="x", limit=30, domains=("a.org",)), 30),
        (SearchQuery(text="x", limit=3, domains=("a.org",)), 10),
    ],
)
def test_more_is_asked_for_only_where_some_may_be_left_out(query: SearchQuery, limit: int) -> None:
    assert filters.asked_of(Knows(), query).limit == limit


def test_one_result_can_be_asked_for() -> None:
    assert filters.checked(SearchQuery(text="x", limit=1)).limit == 1


ONLY_A = DomainPolicy(allowed=("a.org",), blocked=("x.a.org",))


@pytest.mark.parametrize(
    ("domains", "blocked", "expected"),
    [
        ((), (), (("a.org",), ("x.a.org",))),
        (("b.a.org", "c.org"), (), (("b.a.org",), ("x.a.org",))),
        (("a.org",), ("y.a.org",), (("a.org",), ("x.a.org", "y.a.org"))),
    ],
)
def test_a_query_looks_for_nothing_outside_a_policy(
    domains: tuple[str, ...], blocked: tuple[str, ...], expected: tuple[tuple[str, ...], ...]
) -> None:
    query = SearchQuery(text="x", domains=domains, blocked_domains=blocked)

    narrowed = filters.narrowed(query, ONLY_A)

    assert (narrowed.domains, tuple(sorted(narrowed.blocked_domains))) == expected


@pytest.mark.parametrize(
    ("domains", "blocked", "what"),
    [(("b.org", "c.org"), (), "b.org, c.org"), ((), ("a.org",), "the web")],
)
def test_a_query_of_which_nothing_is_allowed_is_refused(
    domains: tuple[str, ...], blocked: tuple[str, ...], what: str
) -> None:
    query = SearchQuery(text="x", domains=domains, blocked_domains=blocked)

    with pytest.raises(SettingsError, match=f"nothing of {what} is allowed"):
        filters.narrowed(query, ONLY_A)


def test_a_date_with_a_zone_keeps_it_and_one_without_is_universal() -> None:
    found = [filters.date_of(f"2026-01-02T03:00:00{zone}", NOW) for zone in ("+05:00", "")]

    assert [each and each.isoformat() for each in found] == [
        "2026-01-02T03:00:00+05:00",
        "2026-01-02T03:00:00+00:00",
    ]


async def test_five_results_are_what_a_search_gives_unless_told_otherwise() -> None:
    class Many(KnowsNothing):
        async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
            del query, access
            return [hit(f"https://a.org/{number}") for number in range(9)]

    endpoint = Endpoint(name="own", provider=Many(), access=Access(base_url=""))
    async with Client() as client:
        provider = HttpSearchProvider(endpoint, client)
        found = [await provider.search("otters"), await provider.search("otters", limit=7)]

    assert [len(each) for each in found] == [5, 7]
