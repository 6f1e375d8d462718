"""Searching with several services over real sockets."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from groundwire.cache import MemoryCache
from groundwire.errors import Attempt, SearchFailedError, SettingsError
from groundwire.model import SearchQuery, SearchReply, SearchResult
from groundwire.search import SearchChain
from tests.loopback import Script, reply, serve
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time
from tests.search.services import failure, hits, search_context, settings

OTTERS = SearchQuery(text="otters")
A = SearchResult(url="https://a.org/", title="Otter", snippet="Hands.")
SAID_NO = Attempt(
    service="tavily",
    code="auth",
    reason="tavily (HTTP 401): It says no; check the key with `groundwire keys test tavily`",
)
BOTH = settings(search_provider=["tavily", "searxng"])


async def test_the_first_service_that_can_answer_is_the_only_one_asked() -> None:
    async with (
        serve(hits("https://a.org/")) as first,
        serve(hits("https://b.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply == SearchReply(service="tavily", results=(A,), filters_applied=("limit",))
    assert len(second.requests) == 0


async def test_a_failure_asks_the_next_one_and_its_reason_is_told() -> None:
    async with (
        serve(failure("401 No")) as first,
        serve(hits("https://a.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply == SearchReply(
        service="searxng", results=(A,), filters_enforced=("limit",), attempts=(SAID_NO,)
    )


async def test_a_service_without_its_key_is_an_attempt_like_any_other() -> None:
    async with (
        serve(hits("https://a.org/")) as second,
        search_context(BOTH, {"tavily": None, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert [(attempt.service, attempt.code) for attempt in reply.attempts] == [
        ("tavily", "missing_key")
    ]


async def test_when_nobody_can_answer_every_reason_is_in_the_error() -> None:
    async with (
        serve(failure("401 No")) as first,
        serve(reply(b"<html>", status="403 No", content_type="text/html")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        with pytest.raises(SearchFailedError) as caught:
            await SearchChain(shared).search("otters")

    assert caught.value.attempts[0] == SAID_NO
    assert [attempt.code for attempt in caught.value.attempts] == ["auth", "refused"]
    assert "search.formats" in str(caught.value)


async def test_nothing_found_is_an_answer_and_the_next_one_is_not_asked() -> None:
    async with (
        serve(hits()) as first,
        serve(hits("https://a.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply == SearchReply(service="tavily", results=(), filters_applied=("limit",))


async def test_by_a_setting_nothing_found_asks_the_next_one_too() -> None:
    chosen = settings(search_provider=["tavily", "searxng"], search={"next_on_nothing": True})
    async with (
        serve(hits()) as first,
        serve(hits("https://a.org/")) as second,
        search_context(chosen, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply.results == (A,)
    assert [attempt.code for attempt in reply.attempts] == ["nothing_found"]


async def test_nothing_found_and_then_a_failure_is_nothing_found() -> None:
    chosen = settings(search_provider=["searxng", "tavily"], search={"next_on_nothing": True})
    async with (
        serve(hits()) as first,
        serve(failure("401 No")) as second,
        search_context(chosen, {"searxng": first, "tavily": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply == SearchReply(
        service="searxng", results=(), filters_enforced=("limit",), attempts=(SAID_NO,)
    )


async def test_one_name_is_a_chain_of_one_and_gives_a_plain_list() -> None:
    async with (
        serve(hits("https://a.org/", "https://b.org/")) as server,
        search_context(settings(), {"searxng": server}) as shared,
    ):
        results = await SearchChain(shared, "searxng").search("otters", limit=1)

    assert results == [A]


async def test_a_filter_that_is_none_is_refused_before_anyone_is_asked() -> None:
    async with serve(hits()) as server, search_context(BOTH, {"tavily": server}) as shared:
        with pytest.raises(SettingsError):
            await SearchChain(shared).find(replace(OTTERS, time_range="week"))

    assert server.requests == []


async def test_the_same_search_again_comes_from_the_cache_with_its_age() -> None:
    seconds = 0.0
    cache = MemoryCache(max_entries=9, max_bytes=9999, clock=lambda: seconds)
    async with (
        serve(hits("https://a.org/")) as server,
        search_context(settings(), {"tavily": server}, cache=cache) as shared,
    ):
        chain = SearchChain(shared, "tavily")
        first = await chain.find(OTTERS)
        seconds += 60
        second = await chain.find(OTTERS)
        seconds += 840
        third = await chain.find(OTTERS)

    assert (first.age_seconds, second, third.age_seconds) == (
        None,
        replace(first, age_seconds=60),
        None,
    )
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "other",
    [
        replace(OTTERS, text="Otters"),
        replace(OTTERS, limit=6),
        replace(OTTERS, domains=("a.org",)),
        replace(OTTERS, time_range="d"),
    ],
)
async def test_what_changes_the_answer_changes_the_key(other: SearchQuery) -> None:
    async with (
        serve(hits("https://a.org/")) as server,
        search_context(settings(), {"tavily": server}) as shared,
    ):
        chain = SearchChain(shared, "tavily")
        await chain.find(OTTERS)
        await chain.find(other)

    assert len(server.requests) == 2


@pytest.mark.parametrize("script", [failure("401 No"), hits()])
async def test_neither_an_error_nor_nothing_is_kept(script: Script) -> None:
    async with (
        serve(script, hits("https://a.org/")) as server,
        search_context(settings(), {"tavily": server}) as shared,
    ):
        chain = SearchChain(shared, "tavily")
        await asyncio.gather(chain.find(OTTERS), return_exceptions=True)
        reply = await chain.find(OTTERS)

    assert reply.results == (A,)


async def test_the_cache_can_be_turned_off() -> None:
    async with (
        serve(hits("https://a.org/")) as server,
        search_context(settings(cache={"kind": "off"}), {"tavily": server}) as shared,
    ):
        for _ in range(2):
            await SearchChain(shared, "tavily").find(OTTERS)

    assert len(server.requests) == 2


async def test_many_who_search_the_same_at_once_are_one_request() -> None:
    async with (
        serve(hits("https://a.org/")) as server,
        search_context(settings(), {"tavily": server}) as shared,
    ):
        chain = SearchChain(shared, "tavily")
        replies = await asyncio.gather(*(chain.find(OTTERS) for _ in range(20)))

    assert {reply.results for reply in replies} == {(A,)}
    assert len(server.requests) == 1


async def test_a_failing_service_is_left_alone_and_the_chain_says_until_when() -> None:
    async with (
        serve(failure("500 No")) as first,
        serve(hits("https://a.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        replies = [
            await SearchChain(shared).find(SearchQuery(text=f"otters {number}"))
            for number in range(5)
        ]

    assert len(first.requests) == 3
    assert "it is asked again in 5 s" in replies[-1].attempts[0].reason


async def test_a_wait_that_a_service_asks_for_holds_for_the_next_search() -> None:
    async with (
        serve(failure("429 No", **{"Retry-After": "120"})) as first,
        serve(hits("https://a.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        replies = [
            await SearchChain(shared).find(SearchQuery(text=f"otters {number}"))
            for number in range(2)
        ]

    assert len(first.requests) == 1
    assert [reply.attempts[0].code for reply in replies] == ["rate_limit", "rate_limit"]


@in_quiet_time
async def test_a_service_that_does_not_answer_gives_way_to_the_next() -> None:
    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    chosen = settings(search_provider=["tavily", "searxng"], search={"timeout_seconds": 5})
    async with (
        serve(hang) as first,
        serve(hits("https://a.org/")) as second,
        search_context(chosen, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared).find(OTTERS)

    assert reply.results == (A,)
    assert [attempt.code for attempt in reply.attempts] == ["timeout"]


async def test_when_the_last_one_who_waits_leaves_the_service_is_let_go() -> None:
    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    async with serve(hang) as server, search_context(settings(), {"tavily": server}) as shared:
        chain = SearchChain(shared, "tavily")
        asking = [asyncio.create_task(chain.find(OTTERS)) for _ in range(3)]
        await server.asked.wait()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await asyncio.wait_for(server.left.wait(), PATIENCE)

    assert len(server.requests) == 1


async def test_together_all_are_asked_and_their_results_take_turns() -> None:
    b = replace(A, url="https://b.org/")
    async with (
        serve(hits("https://a.org/", "https://c.org/")) as first,
        serve(hits("https://b.org/", "https://a.org/")) as second,
        search_context(BOTH, {"tavily": first, "searxng": second}) as shared,
    ):
        reply = await SearchChain(shared, together=True).find(replace(OTTERS, limit=2))

    assert (reply.service, reply.results) == ("tavily and searxng", (A, b))
    assert (reply.filters_applied, reply.filters_enforced) == ((), ("limit",))


async def test_together_only_the_failure_of_all_is_a_failure() -> None:
    chosen = settings(search_provider=["tavily", "searxng"], search={"together": True})
    async with (
        serve(failure("401 No")) as first,
        serve(failure("500 No")) as second,
        search_context(chosen, {"tavily": first, "searxng": second}) as shared,
    ):
        with pytest.raises(SearchFailedError) as caught:
            await SearchChain(shared).find(OTTERS)

    assert [attempt.service for attempt in caught.value.attempts] == ["tavily", "searxng"]
