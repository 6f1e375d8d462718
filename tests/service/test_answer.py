"""`answer` returns an answer, or raises what went wrong with what had come of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import groundwire
from groundwire import errors
from groundwire.conversation import Status
from groundwire.errors import (
    AnswerError,
    AuthError,
    GroundwireError,
    NetworkError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    RefusedError,
    ServiceError,
    TruncatedError,
)
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from groundwire.wire.errors import error_from_code
from tests import loopback
from tests.chat.program import CANARY, HOSTED, OTTERS, keys, settings


@asynccontextmanager
async def opened(
    sandbox: SandboxServer, folder: Path, faults: dict[str, str] | None = None, **tables: Json
) -> AsyncIterator[Groundwire]:
    chosen = settings(sandbox, faults, **tables)
    async with groundwire.open(settings=chosen, keys=keys(folder), keep=False) as program:
        yield program


async def test_a_whole_answer_is_returned_and_says_that_it_is_whole(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, tmp_path) as gw:
        ended = await gw.ask(OTTERS, provider="anthropic")

    assert (ended.status, ended.incomplete) == (Status.COMPLETE, "")
    assert ended.text
    assert ended.text in ended.markdown
    assert [source.number for source in ended.sources][:1] == [1]


@pytest.mark.parametrize("provider", HOSTED)
async def test_a_wrong_key_raises_with_every_provider(
    sandbox: SandboxServer, tmp_path: Path, provider: str
) -> None:
    async with opened(sandbox, tmp_path, {provider: "unauthorized"}) as gw:
        with pytest.raises(AuthError, match=f"groundwire keys test {provider}") as caught:
            await gw.ask(OTTERS, provider=provider)

    assert caught.value.answer is not None
    assert (caught.value.answer.text, caught.value.answer.status) == ("", "failed")
    assert CANARY not in str(caught.value)
    assert str(caught.value).count("keys test") == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("rate_limit", RateLimitError),
        ("quota", QuotaError),
        ("overloaded", OverloadedError),
        ("server_error", OverloadedError),
        ("forbidden", AuthError),
        ("overloaded_after_text", OverloadedError),
        ("cut_in_event", TruncatedError),
        ("end_without_terminal", TruncatedError),
        ("wrong_content_type", errors.BadReplyError),
    ],
)
async def test_a_failure_raises_its_own_class(
    sandbox: SandboxServer, tmp_path: Path, fault: str, kind: type[GroundwireError]
) -> None:
    async with opened(sandbox, tmp_path, {"anthropic": fault}) as gw:
        with pytest.raises(kind) as caught:
            await gw.ask(OTTERS, provider="anthropic")

    assert type(caught.value) is kind
    assert caught.value.code == kind.code


async def test_the_wait_that_a_service_asks_for_is_on_the_error(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, tmp_path, {"anthropic": "rate_limit;retry_after=7"}) as gw:
        with pytest.raises(RateLimitError) as caught:
            await gw.ask(OTTERS, provider="anthropic")

    assert caught.value.retry_after_seconds == 7


async def test_what_had_come_of_an_interrupted_answer_is_on_the_error(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, tmp_path, {"anthropic": "cut_in_event;after=3"}) as gw:
        with pytest.raises(TruncatedError) as caught:
            await gw.ask(OTTERS, provider="anthropic")

    partial = caught.value.answer
    assert partial is not None
    assert partial.text
    assert partial.text in partial.markdown
    assert partial.status == "interrupted"


# The sandbox counts about 200 tokens before the first word and 350 after the last one.
@pytest.mark.parametrize("limits", [{"tokens": 280}, {"cost_usd": 0.001}])
async def test_an_answer_that_a_budget_cut_short_is_returned_and_says_so(
    sandbox: SandboxServer, tmp_path: Path, limits: Json
) -> None:
    async with opened(sandbox, tmp_path, chat=limits) as gw:
        ended = await gw.ask(OTTERS, provider="anthropic")

    assert ended.text
    assert "used up" in ended.incomplete


async def test_a_budget_that_leaves_no_text_at_all_raises(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    faults = {"anthropic": "silence;after=0"}
    async with opened(sandbox, tmp_path, faults, chat={"seconds": 0.3}) as gw:
        with pytest.raises(AnswerError) as caught:
            await gw.ask(OTTERS, provider="anthropic", search="off")

    assert caught.value.code == "budget_seconds"
    assert caught.value.answer is not None


def _chat_stream(reason: str) -> loopback.Script:
    chunks: list[Json] = [
        {"choices": [{"index": 0, "delta": {"content": "Otters float"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]
    told = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    return loopback.stream(*told, b"data: [DONE]\n\n")


@asynccontextmanager
async def _answering(folder: Path, reason: str) -> AsyncIterator[Groundwire]:
    """Open a program whose model stops for a reason of its own."""
    async with loopback.serve(_chat_stream(reason)) as server:
        openai = {"base_url": server.url, "model": "small"}
        chosen = groundwire.Settings.model_validate({"providers": {"openai": openai}})
        async with groundwire.open(settings=chosen, keys=keys(folder), keep=False) as gw:
            yield gw


async def test_an_answer_that_ran_out_of_tokens_is_returned_and_says_so(tmp_path: Path) -> None:
    async with _answering(tmp_path, "length") as gw:
        ended = await gw.ask(OTTERS, provider="openai", search="off")

    assert (ended.text, ended.status) == ("Otters float", Status.COMPLETE)
    assert ended.incomplete == "the model reached its limit of tokens"


async def test_a_refused_answer_raises_with_what_had_come(tmp_path: Path) -> None:
    async with _answering(tmp_path, "content_filter") as gw:
        with pytest.raises(RefusedError, match="content_filter") as caught:
            await gw.ask(OTTERS, provider="openai", search="off")

    assert caught.value.answer is not None
    assert caught.value.answer.text == "Otters float"


def _kinds(kind: type[GroundwireError]) -> list[type[GroundwireError]]:
    return [each for sub in kind.__subclasses__() for each in (sub, *_kinds(sub))]


@pytest.mark.parametrize(
    "kind", [*_kinds(ServiceError), *_kinds(NetworkError)], ids=lambda kind: kind.__name__
)
def test_every_error_of_a_service_is_made_again_from_its_code(kind: type[GroundwireError]) -> None:
    if not kind.__module__.startswith("groundwire"):
        pytest.skip("another test's own class")

    again = error_from_code(kind.code, "someone", "someone: it broke; mend it", 3)

    assert type(again) is kind
    assert str(again) == "someone: it broke; mend it"


def test_an_error_without_a_class_of_its_own_keeps_its_code() -> None:
    again = error_from_code("paused", "someone", "it paused")

    assert (type(again), again.code, str(again)) == (AnswerError, "paused", "it paused")
