"""What is open until `with` or `async with` ends: whoever has a `close` needs no more than that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closeable(ABC):
    """Closes itself at the end of a `with`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of everything; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncCloseable(ABC):
    """Closes itself at the end of an `async with`."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything; a second call does nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
