"""Tavily: search and extract, with a key or in its keyless mode."""

from __future__ import annotations

from datetime import date, datetime
from email.utils import format_datetime

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.checks import FLAG, TEXT, TEXTS, Field, Problem, day, first_problem
from groundwire.sandbox.services.hits import SPANS, Wanted, markdown
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
    retry_headers,
)
from groundwire.sandbox.web import EVERYWHERE, Domains, Hit, names
from groundwire.sandbox.wire import BAD_KEY, RefusalError

MOST_URLS = 20
MOST_LETTERS = 400
MESSAGES = {
    400: "The request is invalid.",
    401: "Unauthorized: missing or invalid API key.",
    403: "This URL or query is not supported.",
    429: "Too many requests were made in a short time. Slow down and try again.",
    432: "This request exceeds the usage limit of your plan. Upgrade it or wait.",
    433: "This request exceeds the pay-as-you-go limit that you have set.",
    500: "Internal server error",
    502: "Bad gateway",
    503: "Service temporarily unavailable",
    504: "Gateway timeout",
}
SEARCH_FIELDS = {
    "max_results": Field(kind=int, least=0, most=20),
    "search_depth": Field(choices=names("basic advanced fast ultra-fast")),
    "topic": Field(choices=names("general news finance")),
    "time_range": Field(choices=frozenset(SPANS) - {"hour"}),
    "start_date": TEXT,
    "end_date": TEXT,
    "include_domains": Field(kind=list, most=300),
    "exclude_domains": Field(kind=list, most=150),
    "include_domains_mode": Field(choices=names("restrict prefer")),
    "include_answer": Field(kind=(bool, str), choices=names("basic advanced")),
    "include_raw_content": Field(kind=(bool, str), choices=names("markdown text")),
    "include_usage": FLAG,
    "include_images": FLAG,
    "exact_match": FLAG,
    "country": TEXT,
    "language": TEXT,
    "max_age_hours": Field(kind=int, least=0),
}
EXTRACT_FIELDS = {
    "extract_depth": Field(choices=names("basic advanced")),
    "format": Field(choices=names("markdown text")),
    "query": TEXT,
    "chunks_per_source": Field(kind=int, least=1, most=5),
    "include_images": FLAG,
    "include_usage": FLAG,
}
REFUSALS: Refusals = {
    **COMMON_REFUSALS,
    FaultName.QUOTA: (432, 433),
    FaultName.BAD_REQUEST: (400, 422),
}


class Tavily(Service):
    """Speaks Tavily's `/search` and `/extract`."""

    name = "tavily"
    refusals = REFUSALS
    faults = frozenset({FaultName.UNREADABLE})

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        if status == 422:
            return _invalid(Problem(field="query", reason="Input should be a valid string"))
        if status in {429, 432, 433} and _is_keyless(call):
            return RefusalError(status, _envelope(status, call), retry_headers(call))
        return _error(status, headers=retry_headers(call) if status == 429 else None)

    def answer(self, call: ServiceCall) -> ServiceReply:
        """Search, or read pages; pages that cannot be read are told inside the answer."""
        if call.method != "POST" or call.action not in {"search", "extract"}:
            raise RefusalError(404, {"detail": "Not Found"})
        _authorize(call)
        if not isinstance(call.body, dict):
            raise _invalid(Problem(field="body", reason="JSON decode error", is_missing=True))
        return json_answer(_search(call) if call.action == "search" else _extract(call))


def _error(status: int, message: str = "", headers: dict[str, str] | None = None) -> RefusalError:
    return RefusalError(status, {"detail": {"error": message or MESSAGES[status]}}, headers)


def _invalid(problem: Problem) -> RefusalError:
    row = {
        "type": "missing" if problem.is_missing else "value_error",
        "loc": ["body", problem.field],
        "msg": problem.reason,
        "input": problem.value,
    }
    return RefusalError(422, {"detail": [row]})


def _is_keyless(call: ServiceCall) -> bool:
    is_named = bool(call.headers.get("x-client-source"))
    mode = call.headers.get("x-tavily-access-mode")
    return mode == "keyless" and is_named and "authorization" not in call.headers


