"""The three dialects that clients speak: how each is read, written and refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.gateway.refusals import OVERLOADED
from groundwire.wire.anthropic import outbound as anthropic
from groundwire.wire.anthropic.inbound import read_messages_request
from groundwire.wire.openai.chat_inbound import read_chat_request
from groundwire.wire.openai.chat_outbound import ChatWriter
from groundwire.wire.openai.errors_outbound import error_object
from groundwire.wire.openai.responses_inbound import read_responses_request
from groundwire.wire.openai.responses_outbound import ResponsesWriter

if TYPE_CHECKING:
    from groundwire.wire.inbound import InboundRequest
    from groundwire.wire.outbound import Refusal, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One of them. `splits_text` says that a cited sentence is best told as one piece."""

    read: Callable[[object], InboundRequest]
    writer: Callable[[InboundRequest, str], Writer]
    error: Callable[[Refusal, str], object]
    search_prefix: str
    call_prefix: str
    overloaded: int = 503
    splits_text: bool = False

    def status(self, refusal: Refusal) -> int:
        """Return the status of a refusal: only Anthropic has one of its own for too much."""
        return self.overloaded if refusal.status == OVERLOADED else refusal.status


def _messages_writer(request: InboundRequest, model: str) -> Writer:
    hosted = request.hosted
    return anthropic.MessagesWriter(
        model,
        shows_searches=hosted is not None and hosted.searches,
        shows_pages=hosted is not None and hosted.reads,
    )


def _chat_writer(request: InboundRequest, model: str) -> Writer:
    return ChatWriter(
        model, includes_usage=request.includes_usage, shows_status=request.wants_status
    )


def _responses_writer(request: InboundRequest, model: str) -> Writer:
    return ResponsesWriter(
        model,
        shows_searches=request.hosted is not None,
        includes_sources=request.includes_sources,
        custom_tools={tool.name for tool in request.tools if tool.is_custom},
    )


def _openai_error(refusal: Refusal, request_id: str) -> object:  # noqa: ARG001 - as a dialect has it
    return {"error": error_object(refusal)}


MESSAGES = Dialect(
    read=read_messages_request,
    writer=_messages_writer,
    error=anthropic.error_body,
    search_prefix="srvtoolu_",
    call_prefix="toolu_",
    overloaded=OVERLOADED,
    splits_text=True,
)
CHAT = Dialect(
    read=read_chat_request,
    writer=_chat_writer,
    error=_openai_error,
    search_prefix="ws_",
    call_prefix="call_",
)
RESPONSES = Dialect(
    read=read_responses_request,
    writer=_responses_writer,
    error=_openai_error,
    search_prefix="ws_",
    call_prefix="call_",
)


def dialect_of(headers: Mapping[str, str]) -> Dialect:
    """Return the dialect of a request that no route tells: Anthropic's clients name a version."""
    return MESSAGES if "anthropic-version" in headers else CHAT
