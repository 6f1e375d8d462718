"""A route that authenticates the caller first and then reads the body, within its limit."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from groundwire.web.access import settle_caller
from groundwire.web.body_limits import MAX_BYTES
from groundwire.web.sent_body import SentBody, too_large
from groundwire.web.site import site_of

if TYPE_CHECKING:
    from fastapi.dependencies.models import Dependant


class BodyRoute(APIRoute):
    """FastAPI's route, which would read and parse a body before it asks who sent it."""

    @property
    def max_bytes(self) -> int:
        """Return the most bytes that a body may have here; 0 where none is read."""
        if self.body_field is None:
            return 0
        return MAX_BYTES.get(self.body_field.field_info.annotation or object, 0)  # type: ignore[arg-type] # a class

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()
        checks = frozenset(_calls(self.dependant))
        limit = self.max_bytes

        async def handle_bounded(request: Request) -> Response:
            await settle_caller(request, checks)
            async with site_of(request).body_space.body(limit) as body:
                return await handle(_BodyRequest(request, body, limit))

        return handle if self.body_field is None else handle_bounded


class _BodyRequest(Request):
    """A request whose body is read within its limit; of the bytes only the first are given."""

    def __init__(self, request: Request, body: SentBody, limit: int) -> None:
        super().__init__(request.scope, request.receive)
        self._sent = body
        self._limit = limit

    async def body(self) -> bytes:
        """Read all, and return how it begins: whoever wants more asks for `json`."""
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._limit:
            raise too_large(self._limit)
        async for piece in self.stream():
            await self._sent.add(piece)
        return self._sent.head

    async def json(self) -> object:
        """Return what the body says."""
        return await self._sent.json()


def _calls(dependant: Dependant) -> Iterator[Callable[..., Any]]:
    for each in dependant.dependencies:
        if each.call is not None:
            yield each.call
        yield from _calls(each)
