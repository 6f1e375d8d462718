"""`groundwire ask`, run as a program over the sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from groundwire.conversation import ChatMessage, Status
from groundwire.model import Json
from groundwire.store import Store
from groundwire.testing import SandboxServer, sandbox
from tests import loopback
from tests.forked import groundwire
from tests.patience import PATIENCE
from tests.service.played_judge import completion, said

__all__ = ["sandbox"]

QUESTION = "How do sea otters sleep?"


@pytest.fixture
def environment(sandbox: SandboxServer, tmp_path: Path) -> dict[str, str]:
    """Return an environment in which every service is the sandbox's."""
    chosen = {
        f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": sandbox.base_url(name)
        for name in ("anthropic", "openai", "gemini", "searxng")
    }
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "any-key")
    return {
        **os.environ,
        **chosen,
        **keys,
        "GROUNDWIRE_HOME": str(tmp_path),
        "GROUNDWIRE_SEARCH_PROVIDER": "searxng",
        "GROUNDWIRE_CHECKS__PAGES": "off",
    }


@pytest.fixture
def checking(environment: dict[str, str], sandbox: SandboxServer) -> dict[str, str]:
    """Return one in which citations are compared with their pages."""
    return {
        **environment,
        "GROUNDWIRE_CHECKS__PAGES": "all",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": sandbox.base_url("jina"),
    }


def _run(
    environment: dict[str, str], *arguments: str, given: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        groundwire("ask", *arguments),
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def _lines(printed: str) -> list[Json]:
    return [json.loads(line) for line in printed.splitlines()]


def test_the_answer_is_printed_with_its_markers_and_sources(environment: dict[str, str]) -> None:
    done = _run(environment, QUESTION)

    assert done.returncode == 0
    text, _, sources = done.stdout.partition("\n\nSources:\n")
    assert "carry them away.[1]" in text
    assert sources.splitlines()[0] == "[1] Sea otter (https://wiki.example.net/sea-otter)"


def test_what_citations_came_to_stands_under_the_sources(checking: dict[str, str]) -> None:
    done = _run(checking, "--search", "hosted", "Windmills: cite rightly, invent a number")

    _, _, sources = done.stdout.partition("\n\nSources:\n")
    first, *rest = [line for line in sources.splitlines() if line]
    assert first == "[1] Windmill (https://wiki.example.net/windmill)"
    assert rest[0].startswith("Compared: 1 of 2 citations")
    assert rest[1].startswith(
        "[1] Some 97 of the windmills of the lower plain still turn. 97 is not on this page."
    )
    assert len(rest) == 2


def test_a_judges_opinion_stands_by_its_name_below_the_facts(
    checking: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "replies").mkdir()
    opinion = completion(said("contradicted", "Only 38 of them still turn."))
    (tmp_path / "replies" / "reply.sse").write_bytes(opinion)
    with SandboxServer(recordings=tmp_path / "replies", replay="reply.sse") as judge:
        asked = {
            **checking,
            "GROUNDWIRE_CHECKS__JUDGE": "openai",
            "GROUNDWIRE_CHECKS__JUDGE_MODEL": "gpt-5.5",
            "GROUNDWIRE_PROVIDERS__OPENAI__BASE_URL": judge.base_url("openai"),
        }
        done = _run(asked, "--provider", "anthropic", "--search", "hosted", "invent a number")

    facts, told = done.stdout.splitlines()[-2:]
    assert facts.endswith(
        "The passage that was named as its source stands on this page to the letter."
    )
    assert told.startswith(
        "[1] Opinion of gpt-5.5: the page says otherwise by “Only 38 of them still turn.” ($0.0"
    )


def test_every_citation_that_was_compared_is_a_line_of_json(checking: dict[str, str]) -> None:
    done = _run(checking, "--json", "--search", "hosted", "Windmills: misquote")

    lines = _lines(done.stdout)
    checked = [each["citation"] for each in lines if each["type"] == "citation_checked"]
    assert [each["state"] for each in checked] == ["absent"]
    assert "is not on this page" in checked[0]["facts"][0]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("claude-sonnet-5-5", "claude-sonnet-5-5: $0.0"),
        # Nobody told us what its tokens cost; its search is a cent.
        ("claude-fable-5-2", "claude-fable-5-2: at least $0.01"),
    ],
)
def test_what_an_answer_cost_is_told_beside_it(
    environment: dict[str, str], model: str, words: str
) -> None:
    done = _run(environment, "--provider", "anthropic", "--model", model, QUESTION)

    assert done.returncode == 0
    assert words in done.stderr
    assert "$" not in done.stdout


def test_the_question_can_come_from_standard_input(environment: dict[str, str]) -> None:
    done = _run(environment, given=f"{QUESTION}\n")

    assert done.returncode == 0
    assert "[1] Sea otter" in done.stdout


def test_json_is_a_line_for_every_event(environment: dict[str, str]) -> None:
    done = _run(environment, "--json", QUESTION)

    events = _lines(done.stdout)
    assert events[0]["type"] == "turn_started"
    assert events[-1]["type"] == "done"
    assert events[-1]["message"]["status"] == "complete"
    assert "web_search_started" in [event["type"] for event in events]


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        (("--search", "off"), "off"),
        (("--search", "client"), "client"),
        (("--provider", "gemini"), "hosted"),
        (("--provider", "gemini", "--domain", "wiki.example.net"), "client"),
        (("--model", "claude-2.1"), "client"),
        (("--agent", "Setup"), "off"),
    ],
)
def test_options_choose_who_searches(
    environment: dict[str, str], options: tuple[str, ...], mode: str
) -> None:
    done = _run(environment, "--json", *options, QUESTION)

    assert _lines(done.stdout)[0]["mode"] == mode


