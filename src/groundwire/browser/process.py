"""Starts a Chromium whose only way to the web is a proxy, and removes its temporary files."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager, suppress
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.browser.chromium import find_chromium
from groundwire.errors import ConfigError, SettingsError
from groundwire.system.environment import bare_environment

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

    from groundwire.wire.contract import Endpoint

START_SECONDS = 30
_SAID = "DevTools listening on "

GUARDING_FLAGS = (
    # Without this, Chromium goes past the proxy for addresses of this machine.
    "--proxy-bypass-list=<-loopback>",
    # Its own look-ups and UDP know no proxy: names, prefetched names, WebRTC, QUIC.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)
_FLAGS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-features=MediaRouter,OptimizationHints,Translate",
    "--disable-gpu",
    "--disable-sync",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--password-store=basic",
    "--use-mock-keychain",
    *GUARDING_FLAGS,
)


@asynccontextmanager
async def devtools(endpoint: Endpoint, proxy_url: str) -> AsyncIterator[str]:
    """Hold a browser, and give the URL from which it is driven.

    That is the endpoint's address if it has one, else that of a browser started for this.

    Raises:
        ConfigError: There is no browser, or it does not start.
    """
    if not starts_own(endpoint):
        yield _checked_address(endpoint)
        return
    with TemporaryDirectory(prefix="groundwire-", ignore_cleanup_errors=True) as folder:
        executable = find_chromium(endpoint.name, endpoint.access)
        process = await asyncio.create_subprocess_exec(
            executable,
            *_FLAGS,
            *_sandbox_flags(endpoint),
            f"--proxy-server={proxy_url}",
            f"--user-data-dir={folder}",
            "about:blank",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=bare_environment(HOME=folder, TMPDIR=folder),
            cwd=folder,
            start_new_session=True,
        )
        emptying: asyncio.Task[None] | None = None
        try:
            url = await _address(process, executable, endpoint.name)
            emptying = asyncio.create_task(_empty(process))
            yield url
        finally:
            await stop(process)
            if emptying is not None:
                emptying.cancel()


def starts_own(endpoint: Endpoint) -> bool:
    """Tell whether a browser is started, because the settings name none that runs already."""
    return endpoint.access.base_url == endpoint.provider.base_url


async def stop(process: Process) -> None:
    """End a process that leads a session, and whatever it started."""
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _sandbox_flags(endpoint: Endpoint) -> tuple[str, ...]:
    """Chromium's own sandbox needs rights that containers often lack, and does not run as root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    chosen = str(endpoint.access.options.get("sandbox", not is_root)).lower()
    if chosen not in ("true", "false"):
        where = f"providers.{endpoint.name}.options.sandbox"
        raise SettingsError(where, f"expected true or false, not {chosen!r}")
    return () if chosen == "true" else ("--no-sandbox",)


def _checked_address(endpoint: Endpoint) -> str:
    url = endpoint.access.base_url
    if not guard.is_loopback(urlsplit(url).hostname or ""):
        raise ConfigError(
            f"{endpoint.name!r} cannot use the browser at {url}: the proxy that guards it is on "
            "this machine, so the browser must be too"
        )
    return url


async def _empty(process: Process) -> None:
    """Read what nobody wants to know: a full pipe would hold the browser up."""
    while process.stderr and await process.stderr.read(1 << 16):
        pass


async def _address(process: Process, executable: str, name: str) -> str:
    """Wait until a browser says where it is driven from."""
    heard: list[str] = []
    try:
        async with asyncio.timeout(START_SECONDS):
            while process.stderr and (line := await process.stderr.readline()):
                heard.append(line.decode("utf-8", "replace").strip())
                if heard[-1].startswith(_SAID):
                    return heard[-1].removeprefix(_SAID)
    except TimeoutError:
        pass
    reason = next((line for line in reversed(heard) if line), "it says nothing")
    raise ConfigError(
        f"the browser {executable} does not start: {reason[:200]}; where its sandbox is the "
        f"reason, set providers.{name}.options.sandbox to false"
    )
