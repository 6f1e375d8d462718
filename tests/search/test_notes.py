"""Answers that are not whole say so: in the reply, in the tool's result, and out of the cache."""

from __future__ import annotations

from groundwire.model import SearchQuery
from groundwire.sandbox import SandboxServer
from groundwire.search import ReadChain, SearchChain
from groundwire.testing import sandbox
from tests.fences import open_fences
from tests.tools.web import OTTER, browsing

__all__ = ["sandbox"]

SILENT = "these engines did not answer: duckduckgo (access denied)"
WARNING = "Jina warns: This page may be incomplete"


async def test_engines_that_failed_are_told_beside_the_results(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, fault="partial", search_provider="searxng") as browser:
        output = await browser.search()

    assert not output.is_error
    assert output.data["results"]
    assert f"Not all of it: {SILENT}." in open_fences(output.data["message"])
    assert SILENT in output.text


async def test_a_note_is_kept_with_the_search(sandbox: SandboxServer) -> None:
    query = SearchQuery(text="sea otter fur")
    async with browsing(sandbox=sandbox, fault="partial") as browser:
        chain = SearchChain(browser.search_context, "searxng")
        first, again = await chain.find(query), await chain.find(query)

    assert (first.notes, first.age_seconds) == ((SILENT,), None)
    assert again.notes == (SILENT,)
    assert again.age_seconds is not None


async def test_a_whole_answer_has_no_note(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox) as browser:
        reply = await SearchChain(browser.search_context, "searxng").find(SearchQuery(text="otter"))

    assert reply.notes == ()


async def test_a_warning_of_jina_is_told_beside_the_page(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, fault="partial", read_provider="jina") as browser:
        browser.ledger.allow(OTTER)
        output = await browser.open(OTTER)

    assert (output.data["status"], open_fences(output.data["message"])) == ("success", WARNING)
    assert open_fences(output.text).endswith(f"The page may not be whole: {WARNING}")


async def test_a_note_is_kept_with_the_page(sandbox: SandboxServer) -> None:
    async with browsing(sandbox=sandbox, fault="partial") as browser:
        chain = ReadChain(browser.search_context, names="jina")
        first, again = await chain.read(OTTER), await chain.read(OTTER)

    assert first.page == again.page
    assert again.page.notes == (WARNING,)
    assert again.age_seconds is not None
