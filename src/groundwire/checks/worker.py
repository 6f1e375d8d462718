"""The process that compares: a page and claims in, what each came to out.

It keeps the last pages indexed, since the claims of an answer come one after the other.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from groundwire.checks.check import Check, NotCompared
from groundwire.checks.citation import CitationCheck, to_json
from groundwire.checks.page import check_claim, find_in, index_page, passages_near
from groundwire.checks.quotes import Fit
from groundwire.system.worker_loop import answer_requests

if TYPE_CHECKING:
    from groundwire.checks.page import PageIndex
    from groundwire.model import Json

_MAX_PAGES = 16
_pages: OrderedDict[tuple[str, bool], PageIndex] = OrderedDict()


def answer(request: Json, body: bytes) -> Json:
    """Compare the claims of a request with the page in its body, or say of it what a judge asks."""
    try:
        page = _indexed(request, body)
        if "passages_for" in request:
            return passages_near(request["passages_for"], page)
        if "words" in request:
            return find_in(page, request["words"]).fit is Fit.LETTER
        return [to_json(_checked(each, page)) for each in request["claims"]]
    except (MemoryError, RecursionError):
        _pages.clear()
        if "claims" not in request:
            return None
        too_long = Check(not_compared=NotCompared.TOO_LONG)
        return [to_json(_citation(each, too_long)) for each in request["claims"]]


def _checked(claim: Json, page: PageIndex) -> CitationCheck:
    check = check_claim(
        claim["claim"], page, quote=claim.get("quote", ""), context=claim.get("context", "")
    )
    return _citation(claim, check)


def _citation(claim: Json, check: Check) -> CitationCheck:
    return CitationCheck(
        number=claim["number"],
        position=claim["position"],
        claim=claim["claim"],
        url=claim["url"],
        check=check,
    )


def _indexed(request: Json, body: bytes) -> PageIndex:
    key = request["page_hash"], request["has_pages"]
    page = _pages.get(key)
    if page is None:
        page = index_page(body.decode("utf-8", "surrogatepass"), has_pages=request["has_pages"])
        # What was cut before it came here goes on elsewhere.
        page.is_cut = page.is_cut or request["is_cut"]
    _pages[key] = page
    _pages.move_to_end(key)
    while len(_pages) > _MAX_PAGES:
        _pages.popitem(last=False)
    return page


if __name__ == "__main__":
    answer_requests(answer)
