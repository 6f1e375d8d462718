"""Vectors from a server with OpenAI's `/v1/embeddings`, and a library that uses them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groundwire import Settings
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.errors import BadReplyError
from groundwire.library import Library, library_path
from groundwire.model import SearchQuery, Secret
from groundwire.providers.embeddings import provider
from groundwire.sandbox import SandboxServer
from groundwire.search import SearchChain, SearchContext
from groundwire.service import search_context as wired
from groundwire.service.library_embeddings import embed_library
from groundwire.wire.contract import Access, HttpReply
from groundwire.wire.http import understand
from tests.library.folders import adding, write

MODEL = "text-embedding-3-small"
KEY = "canary_Kq3v-8Lw2.Zt5"
NOTES = {
    "car.md": "# Garage\n\nThe automobile stands in the garage.\n",
    "river.md": "# River\n\nThe river is wide.\n",
}


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


def test_a_request_asks_one_model_for_all_texts() -> None:
    access = Access(
        base_url="http://127.0.0.1:9/v1",
        key=Secret("k"),
        options={"model": MODEL, "dimensions": 64},
    )

    request = provider.embed_request(["a", "b"], access)

    assert (request.method, request.url) == ("POST", "http://127.0.0.1:9/v1/embeddings")
    assert request.headers["Authorization"] == "Bearer k"
    assert json.loads(request.body or b"") == {
        "model": MODEL,
        "input": ["a", "b"],
        "encoding_format": "float",
        "dimensions": 64,
    }


def test_vectors_come_in_the_order_of_the_texts() -> None:
    body = {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}
    reply = HttpReply(status=200, headers={}, body=json.dumps(body).encode(), url="")

    assert provider.embeddings(reply) == [[1.0, 0.0], [0.0, 1.0]]


def test_a_reply_that_is_none_is_told() -> None:
    reply = HttpReply(status=200, headers={}, body=b'{"data": [{"index": 0}]}', url="")

    with pytest.raises(BadReplyError):
        understand(provider.embeddings, reply)


@asynccontextmanager
async def _search_context(address: str, tmp_path: Path) -> AsyncIterator[SearchContext]:
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "network": {"retries": 0},
            "providers": {"embeddings": {"base_url": address, "model": MODEL}},
        }
    )
    keys = Keys(
        environment={"EMBEDDINGS_API_KEY": KEY}, dotenv=tmp_path / ".env", file=tmp_path / "k.json"
    )
    async with Client(settings.network) as client, wired(settings, keys, client) as search_context:
        yield search_context


async def _add(folder: Path) -> None:
    async with adding(library_path({})) as (adder, _):
        await adder.add_folder(folder)


async def _found(search_context: SearchContext) -> tuple[list[str], tuple[str, ...]]:
    reply = await SearchChain(search_context).find(SearchQuery(text="vehicle", limit=1))
    return [result.url for result in reply], reply.notes


async def test_the_library_finds_what_means_alike_once_its_vectors_are_made(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    await _add(write(tmp_path / "notes", NOTES))
    async with _search_context(sandbox.base_url("embeddings"), tmp_path) as search_context:
        before = await _found(search_context)
        made = await embed_library(search_context, {})
        again = await embed_library(search_context, {})
        after = await _found(search_context)

    assert (before, made, again) == (([], ()), 2, 0)
    assert after == (["https://library.test/notes/car.md"], ())


@pytest.mark.parametrize("fault", ["overloaded", "unauthorized"])
async def test_without_the_service_words_alone_answer_and_the_reply_says_so(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    await _add(write(tmp_path / "notes", NOTES))
    async with _search_context(
        sandbox.base_url("embeddings", fault=fault), tmp_path
    ) as search_context:
        reply = await SearchChain(search_context).find(SearchQuery(text="river"))

    (note,) = reply.notes
    assert [result.title for result in reply] == ["River"]
    assert note.startswith("searched by words alone: the service of embeddings failed")
    assert KEY not in repr(reply)


async def test_what_was_interrupted_goes_on(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    many = {f"{number}.md": f"# Note {number}\n\nWords.\n" for number in range(70)}
    await _add(write(tmp_path / "notes", many))
    async with _search_context(sandbox.base_url("embeddings"), tmp_path) as search_context:

        def stop(done: int, total: int) -> None:
            del total
            if done:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            await embed_library(search_context, {}, stop)
        with Library(library_path({})) as library:
            kept, could = library.embedded()
        rest = await embed_library(search_context, {})

    assert 0 < kept < could == 70
    assert kept + rest == 70
