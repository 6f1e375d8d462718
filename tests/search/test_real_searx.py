"""Debian's searx, an engine that nobody here wrote, over a small library of pages."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.client import Client, HttpSearchProvider
from groundwire.errors import OverloadedError
from groundwire.model import SearchQuery, SearchReply, SearchResult
from groundwire.wire.contract import Access, Endpoint

RUN = shutil.which("searx-run", path="/usr/bin")
# Debian keeps them apart from the program.
RESOURCES = "/usr/share/python3-searx"
QUERY = "select title, url, body as content from pages where pages match :query order by rank"
HOME = "https://example.org/"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(RUN is None, reason="Debian's searx is not installed"),
]


def _settings(folder: Path, port: int, query: str) -> dict[str, object]:
    links = ("git_url", "issue_url", "docs_url", "public_instances", "wiki_url", "twitter_url")
    return {
        "general": {"debug": False, "instance_name": "searx", "contact_url": False},
        "brand": {**dict.fromkeys(links, HOME), "git_branch": "master"},
        "search": {"safe_search": 0, "autocomplete": "", "default_lang": ""},
        "server": {
            "port": port,
            "bind_address": "127.0.0.1",
            "secret_key": "for this test only",
            "base_url": False,
            "image_proxy": False,
            "method": "GET",
        },
        "ui": {
            "static_path": f"{RESOURCES}/static",
            "templates_path": f"{RESOURCES}/templates",
            "default_theme": "oscar",
            "default_locale": "",
            "theme_args": {"oscar_style": "logicodev"},
        },
        "outgoing": {"request_timeout": 2.0, "useragent_suffix": ""},
        "engines": [
            {
                "name": "pages",
                "engine": "sqlite",
                "shortcut": "pg",
                "database": str(folder / "pages.db"),
                "result_template": "default.html",
                "query_str": query,
                "timeout": 3.0,
            }
        ],
        "locales": {"en": "English"},
        "doi_resolvers": {"none": HOME},
        "default_doi_resolver": "none",
    }


@contextmanager
def searx(folder: Path, query: str = QUERY) -> Iterator[str]:
    """Run the engine over the pages in a folder and yield where it is."""
    with sqlite3.connect(folder / "pages.db") as pages:
        pages.execute("create virtual table if not exists pages using fts5(title, url, body)")
        row = ("Otter", "https://a.org/1", "They hold hands.")
        pages.execute("insert into pages values (?, ?, ?)", row)
    pages.close()
    # Others use the machine, too: one of them may take a port that was free.
    started = next(filter(None, (_started(folder, query) for _ in range(5))), None)
    assert started is not None, "searx did not start"
    process, url = started
    with process:
        try:
            yield url
        finally:
            process.kill()


def _started(folder: Path, query: str) -> tuple[subprocess.Popen[str], str] | None:
    """Run the engine on a port that is free; None if it ended instead."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # JSON is YAML too.
    (folder / "settings.yml").write_text(json.dumps(_settings(folder, port, query)))
    environment = {**os.environ, "SEARX_SETTINGS_PATH": str(folder / "settings.yml")}
    process = subprocess.Popen(
        ["/usr/bin/python3", str(RUN)],
        env=environment,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        text=True,
    )
    if any("Running on" in line for line in process.stderr or ()):
        return process, f"http://127.0.0.1:{port}"
    with process:
        return None


async def find(base_url: str, query: SearchQuery) -> SearchReply:
    access = Access(base_url=base_url)
    endpoint = Endpoint(name="searxng", provider=registry.get("searxng"), access=access)
    async with Client() as client:
        return await HttpSearchProvider(endpoint, client).find(query)


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with searx(tmp_path_factory.mktemp("searx")) as url:
        yield url


async def test_it_finds_a_page(base_url: str) -> None:
    reply = await find(base_url, SearchQuery(text="hands"))

    assert reply.results == (
        SearchResult(url="https://a.org/1", title="Otter", snippet="They hold hands."),
    )


async def test_it_finds_nothing(base_url: str) -> None:
    assert (await find(base_url, SearchQuery(text="walrus"))).results == ()


@pytest.mark.parametrize("text", ["!!g hands", "hands !!g", "!wp hands"])
async def test_a_bang_stays_here(base_url: str, text: str) -> None:
    # Followed, it would be an error of a redirect; obeyed, another engine's.
    assert (await find(base_url, SearchQuery(text=text))).service == "searxng"


async def test_engines_that_all_fail_are_an_error(tmp_path: Path) -> None:
    with searx(tmp_path, "select nothing") as url, pytest.raises(OverloadedError) as caught:
        await find(url, SearchQuery(text="hands"))

    assert "none of its engines answered: pages (" in str(caught.value)
