"""Vectors of one service: one for each text, all alike, or an error."""

from __future__ import annotations

import json

import pytest

from groundwire.client import Client
from groundwire.client.embeddings import EmbeddingClient
from groundwire.errors import BadReplyError, UnsupportedError
from groundwire.providers.embeddings import provider
from groundwire.wire.contract import Access, Endpoint
from tests.client.echo import Echo
from tests.loopback import reply, serve

NAN = float("nan")


async def _vectors(sent: list[list[float]], texts: list[str]) -> list[list[float]]:
    body = {"data": [{"index": at, "embedding": each} for at, each in enumerate(sent)]}
    async with serve(reply(json.dumps(body).encode())) as server, Client() as client:
        access = Access(base_url=server.url, options={"model": "m"})
        endpoint = Endpoint(name="embeddings", provider=provider, access=access)
        found = await EmbeddingClient(endpoint, client).vectors(texts)
        return [[*each] for each in found]


@pytest.mark.parametrize("sent", [[[1.0]], [[0.5, -1.0]], [[0.0, 1.0], [1.0, 0.0]]])
async def test_a_vector_for_each_text_is_returned(sent: list[list[float]]) -> None:
    assert await _vectors(sent, ["text"] * len(sent)) == sent


@pytest.mark.parametrize(
    "sent",
    [
        [],
        [[1.0]],
        [[1.0], [1.0], [1.0]],
        [[1.0], [1.0, 2.0]],
        [[], []],
        [[1.0], []],
        [[1.0, NAN], [1.0, 2.0]],
        [[NAN], [NAN]],
        [[1.0], [float("inf")]],
    ],
)
async def test_vectors_that_are_not_one_for_each_text_are_an_error(sent: list[list[float]]) -> None:
    with pytest.raises(BadReplyError, match="it did not send a vector of one length for each text"):
        await _vectors(sent, ["one", "two"])


async def test_vectors_can_be_compared_where_address_model_and_size_are_the_same() -> None:
    async with Client() as client:
        forms = [
            EmbeddingClient(
                Endpoint(
                    name="embeddings",
                    provider=provider,
                    access=Access(base_url="http://a.org", options=options),
                ),
                client,
            ).form
            for options in ({}, {"model": "m"}, {"model": "m", "dimensions": 64})
        ]

    assert forms == ["http://a.org", "http://a.org m", "http://a.org m 64"]


async def test_a_provider_that_makes_no_vectors_says_so() -> None:
    endpoint = Endpoint(name="echo", provider=Echo(), access=Access(base_url="http://a.org"))
    async with Client() as client:
        with pytest.raises(UnsupportedError, match="'echo' cannot embed"):
            EmbeddingClient(endpoint, client)
