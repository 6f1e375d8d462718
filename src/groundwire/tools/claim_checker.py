"""`check_claim`: a claim held against a page or a text, for a model that wants to cite it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from groundwire.checks import PageIndex, check_claim, index_page
from groundwire.search import ReadChain
from groundwire.tools.claim_contract import CheckClaimArguments
from groundwire.tools.claim_result import ClaimCheckResult, claim_result, claim_words
from groundwire.tools.fence import ModelText, Ours, for_model, web_address
from groundwire.tools.page_opener import Failed, PageOpener
from groundwire.tools.surfaces import ANY_URL, CONVERSATION
from groundwire.tools.tool import Consent, Tool, ToolOutput
from groundwire.tools.web import argument_words, parsed
from groundwire.tools.web_contract import schema_of, typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks import Check
    from groundwire.search import SearchContext
    from groundwire.tools.ledger import Ledger
    from groundwire.tools.surfaces import Surface
    from groundwire.tools.tool import Progress

_DESCRIPTION = (
    "Compare a claim with the page that it cites, before or after stating it: whether its words "
    "are quoted there, which of its numbers and names are not on the page, and which passage comes "
    "nearest. These are literal facts about words; whether the claim is right is for you to judge "
    "from the passage. Give url or text. {opens}"
)


def claim_tool(
    search_context: SearchContext, ledger: Ledger, *, surface: Surface = CONVERSATION
) -> Tool:
    """Return the tool; it opens what `open_page` would."""
    chain = ReadChain(search_context)
    opener = PageOpener(chain, ledger, max_length=0, surface=surface)
    checker = ClaimChecker(opener, ledger)
    opens = ANY_URL if ledger.is_open else surface.opens
    return Tool(
        name="check_claim",
        title="Compare a claim with its page",
        description=_DESCRIPTION.format(opens=opens),
        input_schema=schema_of(CheckClaimArguments),
        output_schema=schema_of(ClaimCheckResult),
        run=checker.check,
        consent=Consent(needed=checker.unknown, decide=ledger.decide),
        as_offered=lambda tool: tool if chain.is_configured() else None,
    )


class ClaimChecker:
    """Compares claims for one conversation."""

    def __init__(self, opener: PageOpener, ledger: Ledger) -> None:
        self._opener = opener
        self._ledger = ledger

    async def check(self, arguments: object, progress: Progress) -> ToolOutput:
        """Run `check_claim`."""
        try:
            given = parsed(CheckClaimArguments, arguments)
        except ValidationError as error:
            return _failure(for_model(Ours(f"invalid_arguments: {argument_words(error)}")))
        if given.text:
            check = check_claim(given.claim, PageIndex(given.text), quote=given.quote)
            return _output(check, "")
        await progress(f"Reading {given.url}")
        reply = await self._opener.read(given.url)
        if isinstance(reply, Failed):
            return _failure(reply.error)
        page = index_page(reply.page.content, has_pages=reply.page.metadata.pages is not None)
        return _output(check_claim(given.claim, page, quote=given.quote), reply.page.url)

    def unknown(self, arguments: object) -> Sequence[str]:
        """Return the URL in arguments that only the user could let be opened."""
        try:
            given = parsed(CheckClaimArguments, arguments)
        except ValidationError:
            return ()
        return [given.url] if given.url and self._ledger.needs_consent(given.url) else []


def _output(check: Check, url: str) -> ToolOutput:
    result = claim_result(check, url)
    said, *passage = claim_words(result)
    pieces = (said, web_address(url) if url else "", *passage)
    return ToolOutput(text=for_model(*pieces), data=typed(result))


def _failure(error: ModelText) -> ToolOutput:
    empty = ClaimCheckResult(state="not_compared", not_compared="unreadable")
    return ToolOutput(
        text=for_model(Ours("Error:"), error, has_notice=False),
        data={**typed(empty), "error": error},
        is_error=True,
    )
