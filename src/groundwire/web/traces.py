"""Traces over OpenTelemetry: a span for each answer, and one for each reply, search and page in it.

Loaded only where `metrics.traces` names a place. Spans are made when an answer has ended, from
what is kept of it, so that nothing is done for them while it streams. No words of anybody are sent.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwire.errors import NotInstalledError
from groundwire.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from groundwire.checks import CitationCheck
    from groundwire.conversation import ChatMessage, ToolRun
    from groundwire.web.turn_watch import WatchedTurn

_NANOSECONDS = 1_000_000_000
_NAMES = {"web_search": "search", "open_page": "page", "web_fetch": "page"}


class Traces:
    """Sends a trace for every answer, in a thread of its own.

    Raises:
        NotInstalledError: OpenTelemetry's packages are missing.
    """

    def __init__(self, endpoint: str, exporter: SpanExporter | None = None) -> None:
        if find_spec("opentelemetry.sdk") is None:
            fix = "pip install 'groundwire[traces]'"
            raise NotInstalledError("traces", "OpenTelemetry", fix=fix)
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - an extra
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
                OTLPSpanExporter,
            )

            exporter = OTLPSpanExporter(endpoint=endpoint)
        about = {"service.name": "groundwire", "service.version": VERSION}
        self._provider = TracerProvider(resource=Resource.create(about))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("groundwire")

    def turn_ended(self, turn: WatchedTurn, message: ChatMessage) -> None:
        """Send the trace of an answer."""
        from opentelemetry.trace import set_span_in_context  # noqa: PLC0415 - an extra

        span = self._tracer.start_span("turn", start_time=_nanoseconds(turn.began_at))
        span.set_attribute("groundwire.message_id", message.id)
        span.set_attribute("gen_ai.system", message.raw_provider or message.provider)
        span.set_attribute("gen_ai.request.model", message.model)
        span.set_attribute("groundwire.mode", message.mode)
        span.set_attribute("groundwire.status", message.status)
        if message.usage is not None:
            span.set_attribute("gen_ai.usage.input_tokens", message.usage.input_tokens or 0)
            span.set_attribute("gen_ai.usage.output_tokens", message.usage.output_tokens or 0)
        inside = set_span_in_context(span)
        for name, start, end, run in _parts(turn, message):
            child = self._tracer.start_span(name, context=inside, start_time=_nanoseconds(start))
            if run is not None:
                child.set_attribute("groundwire.service", run.service or run.mode)
                child.set_attribute("groundwire.status", run.status)
            child.end(_nanoseconds(end))
        span.end(_nanoseconds(turn.ended_at))

    def citation_checked(self, citation: CitationCheck) -> None:
        """Send nothing: checks are counted by the metrics."""

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


def _parts(
    turn: WatchedTurn, message: ChatMessage
) -> list[tuple[str, float, float, ToolRun | None]]:
    """Return searches and pages with their times, and between them the replies of the model."""
    runs = sorted(message.tool_runs, key=lambda run: run.started_at)
    found: list[tuple[str, float, float, ToolRun | None]] = []
    reply_began = turn.began_at
    for run in runs:
        start = run.started_at.timestamp()
        end = start + (run.seconds or 0)
        if start > reply_began:
            found.append(("reply", reply_began, start, None))
        found.append((_NAMES.get(run.name, "tool"), start, end, run))
        reply_began = max(reply_began, end)
    if turn.ended_at > reply_began:
        found.append(("reply", reply_began, turn.ended_at, None))
    return found


def _nanoseconds(seconds: float) -> int:
    return int(seconds * _NANOSECONDS)
