"""Pages for readers: what they are on the wire, and that our own door withstands them."""

from __future__ import annotations

import asyncio
import re
import socket
import zlib
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import aiohttp
import pytest

from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.errors import BlockedError, GroundwireError
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.site import HOSTILE, PAGES
from groundwire.sandbox.site.redirects import TARGETS
from groundwire.wire.contract import HttpReply
from tests.sandbox.visits import leave_silent, visit

TIDE = "/pages/web/wiki.example.net/tide"
MOST_BYTES = 2_000_000
PUBLIC = "93.184.215.14"
NEVER_ENDING = {"drip", "endless", "silent", "slow"}


class _Bent(socket.socket):
    """A socket that ends at the sandbox, whatever public address it was opened for."""

    port = 0

    def connect(self, address: Any, /) -> None:
        assert address[0] == PUBLIC
        super().connect(("127.0.0.1", self.port))


async def _resolve(_host: str) -> Sequence[str]:
    return (PUBLIC,)


async def _fetch(sandbox: SandboxServer, name: str, *, seconds: float = 30) -> HttpReply:
    """Open a hostile page through our own door, as if it lay on the public web."""

    def bent(address: tuple[Any, ...]) -> socket.socket:
        made = _Bent(family=address[0], type=address[1], proto=address[2])
        made.port = int(sandbox.root.rpartition(":")[2])
        return made

    limits = NetworkSettings(
        page_timeout_seconds=seconds,
        max_page_bytes=MOST_BYTES,
        max_decoded_page_bytes=MOST_BYTES,
    )
    async with Client(limits, resolve=_resolve, make_socket=bent) as client:
        return await client.fetch_page(f"http://pages.test/pages/hostile/{name}")


