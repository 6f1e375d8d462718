"""What the repository promises about itself: sizes, first lines, types, pins, and quiet tests."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from pytest_socket import SocketConnectBlockedError
from tools.commit_subject import problems

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "groundwire"
PROVIDERS = sorted((SOURCE / "providers").glob("*.py"))


def test_a_module_fits_a_sitting() -> None:
    modules = (ROOT / "src").rglob("*.py")

    assert [path.name for path in modules if len(path.read_text().splitlines()) > 400] == []


@pytest.mark.parametrize("path", PROVIDERS, ids=lambda path: path.stem)
def test_a_provider_fits_its_size(path: Path) -> None:
    text = path.read_text()
    functions = {
        node.name: (node.end_lineno or 0) - node.lineno + 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert len(text.splitlines()) <= 400
    assert [name for name, length in functions.items() if length > 40] == []


def test_every_module_begins_with_what_it_is_for() -> None:
    modules = sorted(SOURCE.rglob("*.py"))

    silent = [path for path in modules if not re.match(r'"""\S.{9,}', path.read_text())]

    assert len(modules) > 200
    assert silent == []


def test_the_package_says_that_it_is_typed() -> None:
    assert files("groundwire").joinpath("py.typed").is_file()


LOCKS = ("requirements.lock", "requirements-run.lock", "requirements-slow.lock")


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_has_a_hash_for_everything_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text()
    pins = [pin for pin in re.split(r"\n(?=\S)", text) if not pin.startswith("#")]

    without = [
        pin for pin in pins if not re.match(r"[\w.\[\]-]+==\S+[^\n]*\n +--hash=sha256:", pin)
    ]

    assert pins
    assert without == []
    assert "://" not in text


def test_what_runs_is_a_part_of_what_is_checked_in_the_same_versions() -> None:
    checked, running = (_pins(name) for name in LOCKS[:2])

    assert {name: pin for name, pin in running.items() if checked.get(name) != pin} == {}
    assert {"fastapi", "pypdfium2", "hatchling", "editables"} <= set(running)
    assert {"pytest", "mypy", "ruff", "playwright", "openai"} & set(running) == set()


def _pins(name: str) -> dict[str, list[str]]:
    """Return each package of a lock with its version and hashes."""
    pins = re.split(r"\n(?=\S)", (ROOT / name).read_text().strip())
    return {pin.partition("==")[0]: re.findall(r"==[^\s;]+|--hash=\S+", pin) for pin in pins}


def test_a_test_reaches_no_other_machine() -> None:
    with (
        socket.socket() as outward,
        pytest.warns(UserWarning, match=r'host "192\.0\.2\.1"'),
        pytest.raises(SocketConnectBlockedError),
    ):
        outward.connect(("192.0.2.1", 80))


# Where JSON that others wrote is read, and what may therefore name the type that says nothing.
STRANGERS_JSON = (
    "browser/crawl4ai_worker.py",  # events of the browser
    "cache/",  # what an earlier version may have kept
    "chat/",  # arguments of a model's calls
    "checks/citation.py",  # what an earlier version may have kept
    "checks/cited_answer.py",  # a saved answer
    "checks/worker.py",  # requests to the process
    "citations/render.py",
    "cli/ask.py",  # options, as click hands them over
    "cli/check.py",  # options, as click hands them over
    "cli/check_url.py",  # lines of standard input
    "cli/record.py",  # options, as click hands them over
    "client/",
    "config/opencode/",
    "conversation/",
    "events.py",
    "gateway/bodies.py",  # requests of clients
    "mcp/",
    "model.py",
    "system/",  # requests to a process, and its replies
    "providers/",
    "reader/",
    "sandbox/",
    "search/cached_replies.py",
    "service/cited_input.py",  # saved replies of services
    "service/recorder.py",  # a recording, which anybody may have written
    "service/judge.py",  # a model's reply
    "service/pairs.py",  # lines of standard input
    "store/columns.py",
    "store/rows.py",
    "tools/fence.py",
    "tools/tool.py",
    "tools/websearch/",
    "web/answer_page.py",
    "web/json_body.py",
    "web/shapes.py",
    "web/sso/id_token.py",
    "web/sso/provider.py",
    "wire/",
)


def test_json_without_a_type_ends_where_it_is_read() -> None:
    untyped = [
        str(path.relative_to(SOURCE))
        for path in sorted(SOURCE.rglob("*.py"))
        if re.search(r"\bJson\b", path.read_text())
    ]

    beyond = [name for name in untyped if not name.startswith(STRANGERS_JSON)]

    assert len(untyped) > 50
    assert beyond == []


def _git(*words: str) -> str:
    """Return what git prints; a test skips where there is no history."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no history here: {done.stderr.strip()}")
    return done.stdout


def test_subjects_of_commits_are_short_since_there_is_this_rule() -> None:
    messages = _git("log", "--format=%B%x00", "05de52b..HEAD").split("\0")

    wrong = {
        message.splitlines()[0]: found
        for message in map(str.strip, messages)
        if message and (found := problems(message))
    }

    assert len(messages) > 10
    assert wrong == {}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Add a rule\n\nBecause it was missing.\n", ""),
        ("# comment of git\nAdd a rule\n", ""),
        (f"{'a' * 71}\n", ""),
        (f"{'a' * 72}\n", "72 characters, 71 at most"),
        ("Add a rule.\n", "full stop"),
        ("Add a rule\nBecause it was missing.\n", "second line is not empty"),
        ("# only comments\n", "empty"),
        ("", "empty"),
    ],
)
def test_a_message_is_judged_by_its_subject_and_blank_line(message: str, said: str) -> None:
    assert said in "; ".join(problems(message))
    assert bool(said) == bool(problems(message))


def test_every_hook_runs_from_the_environment_and_what_make_check_runs() -> None:
    [local] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    hooks = {hook["id"]: hook for hook in local["hooks"]}
    checks = (ROOT / "Makefile").read_text()

    assert local["repo"] == "local"
    assert {hook["language"] for hook in local["hooks"]} == {"system"}
    for name in ("format", "lint", "types", "layers"):
        program = hooks[name]["entry"].split()[0]
        assert program.startswith(".venv/bin/")
        assert f"$(BIN)/{Path(program).name}" in checks
