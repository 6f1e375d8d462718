"""Crawl4AI: opens a page in a Chromium on this machine, so that its scripts run.

The library runs in a process of its own, `dialects.crawl4ai_worker`: it prints, keeps a folder at
home, and what it holds on to ends with the process. The browser, and the proxy that guards it, are
the client's.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from importlib.util import find_spec
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import guard
from groundwire.browser.chromium import find_chromium
from groundwire.errors import BadReplyError, ConfigError, NotInstalledError, UrlRefusedError
from groundwire.model import Page, PageMetadata
from groundwire.system.environment import python_environment
from groundwire.system.extras import install_command
from groundwire.text.plural import plural
from groundwire.wire.contract import Access, GuardedBrowser, Provider

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from groundwire.model import Json

_NAME = "crawl4ai"
_WORKER = "groundwire.browser.crawl4ai_worker"
_LIBRARY = "crawl4ai"
_MAX_REASON_LENGTH = 200


class Crawl4AI(Provider):
    """Reads pages with a browser on this machine, also those made by scripts."""

    title = "Crawl4AI"
    # Another base URL is that of a browser which runs already.
    base_url = "chromium"

    def installed(self, access: Access) -> str:
        if find_spec(_LIBRARY) is None:
            raise NotInstalledError(_NAME, "one more package", fix=install_command(_NAME))
        if access.base_url != self.base_url:
            return f"the browser at {access.base_url}"
        return find_chromium(_NAME, access)

    async def read_with(
        self,
        url: str,
        access: Access,
        open_browser: Callable[[], AbstractAsyncContextManager[GuardedBrowser]],
    ) -> Page:
        self.installed(access)
        # The process first: it loads the library while the browser starts.
        async with _worker() as worker, open_browser() as browser:
            said = await _ask(worker, url, browser)
        return _page(url, said, browser)


@asynccontextmanager
async def _worker() -> AsyncIterator[Process]:
    with TemporaryDirectory(prefix="groundwire-", ignore_cleanup_errors=True) as folder:
        ours = {"HOME": folder, "CRAWL4_AI_BASE_DIRECTORY": folder, "CRAWL4AI_NO_CLOUD_NOTICE": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # What lies in the working directory is not ours to import.
            "-m",
            _WORKER,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=python_environment(**ours),
        )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()


async def _ask(worker: Process, url: str, browser: GuardedBrowser) -> Json:
    task = {
        "url": url,
        "devtools_url": browser.devtools_url,
        "proxy_url": browser.proxy_url,
        "proxy_user": browser.proxy_user,
        "proxy_password": browser.proxy_password.reveal(),
        "allowed": browser.policy.allowed,
        "blocked": browser.policy.blocked,
        "max_redirects": browser.max_redirects,
        "timeout_seconds": browser.timeout_seconds,
        "user_agent": browser.user_agent,
        "is_own": browser.is_own,
    }
    answer, complaint = await worker.communicate(json.dumps(task).encode())
    if answer:
        return json.loads(answer)
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    reason = (lines or ["it says nothing"])[-1].replace(browser.proxy_password.reveal(), "…")
    raise BadReplyError(_NAME, f"its process ended: {reason[:_MAX_REASON_LENGTH]}")


def _page(url: str, said: Json, browser: GuardedBrowser) -> Page:
    """Return what the worker says as a page.

    Raises:
        BlockedError: The page's document was to come from where it may not.
        ConfigError: The browser cannot be guarded.
    """
    if unguarded := said.get("unguarded"):
        raise ConfigError(unguarded)
    if refused := said.get("refused"):
        browser.policy.check(guard.parse(refused))
        reason = f"it redirects more than {plural(browser.max_redirects, 'time')}"
        raise UrlRefusedError(url, reason)
    if said["status"] >= 400:
        reason = f"{urlsplit(said['url']).hostname} answered with HTTP status {said['status']}"
        return Page(url=said["url"], success=False, error=reason)
    if said["problem"]:
        return Page(url=said["url"], title=said["title"], success=False, error=said["problem"])
    return Page(
        url=said["url"],
        title=said["title"],
        content=said["markdown"],
        original_length=len(said["markdown"]),
        truncated=said["is_cut"],
        notes=tuple(said["notes"]),
        metadata=PageMetadata.from_json(said["metadata"]),
    )


provider = Crawl4AI()
