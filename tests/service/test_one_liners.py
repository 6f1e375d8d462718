"""`groundwire.search`, `read` and `ask`: from a script, a thread, a notebook and asyncio."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import pytest

import groundwire
from groundwire import Answer, Evidence, Source
from groundwire.citations import Marked
from groundwire.conversation import ChatMessage, MessageKind
from groundwire.errors import (
    AuthError,
    ConfigError,
    ReadFailedError,
    SearchFailedError,
    SettingsError,
    UrlRefusedError,
)
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.answerer import Asker
from groundwire.service.open import BlockingGroundwire

OTTER = "https://wiki.example.net/sea-otter"
OTTERS = "How do sea otters sleep?"


@pytest.fixture(autouse=True)
def _environment(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> pytest.MonkeyPatch:
    """Let the settings and keys of this process be those of the sandbox alone."""
    given = {
        "HOME": str(tmp_path),
        "GROUNDWIRE_HOME": str(tmp_path),
        "GROUNDWIRE_NETWORK__RETRIES": "0",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_SEARCH_PROVIDER": "searxng",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "ANTHROPIC_API_KEY": "any",
    }
    for name in ("anthropic", "jina", "searxng"):
        given[f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL"] = sandbox.base_url(name)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def test_a_search_returns_results_best_first_and_who_found_them() -> None:
    reply = groundwire.search("sea otter fur", limit=2)

    assert next(result.url for result in reply) == OTTER
    assert (len(reply.results), reply.service) == (2, "searxng")


def test_a_page_is_read_as_markdown() -> None:
    page = groundwire.read(OTTER)

    assert page.success
    assert "kelp" in page.content


def test_an_answer_is_printed_with_its_sources_and_is_kept(tmp_path: Path) -> None:
    answer = groundwire.ask(OTTERS)

    assert OTTER in str(answer)
    assert OTTER in answer.markdown
    assert repr(answer).startswith("<Answer 'Here is what the pages say")
    assert (answer.sources[0].number, answer.sources[0].url) == (1, OTTER)
    assert (answer.provider, answer.status, answer.incomplete) == ("anthropic", "complete", "")
    assert answer.usage is not None
    assert (answer.cost_usd or 0) > 0
    assert (tmp_path / "groundwire.sqlite3").exists()
    again = groundwire.ask("And what do they eat?", session=answer.session_id)
    assert again.session_id == answer.session_id


def test_a_printed_answer_cannot_control_the_terminal() -> None:
    text = "Otters\x1b[2J sleep\x07\n\tin kelp."
    title = "Otter\x1b]0;owned\x07"
    source = Source(
        number=1, url=OTTER, title=title, domain="wiki.example.net", evidence=Evidence.READ
    )

    marked = Marked(text=text, sources=(source,))
    message = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, content=text, marked=marked)

    answer = Answer(message=message)

    printed = f"{answer} {answer!r}"
    assert [letter for letter in printed if ord(letter) < 32 and letter not in "\n\t"] == []
    assert "kelp" in printed


def test_an_answer_is_not_kept_where_nothing_shall_be(tmp_path: Path) -> None:
    groundwire.ask(OTTERS, keep=False)

    assert [*tmp_path.glob("*.sqlite3")] == []


async def test_asyncio_awaits_the_same() -> None:
    found, page, answer = await asyncio.gather(
        groundwire.asearch("sea otter fur"), groundwire.aread(OTTER), groundwire.aask(OTTERS)
    )

    assert found.results[0].url == OTTER
    assert "kelp" in page.content
    assert answer.sources[0].url == OTTER


async def test_a_notebook_whose_loop_runs_may_block() -> None:
    assert asyncio.get_running_loop().is_running()

    assert groundwire.search("sea otter fur").results[0].url == OTTER
    assert groundwire.ask(OTTERS, keep=False).sources[0].url == OTTER


def test_several_threads_may_search_at_once() -> None:
    with ThreadPoolExecutor(4) as threads:
        replies = [*threads.map(groundwire.search, ["sea otter fur"] * 4)]

    assert {reply.results[0].url for reply in replies} == {OTTER}


def test_a_program_that_stays_open_searches_and_reads_too() -> None:
    with groundwire.open(keep=False) as gw:
        first = gw.search("sea otter fur", domains=["wiki.example.net"]).results[0]
        page = gw.read(first.url)

    assert (first.url, page.url) == (OTTER, OTTER)


def test_without_any_key_the_extractive_model_quotes_the_library_which_needs_no_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.delenv("GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL")

    answer = groundwire.ask("How are the markers of citations placed?", keep=False)

    assert answer.provider == "extractive"
    assert "https://library.test/groundwire/citations.md" in str(answer)


def test_a_search_that_fails_says_why_and_what_would_work(
    sandbox: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = sandbox.base_url("searxng", fault="forbidden")
    monkeypatch.setenv("GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL", broken)

    with pytest.raises(SearchFailedError, match="groundwire providers") as caught:
        groundwire.search("sea otter fur")

    assert [attempt.service for attempt in caught.value.attempts] == ["searxng"]


def test_a_page_that_nobody_can_read_raises_with_the_reason_of_each_reader() -> None:
    missing = "https://wiki.example.net/no-such-page"

    with pytest.raises(ReadFailedError, match="could not be read: jina: ") as caught:
        groundwire.read(missing)

    assert (caught.value.url, caught.value.code) == (missing, "read_failed")
    assert [attempt.service for attempt in caught.value.attempts] == ["jina"]
    assert missing not in caught.value.ours
    assert missing in caught.value.quoted


def test_a_turn_that_fails_is_raised(
    sandbox: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = sandbox.base_url("anthropic", fault="unauthorized")
    monkeypatch.setenv("GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL", broken)

    with pytest.raises(AuthError) as caught:
        groundwire.ask(OTTERS, keep=False)

    assert isinstance(caught.value.answer, groundwire.Answer)


@pytest.mark.parametrize(
    ("call", "options", "error", "message"),
    [
        (groundwire.search, {"limits": 2}, TypeError, "did you mean 'limit'"),
        (groundwire.search, {"domains": "example.com"}, ConfigError, "is a list"),
        (groundwire.search, {"time_range": "x"}, SettingsError, "none of d, w, m, y"),
        (groundwire.read, {"providers": "jina"}, TypeError, "did you mean 'provider'"),
        (groundwire.read, {}, UrlRefusedError, "http"),
        (groundwire.ask, {"serach": "off"}, TypeError, "did you mean 'search'"),
        (groundwire.ask, {"session": "s", "keep": False}, ConfigError, "keep=True"),
        (groundwire.ask, {"agent": "a", "keep": False}, ConfigError, "keep=True"),
    ],
)
def test_a_wrong_call_is_told_at_once(
    sandbox: SandboxServer,
    call: Callable[..., object],
    options: Json,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        call("otters", **options)

    assert sandbox.requests == []


CALLS = ("search", "read", "ask")


@pytest.mark.parametrize("name", CALLS)
def test_every_call_is_the_same_blocking_awaited_and_on_an_open_program(name: str) -> None:
    blocking: Callable[..., object] = getattr(groundwire, name)
    awaited: Callable[..., Coroutine[Any, Any, object]] = getattr(groundwire, f"a{name}")

    assert inspect.signature(blocking) == inspect.signature(awaited)
    assert inspect.iscoroutinefunction(awaited)
    assert f"groundwire.a{name}" in (blocking.__doc__ or "")
    assert f"groundwire.{name}" in (awaited.__doc__ or "")
    for kind in (Asker, BlockingGroundwire):
        method = getattr(kind, name)
        options = inspect.signature(method).parameters["options"].annotation
        assert options == inspect.signature(blocking).parameters["options"].annotation


def test_every_event_of_a_turn_is_exported_from_the_top() -> None:
    kinds = {kind.__name__ for kind in get_args(groundwire.ChatEvent)}

    assert len(kinds) > 10
    assert kinds - set(groundwire.__all__) == set()


def test_search_stays_a_function_when_the_subpackage_of_its_name_is_imported() -> None:
    from groundwire.search import SearchChain  # noqa: PLC0415

    assert inspect.isfunction(groundwire.search)
    assert SearchChain.__module__ == "groundwire.search.search_chain"


def test_help_begins_with_what_a_newcomer_types() -> None:
    page = pydoc.render_doc(groundwire, renderer=pydoc.plaintext)  # type: ignore[attr-defined]

    assert "Cited web search for any model" in page
    assert page.index("groundwire.search(") < page.index("PACKAGE CONTENTS")
    for name in CALLS:
        assert f"\n    {name}(" in page
        assert f"\n    async a{name}(" in page or f"\n    a{name}(" in page
