"""Options of `ask` and `answer`: a word that is none fails the type checker and the call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import groundwire
from groundwire.errors import ConfigError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.chat.program import OTTERS, keys, settings

ROOT = Path(__file__).parents[2]
PROGRAM = """
import groundwire


def tide(harbour: str) -> str:
    return harbour


with groundwire.open() as gw:
    gw.ask("?", search="client", domains=["example.com"], tools=[tide], model="m")
    gw.ask("?", serach="off")
    gw.ask("?", search="of")
    gw.stream("?", domains=7)
    gw.stream("?", serach="off")


async def main() -> None:
    async with groundwire.open() as program:
        ended = await program.ask("?", agent="a", session="s", provider="p", attachments=[])
        print(ended.markdown, ended.incomplete)
        await program.ask("?", serach="off")
        program.stream("?", serach="off")
        program.stream("?", tools=tide)
    page: groundwire.Page = await groundwire.aread("https://example.com/", by_agent=False)
    await groundwire.asearch("?", time_range="x")
    answer: groundwire.Answer = groundwire.ask("?", keep=False, domains=["example.com"])
    for result in groundwire.search("?", limit=3):
        print(result.title, page.content, answer.sources[0].url, answer.cost_usd)
    groundwire.search("?", limits=3)
    groundwire.read("https://example.com/", provider=7)
    try:
        pass
    except groundwire.GroundwireError as error:
        print(error.answer.markdown if error.answer else error.code)
"""
WRONG = (
    'serach="off"',
    'search="of"',
    "domains=7",
    "tools=tide)",
    'time_range="x"',
    "limits=3",
    "provider=7",
)


def test_the_type_checker_finds_every_wrong_option_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(file)],
        cwd=tmp_path,
        env={**os.environ, "MYPY_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )

    expected = [
        number
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if any(wrong in line for wrong in WRONG)
    ]
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert [int(line.split(":")[1]) for line in errors] == expected, done.stdout + done.stderr
    assert len(expected) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"serach": "off"}, "no option 'serach': did you mean 'search'?"),
        ({"xyz": 1}, "no option 'xyz': agent, session, provider"),
    ],
)
def test_a_call_with_a_wrong_option_raises_at_once(
    sandbox: SandboxServer, tmp_path: Path, options: Json, message: str
) -> None:
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), keep=False)
    with opening as gw:
        calls: list[Callable[..., object]] = [gw.stream, gw.ask]
        for call in calls:
            with pytest.raises(TypeError) as caught:
                call(OTTERS, **options)

            assert message in str(caught.value)
    assert sandbox.requests == []


async def test_an_asynchronous_call_with_a_wrong_option_raises_at_once(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    wrong: Json = {"serach": "off"}
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), keep=False)
    async with opening as gw:
        with pytest.raises(TypeError, match="did you mean 'search'"):
            gw.stream(OTTERS, **wrong)
        with pytest.raises(TypeError, match="did you mean 'search'"):
            await gw.ask(OTTERS, **wrong)


async def test_a_domain_where_a_list_belongs_is_told(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), keep=False)
    async with opening as gw:
        with pytest.raises(ConfigError, match=r"domains=\['example.com'\]"):
            await gw.ask(OTTERS, domains="example.com")
