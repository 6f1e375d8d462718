"""Brave: web search."""

from __future__ import annotations

import html
import re
from datetime import date
from urllib.parse import urlsplit

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.checks import TEXT, Field, Problem, day, first_problem, numbers_of
from groundwire.sandbox.services.hits import Wanted, without_sites
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
)
from groundwire.sandbox.web import Hit, names, words_of
from groundwire.sandbox.wire import BAD_KEY, CREATED, RefusalError

FRESHNESS = {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
RANGE = re.compile(r"(\d{4}-\d\d-\d\d)to(\d{4}-\d\d-\d\d)")
WORD = re.compile(r"\w+")
# Not a status: what 429 says when the month's quota is used up, not the second's rate.
QUOTA = 0
ERRORS = {
    QUOTA: ("QUOTA_LIMITED", "Request quota exceeded for plan", "rate_limiter"),
    400: ("BAD_REQUEST", "The request is invalid.", "web"),
    401: ("SUBSCRIPTION_TOKEN_INVALID", "The subscription token is invalid.", "authentication"),
    402: ("USAGE_LIMIT_EXCEEDED", "The usage limit of the plan is reached.", "rate_limiter"),
    403: ("RESOURCE_NOT_ALLOWED", "This is not part of your plan.", "authentication"),
    404: ("NOT_FOUND", "Resource not found.", "web"),
    422: ("VALIDATION", "Unable to validate request parameter(s)", "web"),
    429: ("RATE_LIMITED", "Request rate limit exceeded for plan", "rate_limiter"),
    500: ("INTERNAL_SERVER_ERROR", "Internal server error", "web"),
    502: ("BAD_GATEWAY", "Bad gateway", "web"),
    503: ("SERVICE_UNAVAILABLE", "Service unavailable", "web"),
    504: ("GATEWAY_TIMEOUT", "Gateway timeout", "web"),
}
FIELDS = {
    "q": Field(least=1, most=400, is_required=True),
    "count": Field(kind=int, least=1, most=20),
    "offset": Field(kind=int, least=0, most=9),
    "country": Field(least=2, most=3),
    "search_lang": Field(least=2, most=8),
    "ui_lang": TEXT,
    "safesearch": Field(choices=names("off moderate strict")),
    "text_decorations": Field(choices=names("true false 1 0")),
    "extra_snippets": Field(choices=names("true false 1 0")),
}
REFUSALS: Refusals = {
    **COMMON_REFUSALS,
    # A wrong token is 422 in practice; the documentation has the others.
    FaultName.UNAUTHORIZED: (401, 403, 422),
    FaultName.QUOTA: (402, 429),
    FaultName.BAD_REQUEST: (422, 400),
}


class Brave(Service):
    """Speaks Brave's `/res/v1/web/search`."""

    name = "brave"
    refusals = REFUSALS

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        """Return the error object; how long to wait stands in the rate limit's headers."""
        like = status
        if call.has(FaultName.UNAUTHORIZED):
            like = 401
        elif call.has(FaultName.QUOTA):
            like = QUOTA if status == 429 else 402
        return _error(status, call, like=like)

    def answer(self, call: ServiceCall) -> ServiceReply:
        """Search; without hits there is no `web` in the answer."""
        if call.method != "GET" or call.action != "res/v1/web/search":
            raise _error(404, call)
        _authorize(call)
        query = numbers_of(call.query, names("count offset"))
        if (problem := first_problem(query, FIELDS)) is not None:
            raise _invalid(problem, call)
        hits = _hits(query, call)
        body: Json = {
            "type": "search",
            "query": {"original": query["q"], "more_results_available": False},
        }
        if hits:
            rows = [_row(hit, query) for hit in hits]
            body["web"] = {"type": "search", "results": rows, "family_friendly": True}
        return json_answer(body)


def _error(
    status: int, call: ServiceCall, *, like: int | None = None, errors: Json | None = None
) -> RefusalError:
    code, detail, component = ERRORS[status if like is None else like]
    meta: Json = {"component": component} | ({"errors": errors} if errors else {})
    headers = {}
    if component == "rate_limiter":
        meta |= {"plan": "Free", "rate_limit": 1, "rate_current": 1}
        meta |= {"quota_limit": 2000, "quota_current": 2000 if like in {402, QUOTA} else 15}
        headers = _limits(call)
    error = {"id": call.uuid(), "status": status, "detail": detail, "meta": meta}
    error["code"] = call.code(code)
    body = {"type": "ErrorResponse", "error": error, "time": CREATED}
    return RefusalError(status, body, headers)


def _limits(call: ServiceCall) -> dict[str, str]:
    wait = call.fault.wait_seconds if call.fault else None
    if wait is None:
        return {}
    return {
        "x-ratelimit-limit": "1, 2000",
        "x-ratelimit-policy": "1;w=1, 2000;w=2592000",
        "x-ratelimit-remaining": "0, 1985",
        "x-ratelimit-reset": f"{wait:g}, 1419704",
    }


def _authorize(call: ServiceCall) -> None:
    key = call.headers.get("x-subscription-token", "")
    if not key:
        place = ["header", "x-subscription-token"]
        row = {"type": "missing", "loc": place, "msg": "Field required", "input": None}
        raise _error(422, call, errors=[row])
    if key == BAD_KEY:
        raise _error(422, call, like=401)


def _invalid(problem: Problem, call: ServiceCall) -> RefusalError:
    kind = "missing" if problem.is_missing else "value_error"
    place = ["query", problem.field]
    row = {"type": kind, "loc": place, "msg": problem.reason, "input": problem.value}
    return _error(422, call, errors=[row])


def _hits(query: Json, call: ServiceCall) -> list[Hit]:
    text, domains = without_sites(query["q"])
    count = query.get("count", 20)
    since, until = _span(query.get("freshness", ""), call)
    wanted = Wanted(
        text=text,
        limit=count,
        offset=count * query.get("offset", 0),
        domains=domains,
        since=since,
        until=until,
    )
    return call.finder.find(wanted)


def _span(freshness: str, call: ServiceCall) -> tuple[date | None, date | None]:
    if not freshness or freshness in FRESHNESS:
        return call.finder.since(FRESHNESS.get(freshness)), None
    found = RANGE.fullmatch(freshness)
    since, until = (day(found[1]), day(found[2])) if found else (None, None)
    if since is None or until is None:
        reason = "Input should be pd, pw, pm, py or YYYY-MM-DDtoYYYY-MM-DD"
        raise _invalid(Problem(field="freshness", reason=reason, value=freshness), call)
    return since, until


def _row(hit: Hit, query: Json) -> Json:
    page, place = hit.page, urlsplit(hit.page.url)
    wanted = words_of(query["q"])
    is_plain = query.get("text_decorations") in {"false", "0"}
    description = html.escape(hit.passages[0])
    if not is_plain:
        description = WORD.sub(
            lambda found: (
                f"<strong>{found[0]}</strong>" if words_of(found[0]) & wanted else found[0]
            ),
            description,
        )
    row: Json = {
        "title": html.escape(page.title),
        "url": page.url,
        "is_source_local": False,
        "is_source_both": False,
        "description": description,
        "profile": {"name": page.host, "url": page.url, "long_name": page.host, "img": ""},
        "language": "en",
        "family_friendly": True,
        "type": "search_result",
        "subtype": "generic",
        "meta_url": {"scheme": place.scheme, "netloc": page.host, "path": place.path},
    }
    if page.published:
        published = date.fromisoformat(page.published)
        row["page_age"] = f"{page.published}T00:00:00"
        row["age"] = f"{published:%B} {published.day}, {published.year}"
    if query.get("extra_snippets") in {"true", "1"}:
        row["extra_snippets"] = [html.escape(passage) for passage in hit.passages[1:]]
    return row