def test_a_session_goes_on(environment: dict[str, str]) -> None:
    first = _lines(_run(environment, "--json", QUESTION).stdout)[0]

    again = _run(environment, "--json", "--session", first["session_id"], "And eat?")

    assert _lines(again.stdout)[0]["session_id"] == first["session_id"]


def test_nothing_is_kept_when_nothing_shall_be(environment: dict[str, str], tmp_path: Path) -> None:
    done = _run(environment, "--no-store", QUESTION)

    assert done.returncode == 0
    assert [*tmp_path.glob("*.sqlite3")] == []


def test_a_failure_is_one_line_and_an_exit_code(
    environment: dict[str, str], sandbox: SandboxServer
) -> None:
    address = sandbox.base_url("anthropic", fault="unauthorized")
    wrong = {**environment, "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": address}

    done = _run(wrong, QUESTION)

    assert done.returncode == 1
    assert "anthropic (HTTP 401)" in done.stderr
    assert "groundwire keys test anthropic" in done.stderr
    assert "any-key" not in done.stderr


def test_of_an_answer_that_was_cut_what_came_is_printed(
    environment: dict[str, str], sandbox: SandboxServer
) -> None:
    address = sandbox.base_url("anthropic", fault="cut_in_event;after=3")
    cut = {**environment, "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": address}

    done = _run(cut, QUESTION)

    assert done.returncode == 1
    assert done.stdout.startswith("Here is what")
    assert "this answer is incomplete: interrupted" in done.stderr


async def test_an_answer_that_ran_out_of_tokens_is_printed_with_an_exit_code(
    environment: dict[str, str],
) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "Otters"}, "finish_reason": "length"}]}
    told = loopback.stream(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
    async with loopback.serve(told) as server:
        small = {
            **environment,
            "GROUNDWIRE_PROVIDERS__OPENAI__BASE_URL": server.url,
            "GROUNDWIRE_PROVIDERS__OPENAI__MODEL": "small",
        }
        arguments = ("--provider", "openai", "--search", "off", QUESTION)
        done = await asyncio.to_thread(_run, small, *arguments)

    assert (done.returncode, done.stdout) == (1, "Otters\n")
    assert "this answer is incomplete: the model reached its limit of tokens" in done.stderr


def test_without_a_key_the_one_that_is_named_says_what_to_do(tmp_path: Path) -> None:
    bare = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GROUNDWIRE_HOME": str(tmp_path)}

    done = _run(bare, "--provider", "anthropic", QUESTION)

    assert done.returncode == 1
    assert "groundwire keys set anthropic" in done.stderr


def test_without_a_question_it_shows_one(environment: dict[str, str]) -> None:
    done = _run(environment)

    assert done.returncode == 2
    assert 'groundwire ask "How do sea otters sleep?"' in done.stderr


def test_agents_are_listed(environment: dict[str, str]) -> None:
    done = _run(environment, "--agents")

    assert [line.split()[0] for line in done.stdout.splitlines()] == ["agent", "Assistant", "Setup"]


def test_a_terminal_shows_what_is_searched_and_marks_while_it_streams(
    environment: dict[str, str],
) -> None:
    screen = _on_a_terminal(environment, QUESTION)

    assert "Searching: How do sea otters sleep" in screen
    assert "carry them away.[1]" in screen
    assert screen.count("carry them away.[1]") == 1
    assert "\x1b]8;;https://wiki.example.net/sea-otter" in screen


def test_what_rests_on_a_forbidden_page_is_folded_in_words_also_on_a_terminal(
    environment: dict[str, str],
) -> None:
    within = ("--provider", "gemini", "--search", "hosted", "--domain", "wiki.example.net")

    piped = _run(environment, *within, QUESTION)
    screen = _on_a_terminal(environment, *within, QUESTION)

    for shown in (piped.stdout, screen):
        assert "(Folded by policy: this rests on news.example.com.)" in shown
        assert "carry them away" in shown
        assert "River otters were counted" not in shown


def test_an_interrupt_stops_at_once_and_what_came_is_kept(
    environment: dict[str, str], sandbox: SandboxServer
) -> None:
    address = sandbox.base_url("anthropic", fault="silence;after=4")
    silent = {**environment, "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": address}
    process = subprocess.Popen(
        groundwire("ask", "--json", QUESTION),
        env=silent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    session = json.loads(process.stdout.readline())["session_id"]
    while json.loads(process.stdout.readline())["type"] != "text":
        pass

    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)

    assert (process.returncode, said) == (130, "\nstopped\n")
    assert sandbox.wait_for_end().ended == "closed by the client"
    kept = asyncio.run(_history(Path(environment["GROUNDWIRE_HOME"]), session))
    assert [each.status for each in kept] == [Status.COMPLETE, Status.CANCELLED]
    assert kept[-1].content.startswith("Here")


def _on_a_terminal(environment: dict[str, str], *words: str) -> str:
    """Return all that a terminal gets."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        groundwire("ask", *words), env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65_536):
            shown += piece
    except OSError:
        pass  # That is how a terminal ends on Linux.
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode()


async def _history(home: Path, session: str) -> tuple[ChatMessage, ...]:
    async with Store.open(str(home / "groundwire.sqlite3")) as store:
        return await store.messages.history(session)
