"""What fuzzing found in replies and was mended, each with its smallest input."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from groundwire import registry
from groundwire.errors import BadReplyError, ServiceError
from groundwire.events import (
    Citations,
    Done,
    StreamEvent,
    ToolCallStart,
    Usage,
    Warned,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Citation, Json, SearchResult
from groundwire.wire import errors
from groundwire.wire.contract import Answers, HttpReply, Searches
from groundwire.wire.decoder import typed
from groundwire.wire.http import understand
from tests.security.fuzzing import PLANTED

ENDLESS = "[" * 100_000
DEEP = '{"error":' * 5_000 + "1" + "}" * 5_000
ANSWERING = [name for name in registry.names() if isinstance(registry.get(name), Answers)]


def fault(body: bytes) -> ServiceError:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    return errors.read_fault("service", status=429, headers={}, body=body, now=now)


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize("text", [ENDLESS, DEEP])
def test_an_event_nested_without_end_is_skipped(name: str, text: str) -> None:
    provider = registry.get(name)
    assert isinstance(provider, Answers)
    decoder = provider.answer_decoder()
    decoder.feed_data("{}")

    [event] = decoder.feed_data(text)

    assert isinstance(event, Warned)
    assert event.code == "malformed_event"


@pytest.mark.parametrize("text", [ENDLESS, DEEP])
def test_a_body_nested_without_end_is_a_bad_reply(text: str) -> None:
    with pytest.raises(BadReplyError, match="expected JSON"):
        HttpReply(status=200, body=text.encode(), service="service").json()


def test_a_body_that_is_no_json_is_shown_without_the_keys_in_it() -> None:
    reply = HttpReply(status=200, body=f"key {PLANTED}".encode(), service="service")

    with pytest.raises(BadReplyError, match=r"key \[hidden\]"):
        reply.json()


@pytest.mark.parametrize("text", [ENDLESS, DEEP, json.dumps({"error": {"x": 1}})])
def test_a_failure_nested_without_end_is_a_failure_all_the_same(text: str) -> None:
    assert fault(text.encode()).code == "rate_limit"


def test_a_wait_too_long_to_be_a_number_is_none() -> None:
    body = {"error": {"message": "slower", "retry_after_seconds": 10**400}}

    assert fault(json.dumps(body).encode()).retry_after_seconds is None


def test_a_key_that_a_service_repeats_is_in_no_message() -> None:
    provider = registry.get("jina")
    reply = HttpReply(status=200, body=json.dumps({"message": PLANTED}).encode(), service="jina")

    assert str(provider.error_from(reply)) == "jina: [hidden]"


@pytest.mark.parametrize("hit", [{"url": 7, "title": "x"}, {"url": "https://a.b", "title": ["x"]}])
def test_a_hit_whose_words_are_none_is_a_bad_reply(hit: Json) -> None:
    provider = registry.get("tavily")
    assert isinstance(provider, Searches)
    body = json.dumps({"results": [{**hit, "content": "x"}]}).encode()

    with pytest.raises(BadReplyError, match="unexpected shape"):
        understand(provider.search_results, HttpReply(status=200, body=body, service="tavily"))


def test_a_number_without_end_is_a_bad_reply() -> None:
    def read(reply: HttpReply) -> int:
        return int(reply.json()["count"])

    with pytest.raises(BadReplyError, match="unexpected shape"):
        understand(read, HttpReply(status=200, body=b'{"count": 1e999}', service="service"))


WRONG: Json = {"a": 1}


@pytest.mark.parametrize(
    ("event", "mended"),
    [
        (Done(WRONG), Done("")),
        (ToolCallStart(WRONG, "name"), ToolCallStart("", "name")),
        (WebSearchStart(None), WebSearchStart(None)),
        (WebSearchStart(WRONG), WebSearchStart("")),
        (Usage(input_tokens=10**30, output_tokens=5), Usage(output_tokens=5)),
        (Usage(input_tokens=True), Usage()),
        (
            Citations((Citation(url="https://a.b", title=WRONG), Citation(url="https://c.d"))),
            Citations((Citation(url="https://c.d"),)),
        ),
        (Citations((Citation(url="https://a.b", start=10**30, end=None),)), Citations(())),
        (
            WebSearchResults((SearchResult(url="https://a.b", title="", published=WRONG),)),
            WebSearchResults(()),
        ),
    ],
)
def test_a_field_of_an_event_holds_what_it_declares(
    event: StreamEvent, mended: StreamEvent
) -> None:
    assert list(typed([event])) == [mended]
