"""Perplexity: its search without a model."""

from __future__ import annotations

from datetime import date

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.checks import FLAG, TEXT, Field, day, first_problem
from groundwire.sandbox.services.hits import SPANS, Wanted
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
    retry_headers,
)
from groundwire.sandbox.web import Domains, Hit, names
from groundwire.sandbox.wire import BAD_KEY, RefusalError

MOST_QUERIES = 5
ERRORS = {
    400: ("bad_request", "The request is invalid."),
    401: ("invalid_api_key", "Invalid API key provided. Find yours in the API settings."),
    402: ("insufficient_quota", "You have no credits left. Add some in the API settings."),
    403: ("forbidden", "You have no access to this resource."),
    422: ("validation_error", "The request cannot be processed."),
    429: ("rate_limit_exceeded", "Request rate limit exceeded, please try again later."),
    500: ("internal_server_error", "Internal server error"),
    502: ("bad_gateway", "Bad gateway"),
    503: ("service_unavailable", "Service unavailable"),
    504: ("gateway_timeout", "Gateway timeout"),
}
DATES = (
    "search_after_date_filter",
    "search_before_date_filter",
    "last_updated_after_filter",
    "last_updated_before_filter",
)
FIELDS = {
    "query": Field(kind=(str, list), least=1, is_required=True),
    "max_results": Field(kind=int, least=1, most=20),
    "max_tokens": Field(kind=int, least=1, most=1_000_000),
    "max_tokens_per_page": Field(kind=int, least=1),
    "search_context_size": Field(choices=names("low medium high")),
    "search_domain_filter": Field(kind=list, most=20),
    "search_language_filter": Field(kind=list, most=10),
    "search_recency_filter": Field(choices=frozenset(SPANS)),
    "search_mode": Field(choices=names("web academic sec")),
    "search_type": Field(choices=names("web fast people")),
    "country": Field(least=2, most=2),
    "display_server_time": FLAG,
    **dict.fromkeys(DATES, TEXT),
}
REFUSALS: Refusals = {
    **COMMON_REFUSALS,
    FaultName.QUOTA: (402, 403),
    FaultName.BAD_REQUEST: (400, 422),
}


class Perplexity(Service):
    """Speaks Perplexity's `/search`."""

    name = "perplexity"
    refusals = REFUSALS

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        # Which status a used-up account gets is not sure, so the words are the same with both.
        word, message = ERRORS[402 if call.has(FaultName.QUOTA) else status]
        return _error(status, call, message, word)

    def answer(self, call: ServiceCall) -> ServiceReply:
        if call.method != "POST" or call.action != "search":
            raise _error(400, call, f"there is no {call.method} /{call.action}")
        if call.bearer() in {"", BAD_KEY}:
            raise _error(401, call)
        if not isinstance(call.body, dict):
            raise _error(400, call, "The body is not a JSON object.")
        if (problem := first_problem(call.body, FIELDS)) is not None:
            raise _error(400, call, f"{problem.field}: {problem.reason}")
        hits = _hits(call)
        server_time = "2026-10-26T00:00:00Z" if call.body.get("display_server_time") else None
        results = [_row(hit) for hit in hits]
        return json_answer({"results": results, "id": call.uuid(), "server_time": server_time})


def _error(status: int, call: ServiceCall, message: str = "", word: str = "") -> RefusalError:
    usual_word, usual = ERRORS[status]
    body = {"error": {"message": message or usual, "type": word or usual_word, "code": status}}
    return RefusalError(status, body, retry_headers(call) if status == 429 else None)


def _hits(call: ServiceCall) -> list[Hit]:
    body = call.body
    given = body["query"]
    queries = [given] if isinstance(given, str) else given
    if len(queries) > MOST_QUERIES:
        raise _error(400, call, f"query: at most {MOST_QUERIES} queries")
    domains = _domains(call)
    recent = call.finder.since(body.get("search_recency_filter"))
    since = [_date(call, name) for name in DATES[::2]]
    until = [_date(call, name) for name in DATES[1::2]]
    limit = body.get("max_results") or 10
    found: dict[str, Hit] = {}
    for query in queries:
        wanted = Wanted(
            text=str(query),
            limit=limit,
            domains=domains,
            since=max((one for one in (*since, recent) if one), default=None),
            until=min((one for one in until if one), default=None),
        )
        for hit in call.finder.find(wanted):
            found.setdefault(hit.page.url, hit)
    return list(found.values())[:limit]


def _domains(call: ServiceCall) -> Domains:
    entries = [str(entry) for entry in call.body.get("search_domain_filter") or ()]
    blocked = tuple(entry[1:] for entry in entries if entry.startswith("-"))
    allowed = tuple(entry for entry in entries if not entry.startswith("-"))
    if blocked and allowed:
        message = "search_domain_filter: allow or deny domains, not both in one request"
        raise _error(400, call, message)
    return Domains(allowed=allowed, blocked=blocked)


def _date(call: ServiceCall, name: str) -> date | None:
    value = call.body.get(name)
    if value is None:
        return None
    if (found := day(value, "%m/%d/%Y")) is None:
        raise _error(400, call, f"{name}: the form is %m/%d/%Y")
    return found


def _row(hit: Hit) -> Json:
    return {
        "title": hit.page.title,
        "url": hit.page.url,
        "snippet": hit.page.text,
        "date": hit.page.published or None,
        "last_updated": hit.page.published or None,
    }
