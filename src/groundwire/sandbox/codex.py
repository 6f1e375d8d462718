"""The ChatGPT Codex backend: Responses with stricter demands and errors of its own."""

from __future__ import annotations

from groundwire.sandbox import responses_checks as checks
from groundwire.sandbox.answers import AskedQuestion
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_responses import OpenAIResponses
from groundwire.sandbox.wire import BAD_KEY, Call, RefusalError, Trouble

MODELS = ("gpt-5.5", "gpt-5.5-codex", "gpt-5.4-codex")


class Codex(OpenAIResponses):
    """Speaks the Codex backend's Responses."""

    name = "codex"

    def authorize(self, call: Call) -> None:
        """Accept any token but the bad one; the refusal is `detail`, not `error`."""
        if call.bearer() in {"", BAD_KEY}:
            raise self.refusal(Trouble.UNAUTHORIZED, call)

    def read(self, call: Call) -> AskedQuestion:
        body = call.body
        demands = {
            "Store must be set to false": body.get("store") is False,
            "Stream must be set to true": body.get("stream") is True,
            "Instructions are required": bool(body.get("instructions")),
            "System messages are not allowed": not any(
                item.get("role") == "system" for item in checks.items_of(body)
            ),
            "Unsupported parameter: max_output_tokens": "max_output_tokens" not in body,
            "Unsupported parameter: temperature": "temperature" not in body,
        }
        for message, is_met in demands.items():
            if not is_met:
                raise RefusalError(400, {"detail": message})
        model = body.get("model")
        if model not in (*MODELS, *call.extra_models):
            message = f"The '{model}' model is not supported when using Codex with a ChatGPT "
            raise RefusalError(400, {"detail": f"{message}account."})
        try:
            checks.check_body(call)
        except RefusalError as refusal:
            raise self.malformed(refusal.body["error"]["message"], call) from refusal
        return checks.question_of(body)

    def headers(self, call: Call) -> dict[str, str]:
        """Return the request id and how much of the plan is used."""
        return {
            "x-request-id": call.id("req_", length=32),
            "x-codex-primary-used-percent": "12",
            "x-codex-secondary-used-percent": "3",
        }

    def refusal(
        self, trouble: Trouble, call: Call, retry_after: float | None = None
    ) -> RefusalError:
        """Return `detail` for a bad token, and the plan's limit as 404."""
        if trouble is Trouble.UNAUTHORIZED:
            message = "Could not parse your authentication token. Please try signing in again."
            return RefusalError(401, {"detail": message})
        if trouble is Trouble.QUOTA:
            error = {"code": "usage_limit_reached", "message": "The usage limit has been reached"}
            return RefusalError(404, {"error": error | {"resets_in_seconds": retry_after or 3600}})
        if trouble is Trouble.FORBIDDEN:
            return RefusalError(403, {"detail": "Forbidden"})
        return super().refusal(trouble, call, retry_after)

    def malformed(self, message: str, _call: Call) -> RefusalError:
        """Return `detail`."""
        return RefusalError(400, {"detail": message})

    def models(self, _call: Call) -> Json:
        """Return the plan's models, which have a slug where the others have an id."""
        return {"models": [{"slug": m, "display_name": m, "visibility": "list"} for m in MODELS]}
