"""A recorded turn runs again without a network: the same events, on any day."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.chat import SearchChoice
from groundwire.chat.events import CitationChecked, MarkerShown, ToolUpdate, TurnFailed
from groundwire.errors import BundleError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.played_citations import PLAYED
from groundwire.service.actor import OWNER
from groundwire.service.program import Groundwire
from groundwire.service.recorder import Recorder, read_recording, replay, write_recording
from tests.chat.program import CANARY, HOSTED, OTTERS, keys, settings

PAGE = "https://wiki.example.net/sea-otter"
QUESTIONS = {
    "otters": OTTERS,
    "checked": f"Windmills: {', '.join(each.words for each in PLAYED)}",
    "tasks": "What happens when an asyncio task is cancelled?",
}


Recorded = dict[str, tuple[Path, list[object]]]


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    provider: str
    search: str
    model: str = ""
    fault: str = ""
    searches: str = "searxng"
    reads: str = "jina"
    reader_fault: str = ""
    seconds: float = 0


def _cases() -> list[Case]:
    hosted = [
        Case(f"{provider}-hosted-{name}", text, provider, "hosted")
        for provider in HOSTED
        for name, text in QUESTIONS.items()
    ]
    client = [
        Case(f"{provider}-client-{name}", text, provider, "client", _plain_model(provider))
        for provider in HOSTED
        for name, text in {**QUESTIONS, "open": f"Use open_page for {PAGE}"}.items()
    ]
    off = [
        Case(f"{provider}-off", OTTERS, provider, "off", _plain_model(provider))
        for provider in HOSTED
    ]
    quoting = [
        Case(f"extractive-{name}", text, "extractive", "client") for name, text in QUESTIONS.items()
    ]
    faults = [
        Case(f"{provider}-{fault}", OTTERS, provider, "hosted", fault=fault)
        for provider in ("anthropic", "gemini", "openai-responses")
        for fault in ("cut", "overloaded", "unauthorized")
    ]
    codex = [Case("codex-hosted-otters", OTTERS, "codex", "hosted", "gpt-5.5")]
    services = [
        Case(f"search-{name}", OTTERS, "anthropic", "client", searches=name)
        for name in ("brave", "duckduckgo", "exa", "perplexity", "tavily", "library")
    ]
    readers = [
        Case(f"read-{name}", f"Use open_page for {PAGE}", "anthropic", "client", reads=name)
        for name in ("tavily", "local")
    ]
    waits = [
        # Nobody answers: what ends the waiting is a limit of the turn's own.
        Case("page-silent", "cite rightly", "gemini", "hosted", reader_fault="silence"),
        Case("time-over", OTTERS, "anthropic", "hosted", fault="silence;after=9", seconds=0.2),
    ]
    at_once = [Case("two-tools", f"Use both for {OTTERS}", "anthropic", "client")]
    more = [*codex, *services, *readers, *waits, *at_once]
    return [*hosted, *client, *off, *quoting, *faults, *more]


# A browser's visits are not our client's; what is recorded of them is the page that came, and
# `tests/search/test_crawl4ai.py` has it said again.
# Embeddings are asked for by the library, whose search is recorded as one.
NOT_PLAYED = {"crawl4ai", "embeddings"}


FEW = (
    *(f"{provider}-hosted-otters" for provider in HOSTED),
    "anthropic-hosted-checked",
    "gemini-client-otters",
    "anthropic-client-open",
    "extractive-otters",
    "anthropic-off",
    "anthropic-cut",
    "codex-hosted-otters",
    "search-duckduckgo",
    "search-library",
    "read-tavily",
    "page-silent",
    "time-over",
    "two-tools",
)
VARIABLES = ("BRAVE_API_KEY", "EXA_API_KEY", "PERPLEXITY_API_KEY", "TAVILY_API_KEY")
SESSION = {"type": "oauth", "access": CANARY, "refresh": "r", "expires": 9_999_999_999_999}


def _plain_model(provider: str) -> str:
    # The default of the tests searches by itself.
    return "gpt-5.5" if provider == "openai" else ""


async def _record(sandbox: SandboxServer, case: Case, folder: Path) -> list[object]:
    faults = {case.provider: case.fault, "jina": case.reader_fault}
    others = ("codex", "brave", "duckduckgo", "exa", "perplexity")
    more: dict[str, Json] = {name: {"base_url": sandbox.base_url(name)} for name in others}
    more["library"] = {"options": {"path": str(folder / "library")}}
    chosen = settings(
        sandbox,
        faults,
        more,
        checks={"pages": "all", "seconds": 0.2 if case.reader_fault else 20},
        chat={"seconds": case.seconds},
        search_provider=case.searches,
        read_provider=case.reads,
    )
    recorder = Recorder(chosen)
    events: list[object] = []
    known = keys(folder, *VARIABLES)
    async with Groundwire(
        settings=recorder.settings, keys=known, keep=False, client=recorder.client
    ) as program:
        conversation = await program.conversation(
            provider=case.provider, model=case.model, actor=OWNER
        )
        turn = recorder.stream(
            program, conversation, case.text, {"search": SearchChoice(case.search)}
        )
        with recorder.fixed():
            events = [event async for event in turn]
    write_recording(folder / f"{case.name}.jsonl", recorder.recording())
    return events


def _recorded(cases: list[Case], folder: Path) -> Recorded:
    """Record cases, then stop the services that were asked."""
    found = {}
    with SandboxServer() as sandbox, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENCODE_AUTH_CONTENT", json.dumps({"openai": SESSION}))
        for case in cases:
            events = asyncio.run(_record(sandbox, case, folder))
            found[case.name] = (folder / f"{case.name}.jsonl", events)
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    few = [each for each in _cases() if each.name in FEW]
    return _recorded(few, tmp_path_factory.mktemp("recordings"))


def test_every_provider_is_among_the_turns() -> None:
    cases = _cases()
    played = {name for each in cases for name in (each.provider, each.searches, each.reads)}

    assert set(registry.names()) - played == NOT_PLAYED


async def test_a_turn_is_the_same_again(recorded: Recorded) -> None:
    different = {}
    for name, (path, _) in recorded.items():
        recording = read_recording(path)
        done = await replay(recording)
        if not done.is_same or list(done.events) != list(recording.events):
            different[name] = list(done.differences)

    assert len(recorded) == len(FEW)
    assert different == {}


@pytest.mark.slow
def test_fifty_turns_of_every_provider_and_of_client_search_are_the_same_on_another_day(
    tmp_path: Path,
) -> None:
    faketime = shutil.which("faketime")
    if faketime is None:
        pytest.skip("needs faketime")
    recorded = _recorded(_cases(), tmp_path)
    kinds = [{type(each) for each in events} for _, events in recorded.values()]
    files = [str(path) for path, _ in recorded.values()]
    command = [faketime, "2031-02-03 04:05:06", sys.executable, "-m", "groundwire", "replay"]
    environment = {**os.environ, "GROUNDWIRE_HOME": str(tmp_path), "HOME": str(tmp_path)}

    done = subprocess.run(
        [*command, "--json", *files], capture_output=True, text=True, env=environment, check=False
    )

    assert len(recorded) >= 50
    for kind, least in (
        (MarkerShown, 20),
        (CitationChecked, 15),
        (ToolUpdate, 20),
        (TurnFailed, 3),
    ):
        assert sum(kind in each for each in kinds) >= least, kind
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each for each in told if not each["is_same"]] == []
    assert (len(told), done.returncode) == (len(files), 0), done.stderr


def test_no_recording_has_a_key(recorded: Recorded) -> None:
    for path, _ in recorded.values():
        assert CANARY not in path.read_text("utf-8")


async def test_what_is_different_is_said(recorded: Recorded) -> None:
    recording = read_recording(recorded["anthropic-hosted-otters"][0])
    stream = next(each for each in recording.exchanges if each.kind == "stream")
    stream.events = [[data.replace("otters", "badgers") for data in each] for each in stream.events]

    done = await replay(recording)

    assert not done.is_same
    assert any("badgers" in each for each in done.differences)


async def test_a_turn_that_asks_for_more_than_was_recorded_says_so(recorded: Recorded) -> None:
    recording = read_recording(recorded["anthropic-hosted-otters"][0])
    emptied = [each for each in recording.exchanges if each.kind != "stream"]
    object.__setattr__(recording, "exchanges", emptied)

    done = await replay(recording)

    assert any("the recording has no reply to this: stream" in each for each in done.differences)


def test_a_changed_recording_is_refused(recorded: Recorded, tmp_path: Path) -> None:
    text = recorded["anthropic-off"][0].read_text("utf-8")
    changed = tmp_path / "changed.jsonl"

    for damage in (text.replace("otters", "badgers"), text[: len(text) // 2], "", "{}\n{}"):
        changed.write_text(damage, "utf-8")
        with pytest.raises(BundleError):
            read_recording(changed)
