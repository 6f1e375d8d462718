"""A limit on how long one request waits for database connections, all in all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.store.database import patience

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Admission:
    """An app around the app: what would wait longer than the setting says is refused as busy.

    The line for the database itself refuses, at once where it can foresee it; here a request only
    gets the seconds that all its work may wait together.
    """

    def __init__(self, app: ASGIApp, wait_seconds: float) -> None:
        self._app = app
        self._wait_seconds = wait_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        with patience(self._wait_seconds):
            await self._app(scope, receive, send)
