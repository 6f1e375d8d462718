"""SearXNG: one's own metasearch server, in JSON and as a page."""

from __future__ import annotations

import html
from urllib.parse import quote_plus, urlparse

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.checks import Field, Problem, first_problem, numbers_of
from groundwire.sandbox.services.hits import SPANS, Wanted, without_sites
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    HTML,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
    page_refusal,
    retry_headers,
)
from groundwire.sandbox.web import Hit, names
from groundwire.sandbox.wire import RefusalError

PAGE_SIZE = 10
ENGINES = ("sandbox json", "sandbox html")
FAILED = (
    ["duckduckgo", "access denied"],
    ["brave", "too many requests"],
    ["startpage", "timeout"],
)
# Where a question goes that begins with two marks and one of these.
EXTERNAL_BANGS = {
    "g": "https://www.google.com/search?q=",
    "ddg": "https://duckduckgo.com/?q=",
    "w": "https://en.wikipedia.org/w/index.php?search=",
    "gh": "https://github.com/search?q=",
    "yt": "https://www.youtube.com/results?search_query=",
}
BANGS = names("!sbj !sbh !general !news !ddg !wp !go !br !images !it !science")
FIELDS = {
    "pageno": Field(kind=int, least=1),
    "safesearch": Field(kind=int, least=0, most=2),
    "time_range": Field(choices=frozenset(SPANS) - {"hour"}),
}
TITLES = {
    403: "Forbidden",
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
}
BROWSER_HEADERS = {"accept": "text/html", "accept-encoding": "gzip", "accept-language": ""}
REFUSALS: Refusals = {
    FaultName.RATE_LIMIT: (429,),
    FaultName.RATE_LIMIT_BARE: (429,),
    FaultName.BAD_REQUEST: (400,),
    FaultName.SERVER_ERROR: COMMON_REFUSALS[FaultName.SERVER_ERROR],
    FaultName.OVERLOADED: COMMON_REFUSALS[FaultName.OVERLOADED],
}


class SearXNG(Service):
    """Speaks SearXNG's `/search` and `/config`."""

    name = "searxng"
    refusals = REFUSALS
    faults = frozenset(
        {
            FaultName.BLOCKED,
            FaultName.PARTIAL,
            FaultName.ENGINES_FAILED,
            FaultName.LIMITER,
            FaultName.ODD_ROWS,
        }
    )

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        if status == 429:
            return page_refusal(429, "Too Many Requests", retry_headers(call), "text/plain")
        if status == 400:
            return _bad("time_range", "bogus")
        return _page(status)

    def answer(self, call: ServiceCall) -> ServiceReply:
        if call.has(FaultName.LIMITER):
            _check_browser(call)
        if call.action == "config" and call.method == "GET":
            return json_answer(_config(call))
        if call.action not in {"search", ""} or call.method not in {"GET", "POST"}:
            raise _page(404)
        given = call.body if call.method == "POST" and isinstance(call.body, dict) else call.query
        asked = {str(name): str(value) for name, value in given.items()}
        is_json = asked.get("format", "html") != "html"
        if is_json and (call.has(FaultName.BLOCKED) or asked["format"] != "json"):
            raise _page(403)
        if not asked.get("q", "").strip():
            raise RefusalError(400, {"error": "No query"})
        return _search(asked, call, is_json=is_json)


def _search(asked: dict[str, str], call: ServiceCall, *, is_json: bool) -> ServiceReply:
    parameters = numbers_of(asked, names("pageno safesearch"))
    if (problem := first_problem(parameters, FIELDS)) is not None:
        raise _bad(problem.field, problem.value, problem)
    text, domains = without_sites(_without_bangs(asked["q"]))
    wanted = Wanted(
        text=text,
        limit=PAGE_SIZE,
        offset=PAGE_SIZE * (parameters.get("pageno", 1) - 1),
        domains=domains,
        since=call.finder.since(asked.get("time_range")),
    )
    has_failed = call.has(FaultName.ENGINES_FAILED)
    hits = [] if has_failed else call.finder.find(wanted)
    if not is_json:
        return ServiceReply(body=_html(asked["q"], hits).encode(), content_type=HTML)
    rows = [_row(hit, place) for place, hit in enumerate(hits, 1)]
    if call.has(FaultName.ODD_ROWS):
        rows = [{"url": None, "title": "key-value", "engine": "demo", "kvmap": {}}, *rows]
    is_partial = call.has(FaultName.PARTIAL)
    body = {
        "query": asked["q"],
        "results": rows,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": list(FAILED if has_failed else FAILED[:1] if is_partial else ()),
    }
    return json_answer(body)


