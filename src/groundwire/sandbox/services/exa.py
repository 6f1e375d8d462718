"""Exa: search and contents."""

from __future__ import annotations

from datetime import date, datetime

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.checks import TEXT, TEXTS, Field, first_problem
from groundwire.sandbox.services.hits import Wanted
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
    retry_headers,
)
from groundwire.sandbox.web import Domains, Hit, WebPage, names
from groundwire.sandbox.wire import BAD_KEY, RefusalError

ERRORS = {
    400: ("INVALID_REQUEST_BODY", "The request body is invalid."),
    401: ("INVALID_API_KEY", "The API key is missing or invalid."),
    402: ("NO_MORE_CREDITS", "You have used up your credits."),
    403: ("ACCESS_DENIED", "This feature or content is not open to you."),
    404: ("NOT_FOUND", "There is nothing here."),
    422: ("FETCH_DOCUMENT_ERROR", "The URL could not be processed."),
    429: ("RATE_LIMIT_EXCEEDED", "You have exceeded your requests a second."),
    500: ("INTERNAL_ERROR", "Internal server error"),
    502: ("BAD_GATEWAY", "Bad gateway"),
    503: ("SERVICE_UNAVAILABLE", "Service unavailable"),
    504: ("GATEWAY_TIMEOUT", "Gateway timeout"),
}
CONTENTS_FIELDS = {
    "text": Field(kind=(bool, dict)),
    "highlights": Field(kind=(bool, dict)),
    "summary": Field(kind=(bool, dict)),
}
SEARCH_FIELDS = {
    "query": Field(least=1, is_required=True),
    "numResults": Field(kind=int, least=1, most=100),
    "includeDomains": Field(kind=list, most=1200),
    "excludeDomains": Field(kind=list, most=1200),
    "startPublishedDate": TEXT,
    "endPublishedDate": TEXT,
    "type": Field(
        choices=names(
            "auto neural keyword hybrid fast instant deep deep-lite deep-reasoning deep-max"
        )
    ),
    "category": TEXT,
    "userLocation": TEXT,
    "contents": Field(kind=dict),
}
REFUSALS: Refusals = {
    **COMMON_REFUSALS,
    FaultName.QUOTA: (402,),
    FaultName.BAD_REQUEST: (400,),
    FaultName.UNREADABLE: (422,),
}


class Exa(Service):
    """Speaks Exa's `/search` and `/contents`."""

    name = "exa"
    refusals = REFUSALS

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        return _error(status, call)

    def answer(self, call: ServiceCall) -> ServiceReply:
        """Search, or read pages; what is wrong with one page stands in `statuses`."""
        if call.method != "POST" or call.action not in {"search", "contents"}:
            raise _error(404, call)
        key = call.headers.get("x-api-key", "") or call.bearer()
        if key in {"", BAD_KEY}:
            raise _error(401, call)
        if not isinstance(call.body, dict):
            raise _error(400, call, "The body is not a JSON object.")
        return json_answer(_search(call) if call.action == "search" else _contents(call))


def _error(status: int, call: ServiceCall, message: str = "") -> RefusalError:
    tag, usual = ERRORS[status]
    body = {"requestId": call.uuid(), "error": message or usual, "tag": call.code(tag)}
    return RefusalError(status, body, retry_headers(call) if status == 429 else None)


def _check(body: Json, fields: dict[str, Field], call: ServiceCall) -> None:
    if (problem := first_problem(body, fields)) is not None:
        raise _error(400, call, f"{problem.field}: {problem.reason}")


def _search(call: ServiceCall) -> Json:
    body = call.body
    _check(body, SEARCH_FIELDS, call)
    contents = body.get("contents") or {}
    _check(contents, CONTENTS_FIELDS, call)
    domains = Domains(
        allowed=tuple(body.get("includeDomains") or ()),
        blocked=tuple(body.get("excludeDomains") or ()),
    )
    wanted = Wanted(
        text=body["query"],
        limit=body.get("numResults") or 10,
        domains=domains,
        since=_date(call, "startPublishedDate"),
        until=_date(call, "endPublishedDate"),
    )
    hits = call.finder.find(wanted)
    rows = [
        _row(hit.page) | {"score": round(0.4 - 0.02 * place, 4)} | _content(hit, contents)
        for place, hit in enumerate(hits)
    ]
    return {
        "requestId": call.uuid(),
        "resolvedSearchType": "neural",
        "results": rows,
        "searchTime": 512.4,
        "costDollars": {"total": 0.005, "search": {"neural": 0.005}},
    }


def _contents(call: ServiceCall) -> Json:
    body = call.body
    urls = body.get("urls") or body.get("ids")
    if not urls or TEXTS.problem(urls) or not all(isinstance(url, str) for url in urls):
        raise _error(400, call, "urls: a list of URLs is required")
    _check(body, CONTENTS_FIELDS, call)
    rows: list[Json] = []
    statuses: list[Json] = []
    for url in urls:
        page = call.finder.open(url)
        if page is None:
            failure = {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}
            statuses.append({"id": url, "status": "error", "source": "crawled", "error": failure})
            continue
        hit = Hit(page=page, passages=page.passages)
        wanted = body if set(CONTENTS_FIELDS) & set(body) else {"text": True}
        rows.append(_row(page) | {"id": url, "url": url} | _content(hit, wanted))
        statuses.append({"id": url, "status": "success", "source": "cached"})
    return {
        "requestId": call.uuid(),
        "results": rows,
        "statuses": statuses,
        "costDollars": {"total": 0.001 * len(rows), "contents": {"text": 0.001 * len(rows)}},
    }


def _date(call: ServiceCall, name: str) -> date | None:
    value = call.body.get(name)
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError as error:
        raise _error(400, call, f"{name}: the form is ISO 8601") from error


def _row(page: WebPage) -> Json:
    row: Json = {"id": page.url, "title": page.title, "url": page.url, "author": None}
    if page.published:
        row["publishedDate"] = f"{page.published}T00:00:00.000Z"
    return row


def _content(hit: Hit, wanted: Json) -> Json:
    content: Json = {}
    if text := wanted.get("text"):
        most = text.get("maxCharacters") if isinstance(text, dict) else None
        content["text"] = hit.page.text[:most]
    if wanted.get("highlights"):
        content |= {"highlights": list(hit.passages[:1]), "highlightScores": [0.61]}
    if wanted.get("summary"):
        content["summary"] = hit.passages[0]
    return content
