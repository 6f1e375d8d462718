"""What the two OpenAI surfaces share: keys, headers, models, error bodies, inline links."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.sandbox.answers import AnswerPlan, OfferedTool
from groundwire.sandbox.json import Json
from groundwire.sandbox.web import WebPage
from groundwire.sandbox.wire import BAD_KEY, CREATED, Call, Framing, RefusalError, Trouble

# Names with the day they stop working; None when none is announced.
MODELS: dict[str, str | None] = {
    "gpt-5.5": None,
    "gpt-5": None,
    "gpt-5-mini": None,
    "gpt-5-search-api": None,
    "gpt-4o-search-preview": "2026-07-23",
    "gpt-4o-mini-search-preview": "2026-07-23",
    "gpt-4.1": "2027-01-14",
    "gpt-4.1-mini": "2027-01-14",
    "gpt-4o": "2027-01-14",
    "gpt-4o-mini": "2027-01-14",
    "gpt-image-2": None,
    "gpt-realtime": None,
    "text-embedding-3-small": None,
}
SEARCH_MODELS = frozenset(name for name in MODELS if "search" in name)
NOT_FOR_CHAT = frozenset({"gpt-image-2", "gpt-realtime", "text-embedding-3-small"})
TROUBLES: dict[Trouble, tuple[int, str, str, str | None]] = {
    Trouble.UNAUTHORIZED: (
        401,
        "Incorrect API key provided: ****.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    Trouble.FORBIDDEN: (
        403,
        "You have insufficient permissions for this operation.",
        "invalid_request_error",
        "insufficient_permissions",
    ),
    Trouble.RATE_LIMIT: (
        429,
        "Rate limit reached for requests per minute (RPM): Limit 500, Used 500, Requested 1.",
        "requests",
        "rate_limit_exceeded",
    ),
    Trouble.QUOTA: (
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
    Trouble.CONTEXT_TOO_LONG: (
        400,
        "Your input exceeds the context window of this model.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    Trouble.SERVER_ERROR: (
        500,
        "The server had an error while processing your request. Sorry about that!",
        "server_error",
        None,
    ),
    Trouble.OVERLOADED: (
        503,
        "The engine is currently overloaded, please try again later.",
        "server_error",
        "server_is_overloaded",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An inline link in the answer's text; `start` and `end` count code points."""

    page: WebPage
    url: str
    start: int
    end: int


def linked_answer(plan: AnswerPlan) -> tuple[str, list[Link]]:
    """Return the answer as OpenAI's models write it: a Markdown link after every claim."""
    text = ""
    links = []
    for segment in plan.segments:
        text += segment.text
        if segment.page:
            url = f"{segment.page.url}?utm_source=openai"
            link = f"([{segment.page.host}]({url}))"
            start = len(text) + 1
            text += f" {link}"
            links.append(Link(page=segment.page, url=url, start=start, end=len(text)))
    return text, links


def error_body(
    message: str,
    *,
    param: str | None = None,
    code: str | None = None,
    kind: str = "invalid_request_error",
) -> Json:
    """Return OpenAI's error object."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def trouble_body(trouble: Trouble) -> Json:
    """Return the error object of a trouble."""
    _, message, kind, code = TROUBLES[trouble]
    return error_body(message, kind=kind, code=code)


def trouble_refusal(trouble: Trouble, retry_after: float | None = None) -> RefusalError:
    """Return the reply to a call that gets into trouble."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    if retry_after is not None:
        headers["retry-after-ms"] = f"{retry_after * 1000:.0f}"
    return RefusalError(TROUBLES[trouble][0], trouble_body(trouble), headers)


def refuse(message: str, param: str | None = None, code: str | None = None) -> RefusalError:
    """Return a 400."""
    return RefusalError(400, error_body(message, param=param, code=code))


def function_tool(tool: Json) -> OfferedTool:
    """Return a tool from a function with name and parameters."""
    return OfferedTool(name=tool["name"], schema=tool.get("parameters") or {})


def is_reasoning(model: str) -> bool:
    """Tell whether a model thinks first and therefore takes no sampling settings."""
    return model.startswith("gpt-5") and model not in SEARCH_MODELS


def check_effort(model: str, effort: Json, where: str) -> None:
    """Refuse an effort that a model does not take: not every one can do without thinking."""
    if effort is None or model not in MODELS:
        return
    if not is_reasoning(model):
        message = f"Unsupported parameter: '{where}' is not supported with this model."
        raise refuse(message, where, "unsupported_parameter")
    least = ("none",) if "." in model else ("minimal",)
    known = (*least, "low", "medium", "high")
    if effort not in known:
        values = ", ".join(f"'{name}'" for name in known)
        message = f"Unsupported value: '{effort}' is not supported with the '{model}' model. "
        raise refuse(f"{message}Supported values are: {values}.", where, "unsupported_value")


class OpenAIService:
    """What both of OpenAI's protocols do alike: keys, headers, models and refusals."""

    def authorize(self, call: Call) -> None:
        if not call.headers.get("authorization"):
            message = "You didn't provide an API key. You need to provide your API key in an "
            message += "Authorization header using Bearer auth (i.e. Authorization: Bearer "
            raise RefusalError(401, error_body(f"{message}YOUR_KEY)."))
        if call.bearer() in {"", BAD_KEY}:
            raise trouble_refusal(Trouble.UNAUTHORIZED)

    def is_streaming(self, call: Call) -> bool:
        return bool(call.body.get("stream"))

    def framing(self, _call: Call) -> Framing:
        """Return LF lines."""
        return Framing()

    def headers(self, call: Call) -> dict[str, str]:
        """Return the request id, the version and the rate limits."""
        return {
            "x-request-id": call.id("req_", length=32),
            "openai-version": "2020-10-01",
            "openai-organization": "sandbox",
            "openai-processing-ms": "108",
            "x-ratelimit-limit-requests": "500",
            "x-ratelimit-limit-tokens": "200000",
            "x-ratelimit-remaining-requests": "499",
            "x-ratelimit-remaining-tokens": "199000",
            "x-ratelimit-reset-requests": "120ms",
            "x-ratelimit-reset-tokens": "6ms",
        }

    def models(self, _call: Call) -> Json:
        """Return the list of models with the days they are shut down."""
        data: list[Json] = []
        for name, shutdown in MODELS.items():
            entry: Json = {"id": name, "object": "model", "created": CREATED, "owned_by": "system"}
            data.append(entry | ({"shutdown_date": shutdown} if shutdown else {}))
        return {"object": "list", "data": data}

    def refusal(
        self, trouble: Trouble, _call: Call, retry_after: float | None = None
    ) -> RefusalError:
        return trouble_refusal(trouble, retry_after)

    def malformed(self, message: str, _call: Call) -> RefusalError:
        return refuse(message)
