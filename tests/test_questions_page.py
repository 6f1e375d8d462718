"""The page of questions and answers names only what there is, with the figures that hold."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

from groundwire import registry
from groundwire.cli import COMMANDS
from groundwire.config import settings
from groundwire.extractive import SourceText, extract
from groundwire.extractive.steps import MAX_PAGES
from groundwire.library import Library
from groundwire.service.documentation import add_documentation

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "questions.md").read_text()
NEWCOMERS = json.loads((ROOT / "tests" / "extractive" / "newcomers.json").read_text())
DEFAULTS = {each.name: each.default for each in settings.describe()}
HEADINGS = re.findall(r"(?m)^### (.*)$", PAGE)


def _unknown(typed: str) -> set[str]:
    """Return what of a command is not there: its name, or options."""
    name, *words = typed.split()
    if name.startswith("-"):
        return {name} - {"--help", "--version"}
    if name not in COMMANDS:
        return {name}
    module, attribute, _ = COMMANDS[name]
    command: click.Command = getattr(import_module(f"groundwire.cli.{module}"), attribute)
    if isinstance(command, click.Group) and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    known = {"--help", *(option for each in command.params for option in each.opts)}
    return {word for word in words if word.startswith("--")} - known


def test_every_command_and_option_exists() -> None:
    typed = re.findall(r"`groundwire ([^`]+)`", PAGE)

    assert {each: _unknown(each) for each in typed if _unknown(each)} == {}
    assert len(typed) > 40


def test_every_setting_that_is_named_exists() -> None:
    tables = {name.partition(".")[0] for name in DEFAULTS if "." in name} - {"providers"}
    named = set(re.findall(rf"`((?:{'|'.join(sorted(tables))})\.\w+(?:\.\w+)*)", PAGE))

    beginnings = {name.rpartition(".")[0] for name in DEFAULTS} | {"chat.prices"}
    files = {"library.test", "library.sqlite3"}
    assert named - DEFAULTS.keys() - beginnings - files == set()
    assert len(named) > 20


@pytest.mark.parametrize(
    ("said", "setting", "default"),
    [
        ("One answer may use five searches", "chat.searches", "5"),
        ("and ten pages", "chat.pages", "10"),
        ("searches for 15 minutes", "cache.search_seconds", "900"),
        ("and pages for an hour", "cache.page_seconds", "3600"),
        ("A web page has 20 seconds", "network.page_timeout_seconds", "20"),
        ("a search service 10", "search.timeout_seconds", "10"),
        ("a model 120 until", "network.reply_timeout_seconds", "120"),
        ("is retried twice", "network.retries", "2"),
        ("single sign-on for 12 hours", "sso.session_hours", "12"),
        ("Every API token ends after a year", "web.token_days", "365"),
        ("Each may have 50 MB", "library.max_file_bytes", "50000000"),
        ("all of a workspace together 2 GB", "library.max_uploads_bytes", "2000000000"),
        ("a limit, 2 GB at first", "snapshots.max_bytes", "2000000000"),
    ],
)
def test_a_figure_is_the_default_of_its_setting(said: str, setting: str, default: str) -> None:
    assert said in PAGE
    assert DEFAULTS[setting] == f"`{default}`"


def test_every_extra_that_is_named_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {
        each for some in re.findall(r"groundwire\[([\w,]+)\]", PAGE) for each in some.split(",")
    }

    assert named - project["optional-dependencies"].keys() == set()
    assert {"web", "mcp", "pdf", "documents"} <= named


def test_every_variable_of_a_key_is_the_one_of_a_provider() -> None:
    named = set(re.findall(r"`(\w+_API_KEY)\b", PAGE)) - {"OPENAI_API_KEY"}

    assert named - {registry.get(name).key_variable for name in registry.names()} == set()


def test_files_of_the_repository_that_are_named_are_there() -> None:
    named = set(re.findall(r"deploy/[\w.]+", PAGE))

    assert {name for name in named if not (ROOT / name).exists()} == set()
    assert named


def test_no_question_is_asked_twice_and_each_answer_is_short() -> None:
    answers = re.findall(r"(?ms)^### [^\n]*\n\n(.*?)(?=^##|\Z)", PAGE)

    assert len(HEADINGS) == len({each.lower() for each in HEADINGS})
    assert [each for each in answers if len(each.strip().split("\n\n")) > 1] == []
    assert [each for each in answers if len(each) > 600] == []


def test_every_question_of_the_page_is_answered_by_its_own_answer() -> None:
    page = SourceText(id="1", title="Questions and answers", text=PAGE)

    wrong = []
    for question in HEADINGS:
        answer = PAGE.partition(f"### {question}\n\n")[2].partition("\n\n")[0]
        quotes = extract(question, [page]).quotes
        if not quotes or quotes[0].text not in answer:
            wrong.append(question)

    assert wrong == []


async def test_nearly_all_questions_in_other_words_are_answered_from_the_documentation(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library.sqlite3"
    await add_documentation({"path": str(path)})
    first = found = 0

    with Library(path) as library:
        for one in NEWCOMERS:
            pages = [library.read(hit.document.url) for hit in library.search(one["question"])]
            sources = [
                SourceText(id=str(place), title=page.title, text=page.content)
                for place, page in enumerate(filter(None, pages[:MAX_PAGES]))
            ]
            quotes = [quote.text for quote in extract(one["question"], sources).quotes]
            hits = [any(each in quote for each in one["must_contain"]) for quote in quotes]
            first += hits[:1] == [True]
            found += any(hits)

    assert (first >= 0.75 * len(NEWCOMERS), found >= 0.85 * len(NEWCOMERS)) == (True, True)
