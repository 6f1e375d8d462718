"""Running the sandbox: inside a loop, in a thread of its own, or until cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from datetime import date
from pathlib import Path
from typing import Any, Self, TypedDict, TypeVar, Unpack

from aiohttp import web

from groundwire.sandbox.answers import Answerer
from groundwire.sandbox.journal import Entry
from groundwire.sandbox.server import SANDBOX, SandboxOptions, create_app
from groundwire.sandbox.web import SearchableWeb

Result = TypeVar("Result")

# Replies end by themselves when the server stops; this bounds those that cannot.
SHUTDOWN_SECONDS = 1.0
BASES = {
    "anthropic": "/anthropic/v1",
    "openai": "/openai/v1",
    "openai-responses": "/openai/v1",
    "embeddings": "/openai/v1",
    "gemini": "/gemini/v1beta",
    "openrouter": "/openrouter/api/v1",
    "codex": "/codex/backend-api/codex",
    "tavily": "/tavily",
    "searxng": "/searxng",
    "perplexity": "/perplexity",
    "brave": "/brave",
    "exa": "/exa",
    "jina": "/jina",
    "duckduckgo": "/duckduckgo",
    "pages": "/pages",
}


class SandboxSettings(TypedDict, total=False):
    """The names and types of `Options`, for keyword arguments."""

    library: SearchableWeb
    answerer: Answerer | None
    recordings: str | Path | None
    replay: str
    fault: str
    chunk_bytes: int | None
    pace_seconds: float
    extra_models: tuple[str, ...]
    today: date


class SandboxServer:
    """A sandbox on loopback: `async with SandboxServer() as sandbox: …`.

    In code without a loop the same object is a plain context manager, with a thread of its own.
    """

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 0, **options: Unpack[SandboxSettings]
    ) -> None:
        self._host = host
        self._port = port
        self._options = SandboxOptions(**options)
        self._app: web.Application | None = None
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.root = ""

    async def start(self) -> str:
        """Listen, and return the root URL."""
        self._app = create_app(self._options)
        self._runner = web.AppRunner(
            self._app, handler_cancellation=True, shutdown_timeout=SHUTDOWN_SECONDS, access_log=None
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port).start()
        host, port = self._runner.addresses[0][:2]
        self.root = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return self.root

    async def stop(self) -> None:
        """Stop listening and end every reply."""
        if self._runner is None:
            return
        served = self._runner.server.connections if self._runner.server else []
        transports = [each.transport for each in served if each.transport is not None]
        await self._runner.cleanup()
        self._runner = None
        for transport in transports:
            transport.abort()  # To close one would wait for a client to take what is left for it.
        await asyncio.sleep(0)  # A connection is gone when the loop has been round once more.

    async def run_until_cancelled(self) -> None:
        """Stay up until the task is cancelled (Ctrl-C does that), then stop cleanly."""
        try:
            await asyncio.Event().wait()
        finally:
            await self.stop()

    def base_url(self, provider: str, *, fault: str = "") -> str:
        """Return a provider's base URL; with a fault, every call under it gets that fault."""
        prefix = f"/fault/{fault}" if fault else ""
        return f"{self.root}{prefix}{BASES[provider]}"

    @property
    def requests(self) -> list[Entry]:
        """Return the journal: what was received, and how it ended."""
        return [] if self._app is None else self._app[SANDBOX].journal.entries

    def wait_for_end(self, index: int = 0, timeout_seconds: float = 60.0) -> Entry:
        """Block until a call of the journal has ended at this end, and return it.

        From a coroutine of the server's own loop call it with `asyncio.to_thread`.

        Raises:
            TimeoutError: It has not ended in time.
        """
        if self._app is None:
            raise RuntimeError("the sandbox has not been started")
        return self._app[SANDBOX].journal.wait_for_end(index, timeout_seconds)

    def reset(self) -> None:
        """Empty the journal."""
        if self._app is not None:
            self._app[SANDBOX].journal.reset()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sandbox", daemon=True)
        self._thread.start()
        self._in_thread(self.start())
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop is None or self._thread is None:
            return
        self._in_thread(self.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _in_thread(self, work: Coroutine[Any, Any, Result]) -> Result:
        if self._loop is None:
            raise RuntimeError("the sandbox's thread is not running")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def serve(
    host: str = "127.0.0.1", port: int = 8787, **options: Unpack[SandboxSettings]
) -> SandboxServer:
    """Start a sandbox and return it, listening.

    Its `root` is the address; `run_until_cancelled()` keeps it up, `stop()` ends it.
    """
    server = SandboxServer(host=host, port=port, **options)
    await server.start()
    return server
