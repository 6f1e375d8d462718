"""Several services' answers as one."""

from __future__ import annotations

from groundwire.errors import Attempt
from groundwire.model import SearchReply, SearchResult
from groundwire.search.merge import merged


def hit(url: str, title: str = "") -> SearchResult:
    return SearchResult(url=url, title=title)


def test_results_take_turns_and_a_page_comes_once() -> None:
    replies = [
        SearchReply(service="a", results=(hit("https://a/1"), hit("https://a/2"))),
        SearchReply(
            service="b",
            results=(hit("https://b/1"), hit("http://a/2/#x"), hit("http://a/2#x", "late")),
        ),
    ]

    reply = merged(replies, limit=4)

    assert reply == SearchReply(
        service="a and b",
        results=(hit("https://a/1"), hit("https://b/1"), hit("https://a/2"), hit("http://a/2/#x")),
    )


def test_a_filter_is_applied_if_all_applied_it_and_ignored_if_one_did() -> None:
    replies = [
        SearchReply(
            service="a",
            results=(),
            filters_applied=("limit", "domains"),
            filters_ignored=("time_range",),
            removed=1,
            age_seconds=3,
        ),
        SearchReply(
            service="b",
            results=(),
            filters_applied=("limit", "time_range"),
            filters_enforced=("domains",),
            removed=2,
            notes=("one engine is silent",),
        ),
    ]
    failed = Attempt(service="c", code="auth", reason="no")

    reply = merged(replies, 5, [failed])

    assert reply == SearchReply(
        service="a and b",
        results=(),
        filters_applied=("limit",),
        filters_enforced=("domains",),
        filters_ignored=("time_range",),
        removed=3,
        notes=("b: one engine is silent",),
        attempts=(failed,),
        age_seconds=3,
    )


def test_what_was_merged_is_as_old_as_its_oldest_part() -> None:
    ages = (None, 3.0, 50.0, 7.0)
    replies = [SearchReply(service="a", results=(), age_seconds=age) for age in ages]

    assert merged(replies, limit=5).age_seconds == 50.0
    assert merged(replies[:1], limit=5).age_seconds is None
