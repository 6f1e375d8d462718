"""The journal, replays, leaving early, starting and stopping."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
from pathlib import Path

import aiohttp
import pytest

from groundwire.sandbox import Hit, SandboxServer, WebPage, serve
from groundwire.sandbox.web import Domains
from tests.sandbox.calls import ASKED, KEYS, PATHS, body, call, stream
from tests.shared import shared


async def test_the_journal_has_what_came_with_its_keys_masked(sandbox: SandboxServer) -> None:
    sent = body("anthropic", "hi")

    await call(sandbox, "anthropic", sent)
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{sandbox.root}/__sandbox/requests") as response,
    ):
        journal = (await response.json())["requests"]

    assert journal[0]["path"] == "/anthropic/v1/messages"
    assert journal[0]["body"] == sent
    assert journal[0]["headers"]["x-api-key"] == "****"
    assert (journal[0]["status"], journal[0]["ended"]) == (200, "complete")
    assert "k-1" not in str(journal)


@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_the_journal_can_be_emptied(sandbox: SandboxServer, method: str) -> None:
    await call(sandbox, "openai", body("openai", "hi"))

    async with (
        aiohttp.ClientSession() as session,
        session.request(method, f"{sandbox.root}/__sandbox/requests") as response,
    ):
        journal = await response.json()

    assert journal == {"requests": []}


@pytest.mark.parametrize("fault", ["silence;after=2", "endless"])
async def test_the_far_end_sees_a_client_leave(sandbox: SandboxServer, fault: str) -> None:
    url = sandbox.base_url("anthropic") + PATHS["anthropic"]
    headers = KEYS["anthropic"] | {"x-sandbox-fault": fault}
    sent = body("anthropic", ASKED, stream=True)

    async with aiohttp.ClientSession() as session:
        response = await session.post(url, json=sent, headers=headers)
        first = await response.content.readline()
        response.close()
    entry = await asyncio.to_thread(sandbox.wait_for_end)

    assert first == b"event: message_start\n"
    assert entry.ended == "closed by the client"
    assert entry.noticed in {"while waiting", "while writing"}


async def test_a_silent_reply_ends_with_the_server() -> None:
    async with SandboxServer(fault="silence") as sandbox:
        url = sandbox.base_url("openai") + PATHS["openai"]
        async with aiohttp.ClientSession() as session:
            sent = body("openai", "hi", stream=True)
            response = await session.post(url, json=sent, headers={"authorization": "Bearer k"})
            await response.content.readline()
            await sandbox.stop()
            response.close()
        entry = sandbox.requests[0]

    assert entry.ended == "stopped with the server"


def test_a_client_that_takes_nothing_does_not_outlive_the_server() -> None:
    """A connection that is left would be told by a warning, which fails the test."""
    with socket.socket() as client, SandboxServer() as sandbox:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(("127.0.0.1", int(sandbox.root.rpartition(":")[2])))
        fault = "/fault/huge_event;size=9000000"
        client.sendall(f"GET {fault}/searxng/search?q=otter&format=json HTTP/1.0\r\n\r\n".encode())
        begun = client.recv(12)

    assert begun == b"HTTP/1.0 200"
    gc.collect()


async def test_a_recording_is_sent_byte_by_byte_with_its_status(tmp_path: Path) -> None:
    (tmp_path / "limit.x.json").write_bytes(b'{"error": {}}')
    (tmp_path / "limit.x.meta.json").write_text('{"response": {"status": 429}}')
    (tmp_path / "talk.sse").write_bytes("data: 世界\n\n".encode())

    async with SandboxServer(recordings=tmp_path) as sandbox:
        replies = [
            await call(sandbox, "openai", {}, headers={"x-sandbox-replay": name})
            for name in ("limit.x.json", "talk.sse", "../secret", "none.sse")
        ]

    assert [reply.status for reply in replies] == [429, 200, 403, 404]
    assert replies[0].raw == b'{"error": {}}'
    assert replies[1].raw == "data: 世界\n\n".encode()
    assert replies[1].headers["content-type"] == "text/event-stream; charset=utf-8"


async def test_real_recordings_can_be_replayed_at_any_chunk_size() -> None:
    folder = shared("recordings")
    name = "anthropic/web_search_stream.pydantic.sse"

    async with SandboxServer(recordings=folder, replay=name, chunk_bytes=17) as sandbox:
        reply = await stream(sandbox, "anthropic", ASKED)
        entry = sandbox.requests[0]

    assert reply.raw == (folder / name).read_bytes()
    assert entry.chunks_sent == -(-len(reply.raw) // 17)


async def test_another_library_can_stand_behind_the_providers() -> None:
    page = WebPage(url="https://own.example/a", title="Own", passages=("Own words only.",))

    class OnePage:
        def search(self, query: str, *, limit: int, domains: Domains) -> list[Hit]:
            hit = Hit(page=page, passages=page.passages)
            return [hit][:limit] if query and domains.allow(page.url) else []

        def open(self, url: str) -> WebPage | None:
            return page if url == page.url else None

    async with SandboxServer(library=OnePage()) as sandbox:
        reply = await call(sandbox, "openai", body("openai", "anything", search=True))

    message = reply.json()["choices"][0]["message"]
    assert message["annotations"][0]["url_citation"]["title"] == "Own"
    assert "Own words only." in message["content"]


async def test_more_models_can_be_allowed() -> None:
    async with SandboxServer(extra_models=("local-1",)) as sandbox:
        reply = await call(sandbox, "openai", body("openai", "hi") | {"model": "local-1"})

    assert reply.status == 200


async def test_serve_listens_until_it_is_stopped() -> None:
    server = await serve("127.0.0.1", 0)
    reply = await call(server, "openrouter", body("openrouter", "hi"))
    await server.stop()

    with pytest.raises(aiohttp.ClientConnectionError):
        await call(server, "openrouter", body("openrouter", "hi"))
    assert reply.status == 200


async def test_a_cancelled_server_has_stopped() -> None:
    server = await serve("127.0.0.1", 0)
    running = asyncio.create_task(server.run_until_cancelled())
    await call(server, "openai", body("openai", "hi"))

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    with pytest.raises(aiohttp.ClientConnectionError):
        await call(server, "openai", body("openai", "hi"))


async def test_an_unknown_path_is_not_found(sandbox: SandboxServer) -> None:
    reply = await call(sandbox, "openai", {}, path="/audio/speech")

    assert reply.status == 404


async def test_embeddings_are_near_where_words_mean_alike(sandbox: SandboxServer) -> None:
    asked = {
        "model": "text-embedding-3-small",
        "input": ["a red car", "a red automobile", "the wide river"],
    }

    reply = await call(sandbox, "openai", asked, path="/embeddings")
    bad = await call(sandbox, "openai", {**asked, "input": []}, path="/embeddings")

    car, automobile, river = (each["embedding"] for each in json.loads(reply.raw)["data"])
    assert (reply.status, bad.status) == (200, 400)
    assert car == automobile
    assert sum(a * b for a, b in zip(car, river, strict=True)) < 0.5
