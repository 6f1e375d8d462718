"""What one address serves: the web app with the gateway under /v1, or the gateway alone."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

# First of all: it says which extra is missing, where fastapi could only not be found.
from groundwire import web  # isort: split

from fastapi import FastAPI
from starlette.requests import Request

from groundwire.gateway import PREFIX, Gateway, Guest, NotAdmittedError, TokenAdmission
from groundwire.web.access import find_program
from groundwire.web.request_guard import RequestGuard
from groundwire.web.request_log import RequestLog
from groundwire.web.stream_responses import DIRECT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Scope

    from groundwire.service.program import Groundwire
    from groundwire.web.site import Site


def create_app(
    program: Groundwire, options: web.Options | None = None, *, opens: bool = False
) -> FastAPI:
    """Return the web app with the gateway; with `opens` it opens and closes the program itself."""
    return web.create_app(
        program, options, opens=opens, mounts={PREFIX: partial(_gateway_of, program)}
    )


def create_gateway_app(program: Groundwire, options: web.Options) -> FastAPI:
    """Return the gateway alone, over a program that keeps nothing; it opens and closes it."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with program:
            yield

    app = FastAPI(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    admission = TokenAdmission(tokens=program.settings.gateway.tokens)
    gateway = Gateway(program, admission, direct=DIRECT, max_answers=options.max_answers)
    app.state.site = _Alone(options=options, gateway=gateway, program=program)
    app.mount(PREFIX, gateway)
    app.add_middleware(RequestGuard, options=options)
    app.add_middleware(RequestLog)
    return app


@dataclass(frozen=True, slots=True, kw_only=True)
class _Alone:
    """What a server wants to know of an app that has no web app in it."""

    options: web.Options
    gateway: Gateway
    program: Groundwire

    async def drain(self) -> None:
        """Begin no more answers, and let those in progress end within the setting's seconds."""
        await self.gateway.drain(self.program.settings.web.stop_seconds)

    async def close(self) -> None:
        """End nothing: every reply ends with its connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAdmission:
    """Lets in whom the web app lets in, with its tokens and without users on this machine."""

    site: Site

    async def __call__(self, scope: Scope, key: str) -> Guest:
        """Return who asks.

        Raises:
            NotAdmittedError: Nobody who is known.
        """
        caller = await find_program(Request(scope), key)
        if caller is None:
            raise NotAdmittedError(401, "Invalid or expired token: make one in Settings.")
        token = caller.token
        return Guest(
            key=token.id if token else caller.user_id or "owner",
            actor=caller.actor,
            workspace=await caller.workspace(None),
            user_id=caller.user_id,
        )


def _gateway_of(program: Groundwire, site: Site) -> Gateway:
    limit = site.options.max_answers
    gateway = Gateway(program, SiteAdmission(site=site), direct=DIRECT, max_answers=limit)
    site.drains.append(gateway.drain)
    return gateway
