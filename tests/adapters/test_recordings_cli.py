"""`groundwire events` as a program, on recorded replies of every provider."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from groundwire.model import Json
from tests.forked import groundwire
from tests.shared import shared

RECORDINGS = {
    "anthropic": (
        "anthropic/web_search_stream.llm_anthropic.sse",
        "anthropic/web_fetch_stream.vercel.sse",
        "anthropic/thinking_stream.llm_anthropic.sse",
        "anthropic/web_search_nonstream_multiturn.pydantic.1.json",
    ),
    "openai": (
        "openai_chat/tool_loop_stream.opencode.2.sse",
        "openai_chat/search_preview_user_location.pydantic.json",
        "perplexity/citations_stream.vercel.sse",
    ),
    "openai-responses": (
        "openai_responses/web_search_stream.mirascope.1.sse",
        "openai_responses/web_search_stream.pydantic.1.sse",
        "openai_responses/web_search_nonstream.vercel.json",
    ),
    "gemini": (
        "gemini/google_search_stream.mirascope.2.sse",
        "gemini/reasoning_stream.vercel.sse",
        "gemini/google_search_nonstream.pydantic.1.json",
    ),
    "openrouter": (
        "openrouter/web_search_server_tool_stream.pydantic.sse",
        "openrouter/web_search_usage_stream.pydantic.sse",
        "openrouter/web_search_server_tool_nonstream.pydantic.json",
    ),
    "codex": (
        "codex/codex_stream.langchain.sse",
        "codex/codex_reasoning_summary.langchain.sse",
    ),
}


def _oracle() -> dict[str, Json]:
    index = json.loads(shared("recordings/index.json").read_bytes())
    return {entry["file"]: entry["summary"] for entry in index}


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        groundwire(*words),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("chunk", [["--chunk", "1"], ["--chunk", "17"], []], ids=["1", "17", "all"])
@pytest.mark.parametrize("provider", RECORDINGS)
def test_events_are_json_lines_whose_text_is_the_recorded_one(
    provider: str, chunk: list[str]
) -> None:
    files = {str(shared(f"recordings/{name}")): name for name in RECORDINGS[provider]}
    oracle = _oracle()

    finished = _run("events", provider, *files, *chunk)

    lines = [json.loads(line) for line in finished.stdout.splitlines()]
    texts = dict.fromkeys(files, "")
    for line in lines:
        texts[line["file"]] += line["text"] if line["type"] == "TextDelta" else ""
    assert (finished.returncode, finished.stderr) == (0, "")
    assert all(line["type"] for line in lines)
    assert {
        files[path]: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()
    } == {name: oracle[name]["text_sha256"] for name in files.values()}
    assert [line["file"] for line in lines if line["type"] == "Done"] == list(files)


def test_a_recording_that_was_cut_off_ends_in_an_error(tmp_path: Path) -> None:
    whole = shared(f"recordings/{RECORDINGS['anthropic'][0]}").read_bytes()
    half = tmp_path / "half.sse"
    half.write_bytes(whole[: len(whole) // 2])

    finished = _run("events", "anthropic", str(half))

    last = json.loads(finished.stdout.splitlines()[-1])
    assert finished.returncode == 0
    assert (last["file"], last["type"], last["code"]) == (str(half), "Error", "truncated")
    assert "ends in the middle of an event" in finished.stderr


def test_a_provider_that_does_not_answer_cannot_replay() -> None:
    finished = _run("events", "searxng", __file__)

    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith("groundwire: 'searxng' cannot answer")
