"""`groundwire tool`, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from tests.forked import python
from tests.tools.runs import ASKED, KEY

SCRIPT = "from groundwire.cli.tool import tool; tool()"
PAGE = Path(__file__).parents[2] / "docs/tools.md"


def run(
    *words: str, stdin: str = "", script: str = SCRIPT, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GROUNDWIRE_HOME": "/nonexistent",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **variables,
    }
    return subprocess.run(
        python("-c", script, *words),
        input=stdin,
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        check=False,
    )


def test_a_tool_runs_from_the_shell_and_prints_its_json(sandbox: SandboxServer) -> None:
    arguments = json.dumps({"query": ASKED})
    address = {"GROUNDWIRE_PROVIDERS__GEMINI__BASE_URL": sandbox.base_url("gemini")}

    done = run("websearch_gemini", "-", stdin=arguments, GEMINI_API_KEY=KEY, **address)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["returnDisplay"] == f'Search results for "{ASKED}" returned.'
    assert len(done.stdout.splitlines()) == 1


def test_a_result_that_is_an_error_is_printed_and_is_the_exit_code() -> None:
    done = run("websearch_gemini", '{"query": "x"}')

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["type"] == "MISSING_GEMINI_API_KEY"


@pytest.mark.parametrize("words", [("nosuch", "{}"), ("websearch_gemini", "oops")])
def test_a_tool_that_is_not_there_and_what_is_no_json_are_misuse(words: tuple[str, str]) -> None:
    done = run(*words)

    assert done.returncode == 2
    assert done.stdout == ""


def test_without_a_name_the_tools_are_listed_that_can_be_used() -> None:
    given = {"GEMINI_API_KEY": KEY, "OPENROUTER_API_KEY": KEY}

    shown, told = run(**given), run("--json", **given)

    names = [tool["name"] for tool in json.loads(told.stdout)]
    assert names == [
        "web_search",
        "open_page",
        "check_claim",
        "websearch_gemini",
        "websearch_openrouter",
        "websearch",
    ]
    assert all(name in shown.stdout for name in names)
    assert shown.stderr == ""


def test_without_a_key_the_list_says_how_to_get_more() -> None:
    shown, told = run(), run("--json")

    names = [tool["name"] for tool in json.loads(told.stdout)]
    assert names == ["web_search", "open_page", "check_claim"]
    assert "`groundwire setup` adds one" in shown.stderr


def test_the_example_of_the_documentation_runs(sandbox: SandboxServer) -> None:
    example = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    address = {"GROUNDWIRE_PROVIDERS__GEMINI__BASE_URL": sandbox.base_url("gemini")}

    done = run(script=example, GEMINI_API_KEY=KEY, **address)

    assert done.stderr == ""
    assert json.loads(done.stdout)["returnDisplay"] == 'Search results for "sea otters" returned.'
