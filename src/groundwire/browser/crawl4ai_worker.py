"""The process that drives a browser with Crawl4AI: one task in, one page out.

What the browser may connect to is decided by the proxy. Here it is seen to that every page is
opened behind it, and that the page's own document comes from where the policy permits: inside
TLS only the browser knows which of its requests that is.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlsplit

from groundwire.guard import DomainPolicy
from groundwire.reader import Extracted, read_document

if TYPE_CHECKING:
    from typing import Any, TextIO

    from groundwire.model import Json

QUIET_MILLISECONDS = 5_000
WEBRTC_FLAG = "--webrtc-ip-handling-policy=disable_non_proxied_udp"
_MAIN_DOCUMENTS = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"}
_NETWORK_ERROR = re.compile(r"net::(ERR_\w+)")
_MAX_REASON_LENGTH = 200
# The place and the words in one step, so that a page cannot leave between the two. Scripts have
# run, so that neither they nor what is shown in their stead belong to the page any more.
_TAKE = """() => {
    for (const spent of document.querySelectorAll("script, noscript")) spent.remove();
    return [location.href, document.documentElement.outerHTML];
}"""


class UnguardedError(Exception):
    """The browser could get past the proxy."""


def main() -> None:
    """Answer the task on standard input."""
    # Whatever else prints does so elsewhere: standard output is for the answer alone.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        library = import_module("crawl4ai")
        answer(library, json.load(sys.stdin), answers)


def answer(library: Any, task: Json, answers: TextIO) -> None:  # noqa: ANN401 - it has no types
    """Open one page and say what became of it."""
    visit = Visit(task)
    try:
        failure = asyncio.run(visit.run(library))
    except UnguardedError as error:
        json.dump({"unguarded": str(error)}, answers)
        return
    said = {"url": visit.url, "status": visit.status, "refused": visit.refused}
    json.dump({**said, **asdict(visit.read(failure))}, answers)


class Visit:
    """One page in a context of its own, and what is seen of the way to it."""

    def __init__(self, task: Json) -> None:
        self.url: str = task["url"]
        self.status = 0
        self.refused = ""
        self._task = task
        self._policy = DomainPolicy(allowed=tuple(task["allowed"]), blocked=tuple(task["blocked"]))
        self._html = ""
        self._redirects = 0
        self._default_context: Any = None
        self._answering: set[asyncio.Task[None]] = set()

    async def run(self, library: Any) -> str:  # noqa: ANN401 - it has no types
        """Open the page and take its words; return what the library says if there are none."""
        task = self._task
        browser = library.BrowserConfig(
            cdp_url=task["devtools_url"],
            browser_mode="cdp",
            create_isolated_context=True,
            cdp_cleanup_on_close=True,
            cdp_close_delay=0,
            ignore_https_errors=False,
            user_agent="",
            verbose=False,
        )
        # Headers of the browser would go to the pages of whoever else uses it; the run has its own.
        browser.headers.clear()
        proxy = library.ProxyConfig(
            server=task["proxy_url"], username=task["proxy_user"], password=task["proxy_password"]
        )
        run = library.CrawlerRunConfig(
            cache_mode=library.CacheMode.BYPASS,
            page_timeout=int(task["timeout_seconds"] * 1000),
            # Its own Markdown is not used; without this it would be made all the same.
            prefetch=True,
            proxy_config=proxy,
            user_agent=task["user_agent"],
            verbose=False,
        )
        async with library.AsyncWebCrawler(config=browser) as crawler:
            crawler.crawler_strategy.set_hook("on_page_context_created", self.watch)
            crawler.crawler_strategy.set_hook("before_retrieve_html", self.take)
            await self.check_browser(crawler.crawler_strategy.browser_manager)
            result = await crawler.arun(self.url, config=run)
        return result.error_message or ""

    async def check_browser(self, manager: Any) -> None:  # noqa: ANN401 - it has no types
        """Check that a browser of someone else's was started so that nothing passes the proxy.

        A context's proxy holds for all but WebRTC, whose UDP goes to any address.

        Raises:
            UnguardedError: It was not.
        """
        self._default_context = manager.default_context
        if self._task["is_own"]:
            return
        session = await manager.browser.new_browser_cdp_session()
        about = await session.send("SystemInfo.getInfo")
        if WEBRTC_FLAG not in about["commandLine"].split():
            raise UnguardedError(
                f"the browser at {self._task['devtools_url']} lets pages send past the proxy: "
                f"start it with {WEBRTC_FLAG}"
            )

    async def watch(self, page: Any, context: Any, **_: object) -> Any:  # noqa: ANN401 - as above
        """See every request for the page's own document before it is sent."""
        if context is self._default_context:
            raise UnguardedError("Crawl4AI opened the page outside of the guarded context")
        session = await context.new_cdp_session(page)
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]

        def on_request(event: Json) -> None:
            judging = asyncio.create_task(
                self._judge(session, event, is_main=event["frameId"] == frame)
            )
            self._answering.add(judging)
            judging.add_done_callback(self._answering.discard)

        def on_response(response: Any) -> None:  # noqa: ANN401 - as above
            if response.request.is_navigation_request() and response.frame == page.main_frame:
                self.status = response.status

        session.on("Fetch.requestPaused", on_request)
        page.on("response", on_response)
        await session.send("Fetch.enable", {"patterns": [_MAIN_DOCUMENTS]})
        return page

    async def _judge(self, session: Any, event: Json, *, is_main: bool) -> None:  # noqa: ANN401
        request = {"requestId": event["requestId"]}
        if is_main and not self._permits(event):
            self.refused = event["request"]["url"]
            await session.send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})
        else:
            await session.send("Fetch.continueRequest", request)

    def _permits(self, event: Json) -> bool:
        self.url = event["request"]["url"]
        self._redirects = self._redirects + 1 if event.get("redirectedRequestId") else 0
        is_near = self._redirects <= self._task["max_redirects"]
        return is_near and self._policy.permits(urlsplit(self.url).hostname or "")

    async def take(self, page: Any, **_: object) -> Any:  # noqa: ANN401 - as above
        """Take the page as its scripts have left it, once they are done or have had their time."""
        errors = import_module("playwright.async_api")
        with suppress(errors.TimeoutError):
            await page.wait_for_load_state("networkidle", timeout=QUIET_MILLISECONDS)
        place, html = await page.evaluate(_TAKE)
        # Elsewhere are the browser's own pages, such as the one about a failure.
        if place.startswith(("http://", "https://")):
            self.url, self._html = urldefrag(place).url, html
        return page

    def read(self, failure: str) -> Extracted:
        """Return the page's words as our own reader sees them, or why there are none."""
        # With words there is no failure: the library takes short pages for those of robot traps.
        if not self._html:
            return Extracted(problem=_reason(failure))
        return read_document(
            self._html.encode("utf-8", "replace"), "text/html; charset=utf-8", self.url
        )


def _reason(message: str) -> str:
    """Return the library's reason in one line; it adds a part of its own source to it."""
    if code := _NETWORK_ERROR.search(message):
        return f"the browser could not open it ({code[1]})"
    first = next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
    return f"the browser could not open it: {first[:_MAX_REASON_LENGTH]}"


if __name__ == "__main__":
    main()
