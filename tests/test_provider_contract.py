"""What every provider found must keep, whoever wrote it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
import sys
from collections.abc import Callable
from functools import partial

import pytest

from groundwire import registry
from groundwire.errors import BadReplyError
from groundwire.events import Done, Error
from groundwire.model import Json, SearchQuery, Secret, UserMessage
from groundwire.wire.contract import (
    Access,
    Answers,
    AnswersDirectly,
    HttpReply,
    HttpRequest,
    Question,
    Reads,
    Searches,
    abilities,
)
from groundwire.wire.http import understand

CANARY = "canary-0123456789abcdef"
OPENS_CONNECTIONS = {"aiohttp", "http", "httpx", "requests", "socket", "ssl", "urllib.request"}

every_provider = pytest.mark.parametrize("name", registry.names())


def access(name: str) -> Access:
    base_url = registry.get(name).base_url or "http://127.0.0.1:1"
    return Access(base_url=base_url, key=Secret(CANARY), options={"account_id": "account"})


def requests(name: str) -> list[HttpRequest]:
    """Return one request for each thing the provider can do."""
    provider = registry.get(name)
    made: list[HttpRequest] = []
    if isinstance(provider, Searches):
        query = SearchQuery(text="straße & co", domains=("example.org",), time_range="w")
        made.append(provider.search_request(query, access(name)))
    if isinstance(provider, Reads):
        made.append(provider.read_request("https://example.org/?a=1&b=2", access(name)))
    if isinstance(provider, Answers):
        question = Question(model="a-model", messages=(UserMessage(content="why?"),))
        made.append(provider.answer_request(question, access(name)))
        made.append(provider.models_request(access(name)))
    return made


@every_provider
def test_a_provider_can_do_something_and_says_what_it_is(name: str) -> None:
    provider = registry.get(name)

    assert abilities(provider)
    assert provider.title
    assert (provider.__doc__ or "").strip()


@every_provider
def test_a_providers_key_has_a_variable_and_a_place_to_get_it(name: str) -> None:
    provider = registry.get(name)

    if provider.key_variable is not None:
        assert re.fullmatch(r"[A-Z][A-Z0-9_]+", provider.key_variable)
        assert provider.key_url.startswith("https://")


@every_provider
def test_a_provider_asks_only_where_the_operator_said_that_it_is(name: str) -> None:
    for request in requests(name):
        assert request.url.startswith(access(name).base_url)


@every_provider
def test_a_provider_puts_its_key_into_headers_and_nowhere_else(name: str) -> None:
    for request in requests(name):
        assert CANARY not in request.url
        assert CANARY.encode() not in (request.body or b"")
        assert CANARY not in repr(request)


@every_provider
def test_a_provider_opens_no_connection_of_its_own(name: str) -> None:
    module = sys.modules[type(registry.get(name)).__module__]
    tree = ast.parse(inspect.getsource(module))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert not imported & OPENS_CONNECTIONS


STRANGE_BODIES = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"7",
    b'{"results": 5}',
    b'{"data": []}',
    b"\xff<html>",
)


@every_provider
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 429, 432, 500, 529])
def test_a_strange_reply_is_the_services_failure_and_not_ours(name: str, status: int) -> None:
    provider = registry.get(name)
    readers: list[Callable[[HttpReply], object]] = [provider.error_from]
    if isinstance(provider, Searches):
        readers.append(provider.search_results)
    if isinstance(provider, Reads):
        readers.append(partial(provider.read_page, "https://example.org/"))
    if isinstance(provider, Answers):
        readers.append(provider.models)

    for read in readers:
        for body in STRANGE_BODIES:
            with contextlib.suppress(BadReplyError):
                understand(read, HttpReply(status=status, body=body, service=name))


@every_provider
def test_a_strange_stream_never_breaks_a_decoder(name: str) -> None:
    provider = registry.get(name)
    if not isinstance(provider, Answers):
        return
    decoder = provider.answer_decoder()

    for body in STRANGE_BODIES:
        decoder.feed_data(body.decode("utf-8", "replace"))
    last = [*decoder.finish()][-1:]

    assert all(isinstance(event, Error | Done) for event in last)


@every_provider
def test_a_strange_body_never_breaks_a_decoder(name: str) -> None:
    provider = registry.get(name)
    if not isinstance(provider, Answers):
        return

    strange: list[Json] = [{}, [], None, 7, {"error": "no"}, {"choices": 5}, {"content": [1]}]
    for body in strange:
        events = [*(decoder := provider.answer_decoder()).feed_body(body), *decoder.finish()]
        assert isinstance(events[-1], Error | Done)


@every_provider
async def test_a_provider_that_answers_without_requests_has_a_model_and_comes_to_an_end(
    name: str,
) -> None:
    provider = registry.get(name)
    if not isinstance(provider, AnswersDirectly):
        return
    (model, *_) = await provider.list_models(access(name))
    question = Question(model=model.id, messages=(UserMessage(content="why?"),))

    events = [e async for batch in provider.answer(question, access(name)) for e in batch]

    assert isinstance(events[-1], Error | Done)
    assert CANARY not in repr(events)
