"""The page's modules in a real browser, behind the policy that the server sends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page

import groundwire

FOLDER = Path(groundwire.__file__).parent / "web" / "page"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "frame-src 'self'; require-trusted-types-for 'script'"
)

_BLANK = (
    '<!doctype html><html lang="en"><title>Test</title>'
    '<script src="/witness.js"></script><main id="root"></main><div id="live"></div></html>'
)

# What the policy stopped is as bad as what it let through: it must never be asked.
_WITNESS = (
    "globalThis.violations = [];"
    "addEventListener('securitypolicyviolation', (event) => "
    "violations.push(`${event.effectiveDirective} ${event.blockedURI}`));"
)


async def _module(request: web.Request) -> web.StreamResponse:
    return web.FileResponse(FOLDER / request.match_info["name"])


async def _blank(_: web.Request) -> web.StreamResponse:
    headers = {"Content-Security-Policy": POLICY}
    return web.Response(text=_BLANK, content_type="text/html", headers=headers)


async def _witness(_: web.Request) -> web.StreamResponse:
    return web.Response(text=_WITNESS, content_type="text/javascript")


def application() -> web.Application:
    """An empty page that may import the modules."""
    made = web.Application()
    made.router.add_get("/page/{name}", _module)
    made.router.add_get("/", _blank)
    made.router.add_get("/witness.js", _witness)
    return made


async def listen(served: web.Application) -> tuple[web.AppRunner, str]:
    """Serve on a free port of this machine; return what stops it, and where it is."""
    runner = web.AppRunner(served, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def modules_url() -> AsyncIterator[str]:
    """Where the empty page is."""
    runner, url = await listen(application())
    yield url
    await runner.cleanup()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def modules(browser: Browser, modules_url: str) -> AsyncIterator[Page]:
    """The empty page; tests add to it only what they remove."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(modules_url)
    yield page
    await context.close()
