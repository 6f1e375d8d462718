"""The web app: every route over one program, guarded before anything else."""

from __future__ import annotations

from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from fastapi import FastAPI

from groundwire.store.database import patience
from groundwire.version import VERSION
from groundwire.web.error_responses import add_handlers
from groundwire.web.options import Options
from groundwire.web.request_guard import RequestGuard
from groundwire.web.request_log import RequestLog
from groundwire.web.routes import ROUTERS
from groundwire.web.site import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from groundwire.service.program import Groundwire

ABOUT = (
    "Chat with cited web search. Bodies and replies are JSON; a failure is "
    '`{"error": {"code", "message", "fields"}}`. A program signs in with `Authorization: Bearer`.'
)


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


def create_app(
    program: Groundwire,
    options: Options | None = None,
    *,
    opens: bool = False,
    mounts: Mapping[str, Callable[[Site], ASGIApp]] | None = None,
) -> FastAPI:
    """Return the app over a program; with `opens` it opens and closes the program itself.

    `mounts` are other surfaces of the same server, by their path.
    """
    site = Site(program, options or Options())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with program if opens else nullcontext():
            await site.open()
            yield
            await site.close()

    app = FastAPI(
        title="Groundwire",
        version=VERSION,
        description=ABOUT,
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        # Their pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.site = site
    add_handlers(app)
    for router in ROUTERS:
        # As they are: included, each is built anew for this app, on the first request.
        app.router.routes.extend(router.routes)
    for path, make in (mounts or {}).items():
        app.mount(path, make(site))
    # The last one added is the outermost.
    app.add_middleware(Admission, wait_seconds=program.settings.store.pool_wait_seconds)
    app.add_middleware(RequestGuard, options=site.options)
    app.add_middleware(RequestLog)
    return app
