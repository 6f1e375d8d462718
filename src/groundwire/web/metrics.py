"""Metrics for Prometheus: what a server has done, and how it is. Loaded only where it is wanted."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from groundwire.checks.summary import state_of

if TYPE_CHECKING:
    from groundwire.checks import CitationCheck
    from groundwire.conversation import ChatMessage, ToolRun
    from groundwire.web.site import Site
    from groundwire.web.turn_watch import WatchedTurn

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Where several processes of one server put their figures together; prometheus_client's name."""

_EVERY_SECONDS = 1.0
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
_KINDS = {"web_search": "searches", "open_page": "pages", "web_fetch": "pages"}


class Metrics:
    """The figures of one process. Labels are names of providers and services, never words sent."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        if not _is_one_of_several():
            ProcessCollector(registry=registry)

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"groundwire_{name}", about, labels, registry=registry)

        def gauge(name: str, about: str, *labels: str, mode: str = "livesum") -> Gauge:
            return Gauge(
                f"groundwire_{name}",
                about,
                labels,
                registry=registry,
                multiprocess_mode=mode,  # type: ignore[arg-type]  # a literal of its own
            )

        def histogram(name: str, about: str, *labels: str) -> Histogram:
            return Histogram(
                f"groundwire_{name}", about, labels, registry=registry, buckets=_SECONDS
            )

        self._turns = counter("turns", "Answers that ended.", "provider", "mode", "status")
        self._first_text = histogram("first_text_seconds", "Until the first text.", "provider")
        self._turn_seconds = histogram("turn_seconds", "Until the end of an answer.", "provider")
        self._tokens = counter("tokens", "Tokens as providers count them.", "provider", "kind")
        self._cost = counter("cost_usd", "Money, as far as prices are known.", "provider")
        self._searches = counter("searches", "Searches.", "service", "outcome")
        self._pages = counter("pages", "Pages that were opened.", "service", "outcome")
        self._checks = counter("checks", "Citations compared with their pages.", "outcome")
        self._requests = counter("requests", "Requests.", "method", "route", "status")
        self._running = gauge("running_turns", "Answers in progress.")
        self._streams = gauge("open_streams", "Readers of answers in progress.")
        self._connections = gauge("store_connections", "Connections to the database.", "state")
        self._redis_lost = gauge("redis_lost", "1 while Redis does not answer.", mode="livemax")
        self._lag = gauge("loop_lag_seconds", "How late the event loop is.", mode="livemax")

    def turn_ended(self, turn: WatchedTurn, message: ChatMessage) -> None:
        """Count an answer and what was done for it."""
        provider = message.raw_provider or message.provider
        self._turns.labels(provider, message.mode, message.status).inc()
        self._turn_seconds.labels(provider).observe(turn.ended_at - turn.began_at)
        if turn.first_text_seconds is not None:
            self._first_text.labels(provider).observe(turn.first_text_seconds)
        if message.usage is not None:
            self._tokens.labels(provider, "input").inc(message.usage.input_tokens or 0)
            self._tokens.labels(provider, "output").inc(message.usage.output_tokens or 0)
        self._cost.labels(provider).inc(message.cost_usd or 0)
        for run in message.tool_runs:
            self._count_run(run)

    def citation_checked(self, citation: CitationCheck) -> None:
        """Count what came of a comparison."""
        self._checks.labels(state_of(citation.check)).inc()

    def request_ended(self, method: str, route: str, status: int) -> None:
        """Count a request; `route` is one of ours, never a path that somebody sent."""
        self._requests.labels(method, route, str(status)).inc()

    def text(self) -> bytes:
        """Return the figures of this server, of all its processes where there are several."""
        if not _is_one_of_several():
            return generate_latest(self._registry)
        return text_of_all()

    async def keep_measuring(self, site: Site) -> None:
        """Note again and again what is counted nowhere else, until cancelled."""
        while True:
            due = time.monotonic() + _EVERY_SECONDS
            await asyncio.sleep(_EVERY_SECONDS)
            self._lag.set(max(0.0, time.monotonic() - due))
            self._running.set(site.live_turns.running_count)
            self._streams.set(site.live_turns.reader_count)
            if (redis := site.program.redis) is not None:
                self._redis_lost.set(not redis.is_up)
            for state, count in site.store.connections().items():
                self._connections.labels(state).set(count)

    def _count_run(self, run: ToolRun) -> None:
        kind = _KINDS.get(run.name)
        if kind is None:
            return
        counter = self._searches if kind == "searches" else self._pages
        outcome = run.status
        if kind == "searches" and run.status == "done" and not run.results:
            outcome = "nothing_found"
        counter.labels(run.service or run.mode, outcome).inc()


def text_of_all() -> bytes:
    """Return the figures of all processes that share a folder."""
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return generate_latest(together)


def _is_one_of_several() -> bool:
    return FOLDER_VARIABLE in os.environ
