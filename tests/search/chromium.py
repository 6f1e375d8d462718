"""A real Chromium for the tests of Crawl4AI, and a web of our own for it to look at."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from groundwire import guard, registry
from groundwire.browser.chromium import EXECUTABLES
from groundwire.browser.crawl4ai_worker import WEBRTC_FLAG
from groundwire.client import Client
from groundwire.guard import DomainPolicy
from groundwire.model import Json
from groundwire.search import ReadChain, SearchContext
from groundwire.wire.contract import Access, Endpoint
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback
from tests.search.services import settings

CHROMIUM = next((path for name in EXECUTABLES if (path := shutil.which(name))), None)
OWN = "chromium"

needs_browser = [
    pytest.mark.skipif(find_spec("crawl4ai") is None, reason="needs the package crawl4ai"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@contextmanager
def running(profile: Path, *flags: str) -> Iterator[str]:
    """A browser that someone else started, with no proxy and none of our flags but the given."""
    process = subprocess.Popen(
        [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            *flags,
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        said = next(line for line in process.stderr if line.startswith("DevTools listening on"))
        yield said.split()[-1].replace("ws://", "http://").partition("/devtools")[0]
    finally:
        os.killpg(process.pid, 9)
        process.communicate()


@pytest.fixture(scope="module")
def their_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A browser that can be guarded."""
    with running(tmp_path_factory.mktemp("profile"), WEBRTC_FLAG) as url:
        yield url


@asynccontextmanager
async def chain(
    internet: Internet,
    base_url: str,
    policy: DomainPolicy = guard.ANYWHERE,
    make_client: Callable[..., Client] = Client,
    **chosen: Json,
) -> AsyncIterator[ReadChain]:
    """A reader, with our own extraction, whose public pages are all at one server."""
    # A machine with much to do may take its time.
    read = {"respect_robots": False, "timeout_seconds": 300}
    values = settings(**{"read_provider": "crawl4ai", **chosen}, read=read, cache={"kind": "off"})

    def find(name: str) -> Endpoint:
        access = Access(base_url=base_url)
        return Endpoint(name=name, provider=registry.get(name), access=access)

    async with (
        make_client(
            values.network, resolve=internet.resolve, make_socket=internet.make_socket
        ) as client,
        SearchContext(values, client, find=find) as search_context,
    ):
        yield ReadChain(search_context, policy=policy)


def web(server: Loopback, **more: list[list[str]]) -> Internet:
    names = {name: [[PUBLIC]] for name in ("a.example", "b.example")}
    return Internet(server, {**names, **{f"{name}.example": more[name] for name in more}})


def html(text: str) -> bytes:
    return f"<!doctype html><title>Page</title><body>{text}".encode()
