"""DuckDuckGo's page without scripts, as the `ddgs` library reads it."""

from __future__ import annotations

import html

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.services.hits import Wanted, without_sites
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    HTML,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    page_refusal,
    retry_headers,
)
from groundwire.sandbox.web import Hit
from groundwire.sandbox.wire import RefusalError

FORM_TYPE = "application/x-www-form-urlencoded"
SPANS = {"d": "day", "w": "week", "m": "month", "y": "year"}
FIRST_PAGE, LATER_PAGE = 10, 15
HOME = '<form action="/html/" method="post"><input name="q" type="text"></form>'
CHALLENGE = (
    '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&amp;cc=sre" '
    'method="POST"><div class="anomaly-modal__mask"><div class="anomaly-modal__modal" '
    'data-testid="anomaly-modal"><div class="anomaly-modal__title">Please prove that you are '
    'no bot.</div><div class="anomaly-modal__description">Select all squares containing a duck '
    "and complete the challenge.</div></div></div></form>"
)
AD = (
    '<div class="result results_links results_links_deep result--ad"><div class="links_main '
    'links_deep result__body"><h2 class="result__title"><a class="result__a" '
    'href="https://duckduckgo.com/y.js?ad_domain=shop.example.com">Buy now</a></h2>'
    '<a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=shop.example.com">'
    "An advertisement.</a></div></div>"
)
REFUSALS: Refusals = {
    FaultName.RATE_LIMIT: (202, 403, 418, 429),
    FaultName.RATE_LIMIT_BARE: (202, 403, 418, 429),
    FaultName.FORBIDDEN: (403,),
    FaultName.BLOCKED: (200,),
    FaultName.SERVER_ERROR: COMMON_REFUSALS[FaultName.SERVER_ERROR],
    FaultName.OVERLOADED: COMMON_REFUSALS[FaultName.OVERLOADED],
}


class DuckDuckGo(Service):
    """Speaks the form of `/html/`."""

    name = "duckduckgo"
    refusals = REFUSALS

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        if status in {200, 202}:
            return page_refusal(status, _page("DuckDuckGo", CHALLENGE))
        headers = retry_headers(call) if status == 429 else {}
        return page_refusal(status, f"<html><h1>{status}</h1><p>Error</p></html>", headers)

    def answer(self, call: ServiceCall) -> ServiceReply:
        if call.action.rstrip("/") != "html" or call.method not in {"GET", "POST"}:
            raise page_refusal(404, _page("DuckDuckGo", "<p>Not found</p>"))
        is_form = call.headers.get("content-type", "").startswith(FORM_TYPE)
        asked = call.body or {} if call.method == "POST" and is_form else dict(call.query)
        query = str(asked.get("q", "")).strip()
        if not query:
            return _answer("DuckDuckGo", HOME)
        text, domains = without_sites(query)
        start = asked.get("s", "")
        offset = int(start) if str(start).isdecimal() else 0
        wanted = Wanted(
            text=text,
            limit=LATER_PAGE if offset else FIRST_PAGE,
            offset=offset,
            domains=domains,
            since=call.finder.since(SPANS.get(asked.get("df", ""))),
        )
        hits = call.finder.find(wanted)
        rows = "".join(map(_row, hits)) if hits else '<div class="no-results">No results.</div>'
        ad = AD if hits and not offset else ""
        return _answer(query, f'<div id="links" class="results">{ad}{rows}</div>')


def _answer(title: str, content: str) -> ServiceReply:
    return ServiceReply(body=_page(title, content).encode(), content_type=HTML)


def _page(title: str, content: str) -> str:
    head = f"<head><meta charset=utf-8><title>{html.escape(title)} at DuckDuckGo</title></head>"
    return f'<!doctype html>\n<html>{head}<body class="body--html">{content}</body></html>\n'


def _row(hit: Hit) -> str:
    url, title = html.escape(hit.page.url), html.escape(hit.page.title)
    first, _, rest = hit.passages[0].partition(" ")
    snippet = f"<b>{html.escape(first)}</b> {html.escape(rest)}"
    return (
        '<div class="result results_links results_links_deep web-result">'
        '<div class="links_main links_deep result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{url}">{title}</a>'
        f'</h2><div class="result__extras"><div class="result__extras__url">'
        f'<a class="result__url" href="{url}">{html.escape(hit.page.host)}</a></div></div>'
        f'<a class="result__snippet" href="{url}">{snippet}</a></div></div>'
    )
