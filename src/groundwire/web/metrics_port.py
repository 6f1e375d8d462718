"""A port of its own for metrics, for whoever may reach it: nothing else is served there."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, make_server

from groundwire.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

    from groundwire.config.settings import MetricsSettings
    from groundwire.web.metrics import Metrics


@contextmanager
def metrics_port(
    settings: MetricsSettings, metrics: Metrics | None, folder: str = ""
) -> Iterator[None]:
    """Serve the metrics of this process, where a port is set and no parent does it.

    Raises:
        ConfigError: The address is taken.
    """
    with ExitStack() as stack:
        if settings.port and metrics is not None and not folder:
            stack.enter_context(_served(settings, metrics.text))
        yield


@contextmanager
def metrics_of_several(settings: MetricsSettings, folder: str) -> Iterator[None]:
    """Have the processes of a server put their figures together, and serve them where wanted.

    Raises:
        ConfigError: The address is taken.
    """
    if not settings.token and not settings.port:
        yield
        return
    shared = Path(folder) / "metrics"
    shared.mkdir()
    # prometheus_client looks for it when it is loaded, here and in every process.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(shared)
    with ExitStack() as stack:
        if settings.port:
            from groundwire.web.metrics import text_of_all  # noqa: PLC0415 - after the variable

            stack.enter_context(_served(settings, text_of_all))
        yield


@contextmanager
def _served(settings: MetricsSettings, text: Callable[[], bytes]) -> Iterator[None]:
    from groundwire.web.metrics import CONTENT_TYPE  # noqa: PLC0415 - loaded where it is wanted

    def app(environment: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environment["REQUEST_METHOD"] != "GET" or environment["PATH_INFO"] != "/metrics":
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"only GET /metrics is served here\n"]
        start("200 OK", [("Content-Type", CONTENT_TYPE)])
        return [text()]

    try:
        server = make_server(settings.host, settings.port, app, handler_class=_Quiet)
    except OSError as error:
        raise ConfigError(
            f"metrics.port {settings.port} of {settings.host} cannot be used: {error.strerror}"
        ) from error
    thread = Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called
        """Write nothing."""