def _envelope(status: int, call: ServiceCall) -> Json:
    wait = call.fault.wait_seconds if call.fault else None
    is_spent = status != 429
    return {
        "error": {
            "code": call.code("keyless_quota_exceeded" if is_spent else "keyless_rate_limited"),
            "message": "The limit for requests without a key is reached.",
            "window": "month" if is_spent else "minute",
            "retry_after_seconds": None if wait is None else int(wait),
            "next_actions": [
                {"type": "sign_up", "url": "https://app.tavily.com", "description": "Get a key."}
            ],
        }
    }


def _authorize(call: ServiceCall) -> None:
    if not _is_keyless(call) and call.bearer() in {"", BAD_KEY}:
        raise _error(401)


def _search(call: ServiceCall) -> Json:
    body = call.body
    if (problem := first_problem(body, SEARCH_FIELDS)) is not None:
        raise _invalid(problem)
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise _error(400, "Query is missing.")
    if len(query) > MOST_LETTERS:
        raise _error(400, f"Query is too long. The most are {MOST_LETTERS} characters.")
    hits = _hits(call, query)
    answer = hits[0].passages[0] if hits and body.get("include_answer") else None
    usage = {"usage": {"credits": 2 if body.get("search_depth") == "advanced" else 1}}
    return {
        "query": query,
        "follow_up_questions": None,
        "answer": answer,
        "images": [],
        "results": [_row(hit, place, body) for place, hit in enumerate(hits)],
        "response_time": 0.42,
        "request_id": call.uuid(),
    } | (usage if body.get("include_usage") else {})


def _hits(call: ServiceCall, query: str) -> list[Hit]:
    body, finder = call.body, call.finder
    allowed = tuple(body.get("include_domains") or ())
    domains = Domains(allowed=allowed, blocked=tuple(body.get("exclude_domains") or ()))
    wanted = Wanted(
        text=query,
        limit=body["max_results"] if body.get("max_results") is not None else 5,
        domains=domains,
        since=_date(body, "start_date") or finder.since(body.get("time_range")),
        until=_date(body, "end_date"),
    )
    hits = finder.find(wanted)
    if body.get("include_domains_mode") != "prefer" or domains == EVERYWHERE:
        return hits
    rest = Domains(blocked=(*domains.blocked, *allowed))
    more = Wanted(text=query, limit=wanted.limit, domains=rest, since=wanted.since)
    return [*hits, *finder.find(more)][: wanted.limit]


def _date(body: Json, name: str) -> date | None:
    if body.get(name) is None:
        return None
    if (found := day(body[name])) is None:
        raise _error(400, f"Invalid {name}. It must be YYYY-MM-DD.")
    return found


def _row(hit: Hit, place: int, body: Json) -> Json:
    wants_page = body.get("include_raw_content")
    as_text = wants_page == "text"
    page = hit.page.text if as_text else markdown(hit.page)
    row = {
        "url": hit.page.url,
        "title": hit.page.title,
        "content": hit.passages[0],
        "score": round(0.96 - 0.07 * place, 4),
        "raw_content": page if wants_page else None,
    }
    if body.get("topic") == "news" and hit.page.published:
        published = datetime.fromisoformat(f"{hit.page.published}T00:00:00+00:00")
        row["published_date"] = format_datetime(published, usegmt=True)
    return row


def _extract(call: ServiceCall) -> Json:
    body = call.body
    if (problem := first_problem(body, EXTRACT_FIELDS)) is not None:
        raise _invalid(problem)
    given = body.get("urls")
    urls = [given] if isinstance(given, str) else given
    if not urls or TEXTS.problem(urls) or not all(isinstance(url, str) for url in urls):
        raise _error(400, "No URLs were given.")
    if len(urls) > MOST_URLS:
        raise _error(400, f"Too many URLs. The most are {MOST_URLS}.")
    results: list[Json] = []
    failed: list[Json] = []
    for url in urls:
        page = None if call.has(FaultName.UNREADABLE) else call.finder.open(url)
        if page is None:
            failed.append({"url": url, "error": "Failed to fetch url"})
        else:
            text = page.text if body.get("format") == "text" else markdown(page)
            if body.get("query"):
                text = " [...] ".join(page.passages[: body.get("chunks_per_source") or 3])
            results.append({"url": url, "raw_content": text, "images": []})
    tail = {"response_time": 0.02, "request_id": call.uuid()}
    if body.get("include_usage"):
        each = 2 if body.get("extract_depth") == "advanced" else 1
        tail["usage"] = {"credits": each * -(-len(results) // 5)}
    return {"results": results, "failed_results": failed} | tail
