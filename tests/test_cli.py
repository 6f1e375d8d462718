"""The command line as a person or a program uses it, in processes of its own."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from groundwire.cli import COMMANDS, groundwire
from tests.patience import PATIENCE
from tests.shared import shared

CANARY = "tvly-canary-0123456789"


def run(
    *words: str, stdin: str | bytes = "", home: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with nothing of this machine's settings and keys."""
    environment = {
        "PATH": os.environ["PATH"],
        "GROUNDWIRE_HOME": str(home or "/nonexistent"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **variables,
    }
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "groundwire", *words],
        input=data,
        capture_output=True,
        env=environment,
        cwd=home,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def json_lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("command", ["check-url", "doctor", "events", "keys", "providers"])
def test_every_command_teaches_itself(command: str) -> None:
    done = run(command, "--help")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) > 5


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Return a command and all below it."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from _commands(found, f"{name} {each}")


def test_no_help_text_shows_the_signs_that_it_is_made_with() -> None:
    texts = {
        name: command.get_help(click.Context(command, info_name=name))
        for name, command in _commands(groundwire, "groundwire")
    }

    assert len(texts) > len(COMMANDS) + 5
    # An escaped character, one of a terminal, or Markdown.
    assert [
        name for name, text in texts.items() if re.search(r"\\[a-z]|[\x00-\x09\x7f]|\*\*", text)
    ] == []


def test_examples_in_help_texts_stand_on_lines_of_their_own() -> None:
    shown = [run(command, "--help").stdout for command in ("ask", "library")]

    for text in shown:
        lines = [line.strip() for line in text.splitlines()]
        assert sum(line.startswith("groundwire ") for line in lines) >= 2


def test_help_lists_the_commands_and_what_exit_codes_mean() -> None:
    done = run("--help")

    assert done.returncode == 0
    assert "doctor" in done.stdout
    assert "130" in done.stdout


