"""A Python process of ours that answers requests, and can be stopped in the middle of one."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from typing import TYPE_CHECKING, Self

from groundwire.system.environment import python_environment
from groundwire.system.worker_loop import READY, Json

if TYPE_CHECKING:
    from asyncio.subprocess import Process

_START_SECONDS = 60.0
# What the system ends a process with whose CPU time is used up; Windows has no such limit.
_OUT_OF_TIME = -getattr(signal, "SIGPROF", 0) or None


class Worker:
    """One process with a module of ours, and the pipes to it; one request at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, module: str, memory_bytes: int) -> Self:
        """Start a process that runs a module whose main calls `answer_requests`.

        Raises:
            OSError: The system starts no process.
            EOFError: It ended at once.
            TimeoutError: It did not get ready.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # What lies in the working directory is not ours to import.
            "-m",
            module,
            str(memory_bytes),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Whatever takes it over sees no key of ours.
            env=python_environment(),
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker._read(len(READY))
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def ask(self, request: dict[str, Json], body: bytes) -> Json:
        """Return the reply to a request; after any error the process is of no more use.

        Raises:
            TimeoutError: The process used up the `cpu_seconds` of the request.
            EOFError: The process ended.
            ConnectionError: The same, while it was asked.
        """
        try:
            return await self._answer(request, body)
        except (EOFError, ConnectionError) as error:
            if await self._process.wait() == _OUT_OF_TIME:
                raise TimeoutError from error
            raise

    async def _answer(self, request: dict[str, Json], body: bytes) -> Json:
        message = json.dumps({**request, "size": len(body)}).encode()
        pipe = self._process.stdin
        if pipe is None:
            raise EOFError
        pipe.write(len(message).to_bytes(4) + message + body)
        await pipe.drain()
        size = int.from_bytes(await self._read(4))
        return json.loads(await self._read(size))

    async def _read(self, size: int) -> bytes:
        if self._process.stdout is None:
            raise EOFError
        return await self._process.stdout.readexactly(size)

    async def stop(self) -> None:
        """End the process."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()


class SingleWorker:
    """One process for all who ask: it starts when first needed, and anew after one that failed.

    Belongs to one event loop; whoever made it closes it.
    """

    def __init__(self, module: str, memory_bytes: int, *, seconds: float) -> None:
        self._module = module
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._worker: Worker | None = None

    async def ask(self, request: dict[str, Json], body: bytes = b"") -> Json | None:
        """Return the reply to a request, None if that takes too long or ends the process."""
        async with self._turn:
            try:
                return await self._answer(request, body)
            except (TimeoutError, EOFError, OSError):
                return None

    async def close(self) -> None:
        """Stop the process."""
        async with self._turn:
            if self._worker is not None:
                await self._worker.stop()
                self._worker = None

    async def _answer(self, request: dict[str, Json], body: bytes) -> Json:
        worker = self._worker or await Worker.start(self._module, self._memory_bytes)
        # Until it has answered it is of no use to anybody else.
        self._worker = None
        try:
            async with asyncio.timeout(self._seconds):
                reply = await worker.ask(request, body)
        except BaseException:
            await worker.stop()
            raise
        self._worker = worker
        return reply