async def _bytes(sandbox: SandboxServer, name: str) -> bytes:
    """Return everything that comes over the wire, for replies that no client would take."""
    host, port = sandbox.root.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /pages/hostile/{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    received = await reader.read()
    writer.close()
    await writer.wait_closed()
    return received


async def test_the_built_in_web_is_there_as_real_html(sandbox: SandboxServer) -> None:
    page = await visit(sandbox, "/pages/web/docs.example.org/asyncio/tasks")

    text = page.raw.decode()
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Asyncio tasks</h1>" in text
    assert "<p>A task wraps a coroutine and runs it in the event loop." in text
    assert '<pre><code class="language-python">import asyncio' in text
    assert "<th>Published</th><td>2026-08-11</td>" in text
    assert f'<nav><ul><li><a href="{TIDE.replace("tide", "sea-otter")}">' in text


async def test_the_index_leads_to_everything(sandbox: SandboxServer) -> None:
    index = await visit(sandbox, "/pages/")
    links = re.findall(r'href="([^"]+)"', index.raw.decode())

    found = [await visit(sandbox, link) for link in links if "hostile/" not in link]

    assert {reply.status for reply in found} == {200}
    assert len(links) > len(PAGES) + len(HOSTILE)


async def test_a_page_that_has_not_changed_is_not_sent_again(sandbox: SandboxServer) -> None:
    first = await visit(sandbox, TIDE)
    by_tag = await visit(sandbox, TIDE, if_none_match=first.headers["etag"])
    by_date = await visit(sandbox, TIDE, if_modified_since=first.headers["last-modified"])
    changed = await visit(sandbox, TIDE, if_none_match='"other"')

    assert first.headers["last-modified"] == "Sun, 30 Nov 2025 00:00:00 GMT"
    assert [(reply.status, reply.raw) for reply in (by_tag, by_date)] == [(304, b"")] * 2
    assert changed.raw == first.raw


async def test_robots_are_allowed_here_and_denied_there(sandbox: SandboxServer) -> None:
    rules = (await visit(sandbox, "/robots.txt")).raw.decode()
    broken = await visit(sandbox, "/fault/server_error/robots.txt")

    assert "User-agent: *\nDisallow: /pages/private/\nAllow: /pages/private/open\n" in rules
    assert broken.status == 500


async def test_other_documents_are_what_they_say(sandbox: SandboxServer) -> None:
    paper, rss, atom, data, text = [
        await visit(sandbox, f"/pages/{name}")
        for name in ("paper.pdf", "feed.rss", "feed.atom", "data.json", "plain.txt")
    ]

    newest = "Solar power sets a record"
    place = int(paper.raw.rsplit(b"startxref\n", 1)[1].split()[0])
    assert (paper.raw[:5], paper.raw[place : place + 4]) == (b"%PDF-", b"xref")
    assert ElementTree.fromstring(rss.raw).findtext("channel/item/title") == newest
    assert newest in [title.text for title in ElementTree.fromstring(atom.raw).iter() if title.text]
    assert data.json()["pages"][0] == {"title": newest, "published": "2026-10-04"}
    assert "<b>das bleibt stehen</b>, äöü, 新幹線, 🦦" in text.raw.decode()


@pytest.mark.parametrize(("status", "wait"), [(404, None), (410, None), (429, "7"), (503, "7")])
async def test_a_page_can_have_any_status(
    sandbox: SandboxServer, status: int, wait: str | None
) -> None:
    page = await visit(sandbox, f"/pages/status/{status}")

    assert (page.status, page.headers.get("retry-after")) == (status, wait)


@pytest.mark.parametrize("name", TARGETS)
async def test_a_redirect_leads_where_nobody_should_go(sandbox: SandboxServer, name: str) -> None:
    page = await visit(sandbox, f"/pages/hostile/redirect-{name}")

    status, target = TARGETS[name]
    port = sandbox.root.rpartition(":")[2]
    assert page.status == status
    assert page.headers["location"] == target.replace("{port}", port)


async def test_redirects_loop_or_lead_on_for_long(sandbox: SandboxServer) -> None:
    names = ("loop", "ping", "pong", "growing?x", "chain?steps=2", "chain?steps=0")

    pages = [await visit(sandbox, f"/pages/hostile/{name}") for name in names]

    assert [page.headers.get("location", "").rpartition("/")[2] for page in pages] == [
        "loop",
        "pong",
        "ping",
        "growing?xx",
        "chain?steps=1",
        "",
    ]


@pytest.mark.parametrize(
    ("name", "encoding", "window"),
    [("gzip-bomb", "gzip", 31), ("deflate-bomb", "deflate", 15)],
)
async def test_a_bomb_is_small_until_it_is_unpacked(
    sandbox: SandboxServer, name: str, encoding: str, window: int
) -> None:
    page = await visit(sandbox, f"/pages/hostile/{name}?mebibytes=8")

    unpacked = zlib.decompress(page.raw, window)
    assert page.headers["content-encoding"] == encoding
    assert len(page.raw) < 100_000 < 8 << 20 <= len(unpacked)
    assert unpacked.startswith(b"<p>And it goes on")


async def test_a_bomb_can_lie_inside_another(sandbox: SandboxServer) -> None:
    page = await visit(sandbox, "/pages/hostile/double-bomb?mebibytes=8")

    once = zlib.decompress(page.raw, 31)
    assert page.headers["content-encoding"] == "gzip, gzip"
    assert len(page.raw) < len(once) < len(zlib.decompress(once, 31))


@pytest.mark.parametrize("name", ["drip", "endless", "silent"])
async def test_a_body_can_go_on_until_the_reader_leaves(sandbox: SandboxServer, name: str) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{sandbox.root}/pages/hostile/{name}") as page,
    ):
        first = await page.content.readany()
        if name != "silent":
            await page.content.readany()
    entry = await asyncio.to_thread(sandbox.wait_for_end)

    assert first.startswith(b"<!doctype html>")
    assert entry.ended == "closed by the client"


async def test_a_first_byte_can_be_late(sandbox: SandboxServer) -> None:
    soon = await visit(sandbox, "/pages/hostile/slow?seconds=0.05")
    await leave_silent(sandbox, visit(sandbox, "/pages/hostile/slow"))
    never = await visit(sandbox, "/pages/hostile/slow?seconds=soon")

    assert b"Here at last." in soon.raw
    assert (await asyncio.to_thread(sandbox.wait_for_end, 1)).status is None
    assert never.status == 400


async def test_lengths_lie_and_bodies_are_cut(sandbox: SandboxServer) -> None:
    cut, long = [
        await visit(sandbox, f"/pages/hostile/{name}") for name in ("cut", "length-too-long")
    ]
    head, _, body = (await _bytes(sandbox, "length-too-short")).partition(b"\r\n\r\n")

    assert (cut.error, long.error) == ("ClientPayloadError", "ClientPayloadError")
    assert f"Content-Length: {len(body) // 2}\r\n" in head.decode() + "\r\n"
    assert body.endswith(b"</html>\n")