def _without_bangs(query: str) -> str:
    """Return a query without the engines that it chooses; some lead out of the house."""
    kept = []
    for word in query.split():
        if word.startswith("!!") and word[2:] in EXTERNAL_BANGS:
            rest = " ".join(other for other in query.split() if other != word)
            location = EXTERNAL_BANGS[word[2:]] + quote_plus(rest)
            raise page_refusal(302, "", {"location": location})
        if word not in BANGS:
            kept.append(word)
    return " ".join(kept)


def _bad(field: str, value: Json, problem: Problem | None = None) -> RefusalError:
    is_empty = problem is not None and problem.value == ""
    message = (
        f"Empty {field} parameter" if is_empty else f"Invalid value {value} for parameter {field}"
    )
    return RefusalError(400, {"error": message})


def _page(status: int) -> RefusalError:
    title = TITLES.get(status, "Service Unavailable")
    page = f"<!doctype html>\n<html lang=en>\n<title>{status} {title}</title>\n<h1>{title}</h1>\n"
    return page_refusal(status, page)


def _check_browser(call: ServiceCall) -> None:
    """Refuse what does not look like a browser, as the limiter does."""
    for header, part in BROWSER_HEADERS.items():
        value = call.headers.get(header, "")
        if not value or part not in value:
            raise page_refusal(429, "Too Many Requests", content_type="text/plain")


def _row(hit: Hit, place: int) -> Json:
    page = hit.page
    engines = list(ENGINES if place == 1 else ENGINES[:1])
    return {
        "url": page.url,
        "title": page.title,
        "content": hit.passages[0],
        "publishedDate": f"{page.published}T00:00:00" if page.published else None,
        "thumbnail": "",
        "engine": engines[0],
        "template": "default.html",
        "parsed_url": list(urlparse(page.url)),
        "img_src": "",
        "priority": "",
        "engines": engines,
        "positions": [place] * len(engines),
        "score": round(len(engines) ** 2 / place, 4),
        "category": "general",
    }


def _html(query: str, hits: list[Hit]) -> str:
    rows = "".join(
        f'<article class="result result-default"><h3><a href="{html.escape(hit.page.url)}">'
        f"{html.escape(hit.page.title)}</a></h3>"
        f'<p class="content">{html.escape(hit.passages[0])}</p></article>'
        for hit in hits
    )
    head = f"<!doctype html><html lang=en><title>{html.escape(query)} - SearXNG</title>"
    nothing = '<div class="dialog-error">No results were found.</div>'
    return f'{head}<main id="main_results"><div id="urls">{rows or nothing}</div></main>'


def _config(call: ServiceCall) -> Json:
    return {
        "categories": ["general"],
        "engines": [
            {
                "name": name,
                "categories": ["general"],
                "shortcut": shortcut,
                "enabled": True,
                "paging": True,
                "language_support": False,
                "languages": [],
                "regions": [],
                "safesearch": False,
                "time_range_support": True,
                "timeout": 3.0,
            }
            for name, shortcut in zip(ENGINES, ("sbj", "sbh"), strict=True)
        ],
        "plugins": [],
        "instance_name": "Sandbox",
        "locales": {"en": "English"},
        "default_locale": "",
        "autocomplete": "",
        "safe_search": 0,
        "default_theme": "simple",
        "version": "2026.8.1",
        "public_instance": False,
        "limiter": {"enabled": call.has(FaultName.LIMITER)},
    }
