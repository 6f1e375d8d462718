"""Gemini generateContent: parts, and grounding counted in UTF-8 bytes."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from groundwire.sandbox import gemini_checks as checks
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion
from groundwire.sandbox.json import Json
from groundwire.sandbox.wire import (
    BAD_KEY,
    Call,
    Frame,
    Framing,
    JsonArrayFraming,
    Kind,
    RefusalError,
    Trouble,
    opaque,
    pieces,
    prompt_tokens,
    token_count,
)

REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
TROUBLES = {
    Trouble.FORBIDDEN: (403, "PERMISSION_DENIED", "The caller does not have permission"),
    Trouble.RATE_LIMIT: (429, "RESOURCE_EXHAUSTED", "You exceeded your current rate limit."),
    Trouble.QUOTA: (
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
    ),
    Trouble.CONTEXT_TOO_LONG: (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    Trouble.SERVER_ERROR: (500, "INTERNAL", "An internal error has occurred."),
    Trouble.OVERLOADED: (
        503,
        "UNAVAILABLE",
        "The model is overloaded. Please try again later.",
    ),
}


class Gemini:
    """Speaks generateContent, under v1 and v1beta."""

    name = "gemini"

    def authorize(self, call: Call) -> None:
        key = call.headers.get("x-goog-api-key") or call.query.get("key") or call.bearer()
        if key == BAD_KEY:
            raise self.refusal(Trouble.UNAUTHORIZED, call)
        if not key:
            message = "Method doesn't allow unregistered callers (callers without established "
            message += "identity). Please use API Key or other form of API consumer identity to "
            raise RefusalError(
                403, checks.error(403, "PERMISSION_DENIED", f"{message}call this API.")
            )

    def read(self, call: Call) -> AskedQuestion:
        return checks.question_of(call)

    def is_streaming(self, call: Call) -> bool:
        return call.action == "streamGenerateContent"

    def framing(self, call: Call) -> Framing:
        """Return CRLF events, or a JSON array unless `alt=sse` is asked for."""
        if call.query.get("alt") == "sse":
            return Framing(line_end="\r\n", is_spaced=True, content_type="text/event-stream")
        return JsonArrayFraming(content_type="application/json; charset=UTF-8")

    def headers(self, call: Call) -> dict[str, str]:
        return {"server-timing": f"gfet4t7; dur={400 + call.number % 100}", "vary": "Origin"}

    def models(self, _call: Call) -> Json:
        return {
            "models": [
                {
                    "name": f"models/{name}",
                    "version": "001",
                    "displayName": name.replace("-", " ").title(),
                    "inputTokenLimit": 1_048_576,
                    "outputTokenLimit": 65_536,
                    "supportedGenerationMethods": ["embedContent"]
                    if "embedding" in name
                    else ["generateContent", "countTokens"],
                }
                for name in checks.MODELS
            ]
        }

    def refusal(
        self, trouble: Trouble, _call: Call, retry_after: float | None = None
    ) -> RefusalError:
        """Return Google's error object; how long to wait stands in its details."""
        if trouble is Trouble.UNAUTHORIZED:
            return RefusalError(400, _bad_key())
        status, name, message = TROUBLES[trouble]
        details: list[Json] = []
        if status == 429:
            kind = "type.googleapis.com/google.rpc.QuotaFailure"
            quota = "PerDay" if trouble is Trouble.QUOTA else "PerMinute"
            violations = [{"quotaId": f"GenerateRequests{quota}PerProjectPerModel-FreeTier"}]
            details.append({"@type": kind, "violations": violations})
        if retry_after is not None:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            details.append({"@type": kind, "retryDelay": f"{retry_after:g}s"})
        return RefusalError(status, checks.error(status, name, message, details))

    def malformed(self, message: str, _call: Call) -> RefusalError:
        return checks.refuse(f"Invalid JSON payload received. {message}")

    def failure_frames(self, trouble: Trouble, call: Call, _sent: int) -> list[Frame]:
        return [Frame(data=self.refusal(trouble, call).body, kind=Kind.END)]

    def unknown_frame(self, padding: str = "") -> Frame:
        return Frame(data={"glowMetadata": {"warmth": 1, "pad": padding}})

    def count(self, call: Call) -> Json:
        """Return how many tokens contents have, alone or as a whole request."""
        body = call.body.get("generateContentRequest") or call.body
        inner = replace(call, body={key: body[key] for key in body if key != "model"})
        self.read(inner)
        tokens = prompt_tokens(inner.body)
        details = [{"modality": "TEXT", "tokenCount": tokens}]
        return {"totalTokens": tokens, "promptTokensDetails": details}

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        text = [{"text": plan.text}] if plan.text else []
        parts = [*_thoughts(plan, call), *_tool_parts(plan, call), *text]
        return _chunk(plan, call, parts, is_last=True) | _closing(plan, call)

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return the chunks; all grounding stands in the last one."""
        text = [{"text": piece} for piece in pieces(plan.text, (20,))]
        parts = [*_thoughts(plan, call), *_tool_parts(plan, call), *text]
        if plan.calls:
            groups = [parts, [{"text": ""}]] if checks.is_third(call.model) else [parts]
        else:
            groups = [[part] for part in parts]
        # Every chunk repeats it, and counting the tokens of a long answer takes a while.
        closing = _closing(plan, call)
        return [
            Frame(
                data=_chunk(plan, call, group, is_last=number == len(groups) - 1) | closing,
                kind=_kind(plan, group, is_last=number == len(groups) - 1),
            )
            for number, group in enumerate(groups)
        ]


def _kind(plan: AnswerPlan, group: list[Json], *, is_last: bool) -> Kind:
    if is_last:
        return Kind.CITATION if plan.pages else Kind.END
    return Kind.TEXT if "thought" not in group[0] and "text" in group[0] else Kind.OTHER


def _thoughts(plan: AnswerPlan, call: Call) -> list[Json]:
    config = (checks.camel(call.body).get("generationConfig") or {}).get("thinkingConfig") or {}
    shows = plan.thinking and config.get("includeThoughts")
    return [{"text": plan.thinking, "thought": True}] if shows else []


def _tool_parts(plan: AnswerPlan, call: Call) -> Iterator[Json]:
    signature = opaque(b"\x0a\xc0thought", plan.text + str(call.number))
    if checks.shows_server_tools(call.body):
        for number, search in enumerate(plan.searches):
            place = {"toolType": "GOOGLE_SEARCH_WEB", "id": call.id("", "tool", number, length=8)}
            arguments = {"args": {"queries": [search.query]}}
            yield {"toolCall": place | arguments, "thoughtSignature": signature}
            found = {"search_suggestions": suggestions([search.query])}
            yield {"toolResponse": place | {"response": found}, "thoughtSignature": signature}
    for number, wanted in enumerate(plan.calls):
        function: Json = {"name": wanted.name, "args": wanted.arguments}
        if checks.is_third(call.model):
            function["id"] = call.id("", "function", number, length=8)
        # Of parallel calls only the first is signed.
        yield {"functionCall": function} | ({} if number else {"thoughtSignature": signature})


def _chunk(plan: AnswerPlan, call: Call, parts: list[Json], *, is_last: bool) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if is_last:
        candidate["finishReason"] = "MAX_TOKENS" if plan.is_cut else "STOP"
    if is_last and plan.calls and not checks.is_third(call.model):
        candidate["finishMessage"] = "Model generated function call(s)."
    if plan.searches or plan.fetches:
        candidate["groundingMetadata"] = _grounding(plan) if is_last else {}
    if is_last and plan.fetches:
        candidate["urlContextMetadata"] = {
            "urlMetadata": [
                {
                    "retrievedUrl": fetch.url,
                    "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_"
                    + ("SUCCESS" if fetch.page else "ERROR"),
                }
                for fetch in plan.fetches
            ]
        }
    return {"candidates": [candidate]}


def _closing(plan: AnswerPlan, call: Call) -> Json:
    """Return what stands behind the candidates of every chunk."""
    return {
        "usageMetadata": _usage(plan, call),
        "modelVersion": call.model,
        "responseId": call.id("", length=22),
    }


def _grounding(plan: AnswerPlan) -> Json:
    """Return the grounding; offsets are UTF-8 bytes over all text and 0 is left out."""
    queries = [search.query for search in plan.searches]
    numbers = {page.url: number for number, page in enumerate(plan.pages)}
    if not numbers:
        return {"webSearchQueries": queries} if queries else {}
    supports = []
    position = 0
    for segment in plan.segments:
        end = position + len(segment.text.encode())
        if segment.page:
            place: Json = {"startIndex": position} if position else {}
            place |= {"endIndex": end, "text": segment.text}
            supports.append(
                {"segment": place, "groundingChunkIndices": [numbers[segment.page.url]]}
            )
        position = end
    grounding: Json = {"groundingChunks": shown_pages(plan), "groundingSupports": supports}
    if queries:
        grounding["searchEntryPoint"] = {"renderedContent": suggestions(queries)}
        grounding["webSearchQueries"] = queries
    return grounding


def shown_pages(plan: AnswerPlan) -> list[Json]:
    """Return the cited pages: redirects after a search, the pages themselves after a fetch."""
    if plan.fetches:
        return [{"web": {"uri": page.url, "title": page.title}} for page in plan.pages]
    return [
        {
            "web": {
                "uri": page.redirect or REDIRECT + quote(opaque(b"AUZIYQ", page.url), ""),
                "title": page.host,
            }
        }
        for page in plan.pages
    ]


def suggestions(queries: list[str]) -> str:
    """Return what Google wants shown with a grounded answer."""
    chips = "".join(
        f'<a class="chip" href="https://www.google.com/search?q={quote(query)}">'
        f"{html.escape(query)}</a>"
        for query in queries
    )
    return f'<style>.chip {{ border-radius: 16px }}</style><div class="container">{chips}</div>'


def _usage(plan: AnswerPlan, call: Call) -> Json:
    prompt, answer = prompt_tokens(call.body), token_count(plan.text) + 12 * len(plan.calls)
    thought = token_count(plan.thinking)
    usage: Json = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": answer,
        "totalTokenCount": prompt + answer + thought,
        "thoughtsTokenCount": thought,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
    }
    if plan.searches or plan.fetches:
        usage["toolUsePromptTokenCount"] = 100
        usage["toolUsePromptTokensDetails"] = [{"modality": "TEXT", "tokenCount": 100}]
        usage["totalTokenCount"] += 100
    return usage


def _bad_key() -> Json:
    message = "API key not valid. Please pass a valid API key."
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }
    kind = "type.googleapis.com/google.rpc.LocalizedMessage"
    localized = {"@type": kind, "locale": "en-US", "message": message}
    return checks.error(400, "INVALID_ARGUMENT", message, [info, localized])
