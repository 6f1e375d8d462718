"""Metrics, as Prometheus's own parser reads them, and traces as OpenTelemetry keeps them."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx2
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from groundwire.conversation import ChatMessage, MessageKind, SearchMode, ToolRun
from groundwire.model import Usage
from groundwire.sandbox import SandboxServer
from groundwire.web.traces import Traces
from groundwire.web.turn_watch import WatchedTurn
from tests.patience import PATIENCE, wait_until
from tests.web.server import Web
from tests.web.test_serve import environment, serving

TOKEN = "scrape-me-if-you-can"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _sum(text: str, name: str, **labels: str) -> float:
    return sum(
        value
        for (of, has), value in _samples(text).items()
        if of == name and labels.items() <= dict(has).items()
    )


def test_answers_searches_tokens_and_requests_are_counted(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, metrics={"token": TOKEN}) as web:
        web.ask(search="hosted")
        web.ask(search="client")
        web.client.get("/secret-in-a-path/sk-canary")
        text = web.client.get("/metrics", headers=SHOWN).text

    assert _sum(text, "groundwire_turns_total", provider="anthropic", status="complete") == 2
    assert _sum(text, "groundwire_turns_total", mode="client") == 1
    assert _sum(text, "groundwire_searches_total", outcome="done") >= 2
    assert _sum(text, "groundwire_tokens_total", kind="input") > 0
    assert _sum(text, "groundwire_first_text_seconds_count", provider="anthropic") == 2
    assert _sum(text, "groundwire_requests_total", route="other", status="404") == 1
    assert _sum(text, "groundwire_requests_total", method="POST", status="200") >= 2
    assert "sk-canary" not in text
    assert TOKEN not in text


def test_what_a_server_is_doing_is_measured(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, metrics={"token": TOKEN}) as web:

        def names() -> set[str]:
            text = web.client.get("/metrics", headers=SHOWN).text
            return {name for name, _ in _samples(text)}

        wanted = {
            *("groundwire_running_turns", "groundwire_open_streams", "groundwire_loop_lag_seconds"),
            *("groundwire_store_connections", "process_resident_memory_bytes"),
            "groundwire_redis_lost",
        }
        wait_until(lambda: wanted <= names())


def test_without_a_token_in_the_settings_there_is_no_such_page(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path) as web:
        assert web.client.get("/metrics", headers=SHOWN).status_code == 404
        assert web.app.state.site.metrics is None


def test_the_page_is_for_whoever_shows_the_token(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, metrics={"token": TOKEN}) as web:
        wrong = web.client.get("/metrics", headers={"Authorization": "Bearer another-token-here"})
        none = web.client.get("/metrics")

    assert (wrong.status_code, none.status_code) == (401, 401)
    assert TOKEN not in wrong.text + none.text


def test_several_processes_tell_their_figures_together_at_a_port_of_its_own(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    port = _free_port()
    variables = environment(sandbox, tmp_path) | {"GROUNDWIRE_METRICS__PORT": str(port)}
    with (
        serving(variables, tmp_path, "--workers", "2") as (_, url),
        httpx2.Client(timeout=PATIENCE) as client,
    ):
        # Each on a connection of its own, so that both processes get some.
        for _ in range(20):
            httpx2.get(f"{url}/api/health", timeout=PATIENCE)

        def counted() -> float:
            text = client.get(f"http://127.0.0.1:{port}/metrics").text
            return _sum(text, "groundwire_requests_total", route="/api/health", status="200")

        wait_until(lambda: counted() == 20)
        assert client.get(f"http://127.0.0.1:{port}/else").status_code == 404


def test_an_answer_is_one_trace_with_its_searches_and_pages() -> None:
    exporter = InMemorySpanExporter()
    traces = Traces("", exporter)
    search = ToolRun(id="1", name="web_search", status="done", service="tavily", seconds=2.0)
    began = search.started_at.timestamp() - 1
    message = ChatMessage(
        session_id="s",
        kind=MessageKind.AI_RESPONSE,
        content="Words of a user.",
        raw_provider="anthropic",
        model="claude",
        mode=SearchMode.CLIENT,
        usage=Usage(input_tokens=10, output_tokens=5),
        tool_runs=(search,),
    )

    traces.turn_ended(WatchedTurn(began_at=began, ended_at=began + 5), message)
    traces.close()

    spans = exporter.get_finished_spans()
    (turn,) = [span for span in spans if span.parent is None]
    assert [span.name for span in spans] == ["reply", "search", "reply", "turn"]
    assert {span.parent.span_id for span in spans if span.parent} == {turn.context.span_id}
    assert turn.attributes is not None
    assert turn.attributes["gen_ai.usage.input_tokens"] == 10
    assert "Words" not in str([dict(span.attributes or {}) for span in spans])
