"""The gateway as an ASGI app: its routes, who is let in, and what becomes of a request."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from starlette.datastructures import Headers

from groundwire.chat.history import CHARACTERS_PER_TOKEN
from groundwire.errors import GroundwireError
from groundwire.gateway.answers import Responder
from groundwire.gateway.bodies import read_json
from groundwire.gateway.dialects import CHAT, MESSAGES, RESPONSES, Dialect, dialect_of
from groundwire.gateway.guest import NotAdmittedError, shown_key
from groundwire.gateway.models_page import model_body, models_body
from groundwire.gateway.refusals import (
    RefusedTurnError,
    busy,
    invalid,
    refusal_of,
    refusal_of_request,
)
from groundwire.gateway.reply import Outgoing
from groundwire.redaction import redact
from groundwire.service.logs import REQUEST_ID
from groundwire.wire.inbound import InboundError
from groundwire.wire.outbound import Refusal

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from groundwire.gateway.guest import Admit, Guest
    from groundwire.service.program import Groundwire

PREFIX = "/v1"
ROUTES = (
    ("POST", "/messages"),
    ("POST", "/messages/count_tokens"),
    ("POST", "/chat/completions"),
    ("POST", "/responses"),
    ("GET", "/models"),
    ("GET", "/models/{model}"),
)
"""Every route, below the prefix."""

_DIALECTS = {
    "/messages": MESSAGES,
    "/messages/count_tokens": MESSAGES,
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
}
FILE_TOKENS = 1_500
"""What a picture of the usual size costs; its base64 would be counted as a novel."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One request on its way to be answered."""

    scope: Scope
    receive: Receive
    outgoing: Outgoing
    dialect: Dialect
    headers: Mapping[str, str]
    path: str
    guest: Guest | None = field(default=None)


Handler: TypeAlias = Callable[[Incoming, "Guest"], Awaitable[None]]


class Gateway:
    """Answers clients that speak OpenAI's or Anthropic's dialects; mount it under `/v1`.

    `admit` says who a request is from. `direct` is where a request may have the server's own
    `send`, past what other layers do with a reply that has begun. `max_answers` are made at once.
    """

    def __init__(
        self, program: Groundwire, admit: Admit, *, direct: str = "", max_answers: int = 1_000
    ) -> None:
        self._program = program
        self._admit = admit
        self._direct = direct
        self._max_answers = max_answers
        self._answering: set[asyncio.Future[None]] = set()
        self._is_stopping = False
        self._answers: Responder | None = None

    @property
    def answers(self) -> Responder:
        """Return who answers; the program must be open."""
        if self._answers is None:
            self._answers = Responder(self._program)
        return self._answers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens in it."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        path = scope["path"].removeprefix(scope.get("root_path", "")).removeprefix(PREFIX)
        dialect = _DIALECTS.get(path) or dialect_of(headers)
        request_id = REQUEST_ID.get() or secrets.token_hex(8)
        incoming = Incoming(
            scope=scope,
            receive=receive,
            outgoing=Outgoing(send, dialect, request_id, direct=scope.get(self._direct, send)),
            dialect=dialect,
            headers=headers,
            path=path,
        )
        try:
            handle = self._handler(scope["method"], path)
            guest = await self._admit(scope, shown_key(headers))
            await handle(incoming, guest)
        except NotAdmittedError as error:
            kind = "invalid_api_key" if error.status == 401 else "forbidden"
            await _refused(incoming, invalid(str(error), status=error.status, code=kind))
        except InboundError as error:
            await _refused(incoming, refusal_of_request(error))
        except RefusedTurnError as error:
            await _refused(incoming, error.refusal)
        except GroundwireError as error:
            await _refused(incoming, refusal_of(error))
        except Exception as error:  # noqa: BLE001 - a surface answers whatever happens
            _LOG.error("a request to the gateway failed: %s", redact(repr(error)), exc_info=error)
            message = f"The server failed at this: its log says why, at request {request_id}."
            await _refused(incoming, Refusal(status=500, code="internal", message=message))

    def _handler(self, method: str, path: str) -> Handler:
        if method == "POST" and path == "/messages/count_tokens":
            return self._count_tokens
        if method == "POST" and path in _DIALECTS:
            return self._answer
        if method in ("GET", "HEAD") and path == "/models":
            return self._models
        if method in ("GET", "HEAD") and path.startswith("/models/"):
            return self._model
        raise RefusedTurnError(
            invalid(f"There is no {method} {PREFIX}{path} here.", status=404, code="not_found")
        )

    async def _answer(self, incoming: Incoming, guest: Guest) -> None:
        if self._is_stopping:
            raise RefusedTurnError(busy("The server is stopping; try again in 2 s.", 2))
        if len(self._answering) >= self._max_answers:
            raise RefusedTurnError(busy("Too many answers in progress; try again in 5 s.", 5))
        answered = asyncio.get_running_loop().create_future()
        self._answering.add(answered)
        try:
            body = await _body(incoming)
            reply = await self.answers.begin(
                body, incoming.dialect, guest, headers=incoming.headers, outgoing=incoming.outgoing
            )
            await reply.run(incoming.receive)
        finally:
            self._answering.discard(answered)
            answered.set_result(None)

    async def drain(self, seconds: float) -> None:
        """Begin no more answers, and let those that are being made end within some seconds."""
        self._is_stopping = True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._answering:
                    await asyncio.wait(self._answering)

    async def _count_tokens(self, incoming: Incoming, guest: Guest) -> None:  # noqa: ARG002 - a handler's
        body = await _body(incoming)
        incoming.dialect.read(body)
        counted = [body.get(name) for name in ("system", "messages", "tools")]
        tokens = max(1, sum(map(_characters, counted)) // CHARACTERS_PER_TOKEN)
        await incoming.outgoing.json(200, {"input_tokens": tokens})

    async def _models(self, incoming: Incoming, guest: Guest) -> None:
        listed = await self.answers.models.listed(guest)
        await incoming.outgoing.json(200, models_body(listed, incoming.headers))

    async def _model(self, incoming: Incoming, guest: Guest) -> None:
        name = incoming.path.removeprefix("/models/")
        try:
            target = await self.answers.models.find(name, guest)
        except InboundError as error:
            unknown = invalid(str(error), status=404, code="model_not_found")
            raise RefusedTurnError(unknown) from error
        await incoming.outgoing.json(200, model_body(target, incoming.headers))


async def _refused(incoming: Incoming, refusal: Refusal) -> None:
    if not incoming.outgoing.has_begun:
        await incoming.outgoing.refuse(refusal)


async def _body(incoming: Incoming) -> Mapping[str, object]:
    headers = incoming.headers
    value = await read_json(
        incoming.receive,
        headers.get("content-encoding", ""),
        headers.get("content-length", ""),
    )
    if not isinstance(value, dict):
        raise RefusedTurnError(invalid("The body must be a JSON object."))
    return value


def _characters(value: object) -> int:
    """Count the characters of all texts in a value; a file counts as a picture does."""
    if isinstance(value, dict) and value.get("type") == "base64":
        return FILE_TOKENS * CHARACTERS_PER_TOKEN
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum(map(_characters, value))
    if isinstance(value, dict):
        return sum(map(_characters, value.values())) + sum(map(len, value))
    return 1