async def test_a_head_can_say_too_little(sandbox: SandboxServer) -> None:
    no_type, no_length = [await _bytes(sandbox, name) for name in ("no-type", "no-length")]

    assert b"Content-Type" not in no_type
    assert (b"Content-Length" in no_length, b"Transfer-Encoding" in no_length) == (False, False)


@pytest.mark.parametrize("name", ["not-http", "huge-header"])
async def test_a_head_can_be_unreadable(sandbox: SandboxServer, name: str) -> None:
    with pytest.raises(aiohttp.ClientError):
        await visit(sandbox, f"/pages/hostile/{name}")


@pytest.mark.parametrize(
    ("name", "content_type", "start"),
    [
        ("html-as-image", "image/png", b"<!doctype html>"),
        ("html-as-json", "application/json", b"<!doctype html>"),
        ("html-as-text", "text/plain", b"<!doctype html>"),
        ("html-as-bytes", "application/octet-stream", b"<!doctype html>"),
        ("pdf-as-html", "text/html; charset=utf-8", b"%PDF-"),
        ("image-as-html", "text/html; charset=utf-8", b"\x89PNG"),
        ("charset-utf16", "text/html", b"\xff\xfe<\x00!\x00"),
    ],
)
async def test_a_page_is_not_what_it_says(
    sandbox: SandboxServer, name: str, content_type: str, start: bytes
) -> None:
    page = await visit(sandbox, f"/pages/hostile/{name}")

    assert page.headers["content-type"] == content_type
    assert page.raw.startswith(start)


@pytest.mark.parametrize(
    ("name", "said", "written"),
    [
        ("charset-wrong", "utf-8", "cp1252"),
        ("charset-lying", "iso-8859-1", "utf-8"),
        ("charset-unknown", "utf-99", "utf-8"),
    ],
)
async def test_a_page_lies_about_its_encoding(
    sandbox: SandboxServer, name: str, said: str, written: str
) -> None:
    page = await visit(sandbox, f"/pages/hostile/{name}")

    assert page.headers["content-type"] == f"text/html; charset={said}"
    assert "Größe, Maß und Übermut kosten fünf €." in page.raw.decode(written)


async def test_some_pages_are_too_much(sandbox: SandboxServer) -> None:
    line, deep, table = [
        await visit(sandbox, f"/pages/hostile/{name}")
        for name in ("long-line", "deep", "wide-table")
    ]

    assert (len(line.raw) > 10_000_000, b"\n" in line.raw) == (True, False)
    assert deep.raw.count(b"<div>") == deep.raw.count(b"</div>") == 100_000
    assert len(table.raw) > 3_000_000


async def test_a_page_is_empty_until_its_script_has_run(sandbox: SandboxServer) -> None:
    page = await visit(sandbox, "/pages/script-only")
    content = await visit(sandbox, "/pages/script-only.json")

    assert b"Made by a script" not in page.raw
    assert content.json()[0] == ["h1", "Made by a script"]


@pytest.mark.parametrize("name", sorted(f"redirect-{name}" for name in TARGETS))
async def test_our_door_follows_no_redirect_to_a_private_place(
    sandbox: SandboxServer, name: str
) -> None:
    with pytest.raises(BlockedError):
        await _fetch(sandbox, name)

    assert [entry.path for entry in sandbox.requests] == [f"/pages/hostile/{name}"]


@pytest.mark.parametrize("name", ["loop", "ping", "growing", "chain?steps=50"])
async def test_our_door_does_not_go_round_in_circles(sandbox: SandboxServer, name: str) -> None:
    with pytest.raises(BlockedError, match="it redirects more than"):
        await _fetch(sandbox, name)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in NEVER_ENDING])
async def test_our_door_survives_every_page(sandbox: SandboxServer, name: str) -> None:
    try:
        outcome = (await _fetch(sandbox, f"{name}?mebibytes=64")).body
    except GroundwireError as error:
        outcome = str(error).encode()

    assert 0 < len(outcome) <= MOST_BYTES


@pytest.mark.parametrize("name", ["drip", "endless"])
async def test_our_door_leaves_a_page_that_never_ends(sandbox: SandboxServer, name: str) -> None:
    page = await _fetch(sandbox, name, seconds=1)

    assert page.is_truncated


async def test_the_journal_shows_who_reached_the_secret(sandbox: SandboxServer) -> None:
    page = await visit(sandbox, "/pages/secret?by=test")

    assert b"The secret word is periwinkle." in page.raw
    assert [(entry.path, entry.query) for entry in sandbox.requests] == [
        ("/pages/secret", {"by": "test"})
    ]
