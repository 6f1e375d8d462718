"""Jina Reader: a page by its URL, as Markdown in an envelope or as plain text."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.service import (
    COMMON_REFUSALS,
    Refusals,
    Service,
    ServiceCall,
    ServiceReply,
    json_answer,
    retry_headers,
)
from groundwire.sandbox.web import WebPage, names
from groundwire.sandbox.wire import BAD_KEY, RefusalError, token_count

MOST_SECONDS = 180
FORMATS = names("markdown html text content readerlm-v2 frontmatter")
ERRORS = {
    400: ("ParamValidationError", 40001, "The parameters are invalid."),
    401: ("AuthenticationFailedError", 40103, "Invalid API key, please get a new one."),
    402: ("InsufficientBalanceError", 40203, "Account balance not enough to run this query."),
    403: ("OperationNotAllowedError", 40303, "This operation is not allowed."),
    404: ("ResourceNotFoundError", 40400, "There is nothing here."),
    409: ("BudgetExceededError", 40904, "Token budget exceeded."),
    422: ("AssertionFailureError", 42206, "Failed to open the page."),
    429: ("RateLimitTriggeredError", 42903, "Per IP rate limit exceeded."),
    451: ("SecurityCompromiseError", 45102, "Access to this domain is blocked."),
    500: ("InternalServerError", 50000, "Internal server error."),
    502: ("DownstreamServiceFailureError", 50200, "A service behind this one failed."),
    503: ("ServiceDisabledError", 50302, "The service is not available."),
    504: ("ServiceTimeoutError", 50400, "The page took too long."),
}
MISSING = "Target URL returned error 404: Not Found"
REFUSALS: Refusals = {
    **COMMON_REFUSALS,
    FaultName.QUOTA: (402,),
    FaultName.BAD_REQUEST: (400, 422),
    FaultName.BLOCKED: (451, 409),
    FaultName.UNREADABLE: (422,),
}


class Jina(Service):
    """Speaks the Reader's `POST /` and `GET /<url>`."""

    name = "jina"
    refusals = REFUSALS
    faults = frozenset({FaultName.PARTIAL})

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        """Return the envelope of an error; `code` chooses the longer number."""
        return _error(status, call)

    def answer(self, call: ServiceCall) -> ServiceReply:
        """Read a page of the library; one that is missing comes with a warning."""
        if call.bearer() == BAD_KEY:
            raise _error(401, call)
        _check_headers(call)
        url = _url(call)
        data = _data(url, call)
        data["content"] = _trimmed(data["content"], call)
        tokens = token_count(data["content"])
        budget = _number("x-token-budget", call)
        if budget is not None and tokens > budget:
            message = f"Token budget ({budget}) exceeded, intended charge amount {tokens}."
            raise _error(409, call, message)
        data["usage"] = {"tokens": tokens}
        if "application/json" not in call.headers.get("accept", ""):
            return ServiceReply(
                body=_plain(data).encode(), content_type="text/plain; charset=utf-8"
            )
        meta = {"usage": {"tokens": tokens}}
        return json_answer({"code": 200, "status": 20000, "data": data, "meta": meta})


def _error(status: int, call: ServiceCall, message: str = "") -> RefusalError:
    name, number, usual = ERRORS[status]
    message = message or usual
    body: Json = {
        "data": None,
        "code": status,
        "name": name,
        "status": int(call.code(str(number))),
        "message": message,
        "readableMessage": f"{name}: {message}",
    }
    headers = retry_headers(call) if status == 429 else {}
    if headers:
        body["retryAfter"] = float(headers["retry-after"])
    return RefusalError(status, body, headers)


def _number(header: str, call: ServiceCall) -> int | None:
    value = call.headers.get(header)
    if value is None:
        return None
    if not value.isdecimal():
        raise _error(400, call, f"{header}: a whole number is expected")
    return int(value)


def _check_headers(call: ServiceCall) -> None:
    seconds = _number("x-timeout", call)
    if seconds is not None and not 1 <= seconds <= MOST_SECONDS:
        raise _error(400, call, f"X-Timeout must lie between 1 and {MOST_SECONDS}")
    if call.headers.get("x-respond-with", "markdown") not in FORMATS:
        raise _error(400, call, "X-Respond-With names no known format")


def _url(call: ServiceCall) -> str:
    """Return the URL of the body, or of the path with the query that belongs to it."""
    if call.method == "POST" and not call.action:
        url = call.body.get("url") if isinstance(call.body, dict) else None
    elif call.method in {"GET", "POST"}:
        query = re.sub(r"&?sandbox_fault=[^&]*", "", call.query_text).lstrip("&")
        url = f"{call.action}?{query}" if query else call.action
    else:
        raise _error(404, call)
    if isinstance(url, str) and re.match(r"[\w-]+(\.[\w-]+)+(/|$)", url):
        url = f"https://{url}"
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _error(400, call, "url: Invalid URL or it is missing")
    _check_host(parts.hostname, call)
    return str(url)


def _check_host(host: str, call: ServiceCall) -> None:
    try:
        is_public = ipaddress.ip_address(host).is_global
    except ValueError:
        is_public = host != "localhost"
    if not is_public:
        raise _error(451, call, f"{host} is not on the public web")


def _data(url: str, call: ServiceCall) -> Json:
    page = call.finder.open(url)
    if page is None and not call.finder.knows_host(url):
        raise _error(422, call, f"Failed to goto {url}: net::ERR_NAME_NOT_RESOLVED")
    found = page or WebPage(url=url, title="Not found", passages=("There is no such page.",))
    data: Json = {
        "title": found.title,
        "description": found.passages[0],
        "url": url,
        "content": found.text,
        "metadata": {"lang": "en"},
        "external": {},
    }
    if found.published:
        data["publishedTime"] = f"{found.published}T00:00:00Z"
    if page is None or call.has(FaultName.PARTIAL):
        data["warning"] = MISSING if page is None else "This page may be incomplete"
    if call.has(FaultName.PARTIAL) and call.code("") == "empty":
        data["content"] = ""
    return data


def _trimmed(content: str, call: ServiceCall) -> str:
    most = _number("x-max-tokens", call)
    # Some four letters a token, as everywhere here.
    return content if most is None else content[: 4 * most]


def _plain(data: Json) -> str:
    published = data.get("publishedTime")
    warning = data.get("warning")
    lines = [f"Title: {data['title']}", f"URL Source: {data['url']}"]
    lines += [f"Published Time: {published}"] if published else []
    lines += [f"Warning: {warning}"] if warning else []
    return "\n\n".join([*lines, f"Markdown Content:\n{data['content']}\n"])
