"""Citations are compared beside the stream, within their limits, and nothing raises into it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from aiohttp import web

from groundwire import citations, guard
from groundwire.chat.citation_checker import CitationChecker
from groundwire.chat.cited_claims import cited_claims
from groundwire.chat.cited_pages import CitedPages, cited_page
from groundwire.chat.comparer import Comparer
from groundwire.chat.events import MarkerShown, SourceNumbered, TextShown
from groundwire.checks import MAX_CHARACTERS, CitationCheck, Fit, NotCompared, hash_of
from groundwire.citations import Marked, Source
from groundwire.config.settings.check_table import CheckSettings
from groundwire.guard import DomainPolicy
from groundwire.model import Citation, Evidence, Json, Page
from groundwire.search import ReadChain
from tests.chat.cited_web import OTTER, SITE, Answer, CitedWeb, serving

FUR = "A square centimetre holds up to 150,000 hairs."
KELP = "Resting sea otters wrap themselves in kelp."
INVENTED = "A square centimetre holds up to 999,000 hairs."


def _source(number: int, path: str) -> Source:
    return Source(
        number=number, url=f"{SITE}{path}", title="", domain="a.example", evidence=Evidence.CITED
    )


def _marked(*said: tuple[str, tuple[str, ...]]) -> Marked:
    """Return an answer of sentences, each with the paths that it cites."""
    text, cited = "", []
    for words, paths in said:
        start = len(text) + (1 if text else 0)
        text = f"{text} {words}".strip()
        cited += [Citation(url=f"{SITE}{path}", start=start, end=len(text)) for path in paths]
    return citations.place(text, cited)


@dataclass(frozen=True, kw_only=True)
class Setting:
    checker: CitationChecker
    web: CitedWeb
    comparer: Comparer

    async def finish(self, marked: Marked) -> list[CitationCheck]:
        """End the answer and wait for all of its checks."""
        self.checker.finish(marked)
        progress = await self.checker.progress()
        while not progress.is_over:
            progress = await self.checker.progress(progress.seen)
        return [*self.checker.checks]


@asynccontextmanager
async def checking(
    pages: Mapping[str, str | Answer],
    *,
    policy: DomainPolicy = guard.ANYWHERE,
    limits: CheckSettings | None = None,
    seconds: float = 10,
    **values: Json,
) -> AsyncIterator[Setting]:
    async with serving(pages, **values) as (search_context, played):
        cited = CitedPages(ReadChain(search_context, policy=policy).read, limits or CheckSettings())
        comparer = Comparer(seconds=seconds)
        checker = CitationChecker("message", cited, comparer)
        try:
            yield Setting(checker=checker, web=played, comparer=comparer)
        finally:
            await checker.close()
            await comparer.close()


def _reasons(checks: list[CitationCheck]) -> list[NotCompared | None]:
    return [each.check.not_compared for each in checks]


async def test_a_cited_page_is_read_and_compared_while_the_answer_goes_on() -> None:
    async with checking({"/otter": OTTER}) as setting:
        setting.checker.take([TextShown(FUR), SourceNumbered(source=_source(1, "/otter"))])
        before = setting.checker.ready()
        setting.checker.take([MarkerShown(position=len(FUR), numbers=(1,))])
        await setting.checker.progress()
        (told,) = setting.checker.ready()

    found = told.citation
    assert before == []
    assert (told.message_id, found.number, found.position) == ("message", 1, len(FUR))
    assert (found.claim, found.url) == (FUR, f"{SITE}/otter")
    assert found.check.quote is not None
    assert found.check.quote.fit is Fit.LETTER
    assert found.page_hash == hash_of(OTTER)
    assert found.checked_at is not None


async def test_what_is_not_on_the_page_is_said() -> None:
    async with checking({"/otter": OTTER}) as setting:
        (found,) = await setting.finish(_marked((INVENTED, ("/otter",))))

    assert found.check.missing_numbers == ("999,000",)


async def test_a_page_that_was_opened_is_not_asked_for_again() -> None:
    opened = cited_page(Page(url=f"{SITE}/otter", title="Otter", content=OTTER))
    limits = CheckSettings(pages="opened")
    async with checking({"/otter": OTTER}, limits=limits) as setting:
        setting.checker.pages.add(f"{SITE}/otter", opened)
        found = await setting.finish(_marked((FUR, ("/otter",)), (KELP, ("/kelp",))))

    assert _reasons(found) == [None, NotCompared.NOT_OPENED]
    assert setting.web.asked == []


async def test_a_claim_with_several_sources_is_compared_with_each() -> None:
    pages = {"/otter": OTTER, "/other": OTTER.replace("150,000", "90,000")}
    async with checking(pages) as setting:
        one, other = await setting.finish(_marked((FUR, ("/otter", "/other"))))

    assert (one.number, one.check.missing_numbers) == (1, ())
    assert (other.number, other.check.missing_numbers) == (2, ("150,000",))
    assert one.position == other.position


async def test_a_marker_that_comes_again_has_only_its_new_numbers_compared() -> None:
    async with checking({"/otter": OTTER, "/other": OTTER}) as setting:
        sources = [SourceNumbered(source=_source(n, p)) for n, p in ((1, "/otter"), (2, "/other"))]
        setting.checker.take([TextShown(FUR), *sources])
        setting.checker.take([MarkerShown(position=len(FUR), numbers=(1,))])
        await setting.checker.progress()
        setting.checker.take([MarkerShown(position=len(FUR), numbers=(1, 2))])
        await setting.checker.progress(1)

    assert [each.citation.number for each in setting.checker.ready()] == [1, 2]


async def test_what_the_answer_says_otherwise_at_its_end_is_compared_again() -> None:
    shown = "hairs."
    async with checking({"/otter": OTTER}) as setting:
        setting.checker.take([TextShown(shown), SourceNumbered(source=_source(1, "/otter"))])
        setting.checker.take([MarkerShown(position=len(shown), numbers=(1,))])
        await setting.checker.progress()
        checks = await setting.finish(_marked((INVENTED, ("/otter",))))

    assert [each.claim for each in checks] == [INVENTED]
    assert [each.citation.claim for each in setting.checker.ready()] == [shown, INVENTED]
    assert setting.web.asked == ["/otter"]
    assert setting.checker.pending == 0


async def test_what_stays_as_it_was_streamed_is_not_compared_again() -> None:
    marked = _marked((FUR, ("/otter",)))
    (claim,) = cited_claims(marked)
    async with checking({"/otter": OTTER}) as setting:
        setting.checker.take([TextShown(FUR), SourceNumbered(source=_source(1, "/otter"))])
        setting.checker.take([MarkerShown(position=claim.position, numbers=(1,))])
        await setting.checker.progress()
        await setting.finish(marked)

    assert len(setting.checker.ready()) == 1


async def test_a_page_that_hangs_is_not_compared_and_holds_up_no_other() -> None:
    limits = CheckSettings(seconds=1)
    pages: dict[str, str | Answer] = {"/otter": OTTER}
    async with checking(pages, limits=limits) as setting:
        pages["/hangs"] = setting.web.hang
        checks = await setting.finish(_marked((KELP, ("/hangs",)), (FUR, ("/otter",))))

    assert _reasons(checks) == [NotCompared.TIMEOUT, None]


async def test_no_more_pages_are_read_than_the_limit_says() -> None:
    pages = {f"/{number}": OTTER for number in range(4)}
    async with checking(pages, limits=CheckSettings(max_pages=2)) as setting:
        checks = await setting.finish(_marked(*((FUR, (path,)) for path in pages)))

    assert _reasons(checks) == [None, None, NotCompared.LIMIT, NotCompared.LIMIT]
    assert sorted(setting.web.asked) == ["/0", "/1"]


async def test_only_a_few_pages_of_an_answer_are_read_at_once() -> None:
    paths = [f"/{number}" for number in range(8)]
    pages: dict[str, str | Answer] = {}
    async with checking(pages, rate_limits={"host_concurrency": 8}) as setting:
        pages |= dict.fromkeys(paths, setting.web.hang)
        setting.checker.finish(_marked(*((FUR, (path,)) for path in paths)))
        for _ in range(3):
            await setting.web.arrivals.get()
        setting.web.release.set()
        progress = await setting.checker.progress()
        while not progress.is_over:
            progress = await setting.checker.progress(progress.seen)

    assert setting.web.most_open <= 3
    assert len(setting.checker.checks) == 8


async def _loop(request: web.Request) -> web.StreamResponse:
    raise web.HTTPFound(f"{SITE}{request.path}?again={len(request.query_string)}")


async def _robots(_: web.Request) -> web.StreamResponse:
    return web.Response(text="User-agent: *\nDisallow: /private/\n")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", NotCompared.UNREADABLE),
        ("/loop", NotCompared.UNREADABLE),
        ("/private/otter", NotCompared.ROBOTS),
        ("/notice", NotCompared.BLOCKED),
        ("/empty", NotCompared.UNREADABLE),
    ],
)
async def test_a_page_that_cannot_be_compared_says_why(path: str, reason: NotCompared) -> None:
    pages: dict[str, str | Answer] = {
        "/loop": _loop,
        "/robots.txt": _robots,
        "/private/otter": OTTER,
        "/notice": "Attention required. Please verify you are human to go on to this site.",
        "/empty": " ",
    }
    async with checking(pages) as setting:
        checks = await setting.finish(_marked((FUR, (path,))))

    assert _reasons(checks) == [reason]


async def test_a_page_outside_the_domains_is_not_read() -> None:
    policy = DomainPolicy(allowed=("b.example",))
    async with checking({"/otter": OTTER}, policy=policy) as setting:
        checks = await setting.finish(_marked((FUR, ("/otter",))))

    assert _reasons(checks) == [NotCompared.POLICY]
    assert setting.web.asked == []


async def test_a_comparison_that_takes_too_long_is_stopped_and_the_next_one_works() -> None:
    long = f"{OTTER}\n\n" * 1_500
    async with checking({"/long": long, "/otter": OTTER}, seconds=0.001) as setting:
        first = await setting.finish(_marked((FUR, ("/long",))))
        setting.comparer._worker._seconds = 30
        second = await setting.finish(_marked((KELP, ("/otter",))))

    assert _reasons(first) == [NotCompared.TIMEOUT]
    assert _reasons(second) == [None]


async def test_of_a_page_longer_than_is_compared_only_its_part_is_spoken_of() -> None:
    long = f"{OTTER}\n\n" + "Nothing of note stands here at all. " * 20_000
    async with checking({"/long": long}) as setting:
        (found,) = await setting.finish(_marked((INVENTED, ("/long",))))

    assert found.check.is_cut
    assert found.check.missing_numbers == ("999,000",)


async def test_a_closed_checker_leaves_nothing_running() -> None:
    pages: dict[str, str | Answer] = {}
    async with checking(pages) as setting:
        pages["/hangs"] = setting.web.hang
        setting.checker.finish(_marked((FUR, ("/hangs",))))
        await setting.web.arrivals.get()
        await setting.checker.close()

    assert setting.checker.checks == ()
    assert setting.checker.pending == 1


async def test_a_page_of_ten_megabytes_is_compared_as_far_as_it_is_read() -> None:
    async def huge(_: web.Request) -> web.StreamResponse:
        return web.Response(text=f"{OTTER}\n\n" + "Nothing of note stands here. " * 350_000)

    async with checking({"/huge": huge}) as setting:
        (found,) = await setting.finish(_marked((INVENTED, ("/huge",))))

    assert found.check.not_compared is None
    assert found.check.is_cut
    page = setting.checker.page_of(found)
    assert page is not None
    assert len(page.text) == MAX_CHARACTERS


async def test_a_page_that_changes_is_compared_as_it_was_opened() -> None:
    opened = cited_page(Page(url=f"{SITE}/otter", content=OTTER))
    pages: dict[str, str | Answer] = {"/otter": OTTER.replace("150,000", "90,000")}
    async with checking(pages) as setting:
        setting.checker.pages.add(f"{SITE}/otter", opened)
        (found,) = await setting.finish(_marked((FUR, ("/otter",))))

    assert found.check.missing_numbers == ()
    assert found.page_hash == opened.text_hash
    assert setting.web.asked == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1" * 400_000, id="digits"),
        pytest.param("]()" * 130_000, id="link ends"),
        pytest.param("Aa Bb " * 66_000, id="names"),
        pytest.param("- " * 200_000, id="dashes"),
        pytest.param("1,234 " * 66_000, id="numbers"),
        pytest.param("hundred and " * 33_000, id="number words"),
    ],
)
async def test_a_hostile_page_does_not_hold_up_the_loop(text: str) -> None:
    async with checking({"/hostile": text}, seconds=60) as setting:
        (found,) = await setting.finish(_marked((FUR, ("/hostile",))))

    assert found.check.not_compared is not NotCompared.TIMEOUT