def test_starting_imports_neither_the_network_nor_pydantic_nor_a_provider() -> None:
    script = (
        "import sys, groundwire.cli; "
        "print([m for m in sys.modules if m.partition('.')[0] in ('aiohttp', 'pydantic', 'orjson',"
        " 'keyring', 'fastapi') or m.startswith(('groundwire.client', 'groundwire.providers.'))])"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_an_unknown_command_is_a_misuse() -> None:
    done = run("serch")

    assert done.returncode == 2
    assert "serch" in done.stderr


def test_an_error_is_one_line_with_the_next_step() -> None:
    done = run("keys", "test", "nobody")

    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no provider is called 'nobody': there are" in done.stderr


def test_ctrl_c_stops_at_once_with_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "groundwire", "check-url", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("http://127.0.0.1/\n")
    process.stdin.flush()
    process.stdout.readline()

    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "Traceback" not in errors


def test_a_reader_that_stops_early_is_no_error() -> None:
    done = subprocess.run(
        f"yes http://10.0.0.1/ | head -5000 | {sys.executable} -m groundwire check-url - | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )

    assert json.loads(done.stdout)["verdict"] == "block"
    assert done.stderr == ""


def test_providers_are_listed_for_people_and_for_programs() -> None:
    listed = {entry["name"]: entry for entry in json.loads(run("providers", "--json").stdout)}
    table = run("providers").stdout

    assert listed["tavily"]["abilities"] == ["search", "read"]
    assert listed["tavily"]["key"] == "optional"
    assert listed["searxng"]["key_variable"] is None
    assert table.splitlines()[0].split() == ["NAME", "CAN", "KEY", "ABOUT"]


def test_a_key_in_the_environment_is_seen_and_never_shown() -> None:
    done = run("providers", "--json", TAVILY_API_KEY=CANARY)

    listed = {entry["name"]: entry for entry in json.loads(done.stdout)}
    assert listed["tavily"]["key"] == "from environment"
    assert CANARY not in done.stdout + done.stderr


def test_doctor_names_what_it_found_and_the_fault_of_this_sqlite(tmp_path: Path) -> None:
    done = run("doctor", "--json", home=tmp_path)

    found = {entry["subject"]: entry for entry in json.loads(done.stdout)}
    assert done.returncode == 0
    assert {"groundwire", "SQLite", "settings", "keys", "searxng"} <= set(found)


def test_doctor_tells_a_broken_setting_and_fails(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("serch_provider = 'tavily'\n")

    done = run("doctor", home=tmp_path)

    assert done.returncode == 1
    assert "✗ settings" in done.stdout
    assert "search_provider" in done.stdout


def test_a_key_is_saved_read_back_listed_and_removed(tmp_path: Path) -> None:
    saved = run("keys", "set", "tavily", stdin=f"{CANARY}\n", home=tmp_path)
    listed = run("keys", "list", "--json", home=tmp_path)
    removed = run("keys", "remove", "TAVILY_API_KEY", home=tmp_path)
    again = run("keys", "remove", "tavily", home=tmp_path)

    assert "TAVILY_API_KEY is saved in the file and reads back" in saved.stdout
    assert "keyring is not used" in saved.stderr
    sources = {row["variable"]: row["source"] for row in json.loads(listed.stdout)}
    assert sources["TAVILY_API_KEY"] == "file"
    assert "removed from the file" in removed.stdout
    assert "no TAVILY_API_KEY is saved" in again.stdout
    for done in (saved, listed, removed, again):
        assert done.returncode == 0
        assert CANARY not in done.stdout + done.stderr


def test_an_empty_key_is_refused(tmp_path: Path) -> None:
    done = run("keys", "set", "tavily", stdin="\n", home=tmp_path)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_a_provider_without_a_key_has_none_to_set() -> None:
    done = run("keys", "set", "searxng", stdin="x\n")

    assert (done.returncode, "needs no key" in done.stderr) == (1, True)


def test_check_url_prints_a_line_each_and_fails_if_any_is_blocked() -> None:
    done = run(
        "check-url",
        "http://public.test/",
        "http://10.0.0.1/",
        "--resolve",
        "public.test=93.184.215.14",
    )

    assert done.returncode == 1
    first, second = json_lines(done.stdout)
    assert (first["url"], first["verdict"]) == ("http://public.test/", "allow")
    assert (second["url"], second["verdict"]) == ("http://10.0.0.1/", "block")
    assert set(first) == {"url", "verdict", "reason"}


def test_check_url_succeeds_if_all_are_allowed() -> None:
    done = run("check-url", "-", stdin="http://93.184.215.14/\n\n")

    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)


@pytest.mark.parametrize("line", ["{}", '{"url": 5}', "{broken"])
def test_check_url_tells_a_line_that_it_cannot_read(line: str) -> None:
    done = run("check-url", "-", stdin=line + "\n")

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_check_url_gives_every_verdict_of_the_suite() -> None:
    lines = shared("suites/hostile_urls.jsonl").read_text()

    done = run("check-url", "-", stdin=lines)

    rows = json_lines(lines)
    verdicts = json_lines(done.stdout)
    wrong = [
        (row["url"], row["expect"], verdict)
        for row, verdict in zip(rows, verdicts, strict=True)
        if row["expect"] in ("allow", "block") and verdict["verdict"] != row["expect"]
    ]
    assert wrong == []
    assert [row["url"] for row in rows] == [verdict["url"] for verdict in verdicts]


@pytest.mark.parametrize("chunk", ["1", "7", ""])
def test_events_prints_every_event_of_the_web_platform_tests(tmp_path: Path, chunk: str) -> None:
    cases = json.loads(shared("suites/wpt_eventsource.json").read_text())["cases"]
    cases = [case for case in cases if not case.get("expect_connection_failure")]
    files = []
    for number, case in enumerate(cases):
        files.append(tmp_path / f"{number}.sse")
        files[-1].write_bytes(base64.b64decode(case["body_b64"]))

    done = run("events", "sse", *map(str, files), *(["--chunk", chunk] if chunk else []))

    got: dict[object, list[tuple[object, object]]] = {str(file): [] for file in files}
    for line in json_lines(done.stdout):
        got[line["file"]].append((line["type"], line["data"]))
    expected = [[(event["type"], event["data"]) for event in case["events"]] for case in cases]
    assert list(got.values()) == expected


def test_events_tells_what_was_cut_off_but_prints_no_event_for_it(tmp_path: Path) -> None:
    file = tmp_path / "cut.sse"
    file.write_bytes(b'data: 1\n\ndata: {"cut')

    done = run("events", "sse", str(file))

    assert len(done.stdout.splitlines()) == 1
    assert "ends in the middle of an event" in done.stderr


def test_events_of_a_missing_file_or_reader_are_told(tmp_path: Path) -> None:
    missing = run("events", "sse", str(tmp_path / "none"))
    unknown = run("events", "bing", "-")
    unable = run("events", "jina", "-")

    assert missing.returncode == 2
    assert (unknown.returncode, "no provider" in unknown.stderr) == (1, True)
    assert (unable.returncode, "cannot answer" in unable.stderr) == (1, True)
