"""Counts and their nouns: one function here, one on the page, and nobody does without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import groundwire
from groundwire.text.plural import plural

SOURCE = Path(groundwire.__file__).parent
NOUNS = (
    *("agent", "answer", "attempt", "byte", "change", "character", "chat", "document", "event"),
    *("file", "hit", "host", "line", "link", "message", "model", "page", "passage", "problem"),
    *("provider", "question", "request", "result", "session", "source", "time", "token", "user"),
    *("word", "workspace"),
)
_MANY = rf"(?:(?:{'|'.join(NOUNS)})s|searches)\b"
# A value in braces, then at once a noun in the plural: "{count} pages", `${count} pages`. A name
# in capitals is a limit of ours, and far above one.
_VALUE = r"\{(?!plural|[A-Z_]+(?::,)?\})(?P<value>[^{}]+)\}"
_UNCOUNTED = {".py": re.compile(rf"{_VALUE} {_MANY}"), ".js": re.compile(rf"\${_VALUE} {_MANY}")}
_BY_HAND = re.compile(r"""=== 1 \? '\w+' : '\w+s'|== 1 else ["']s["']""")
_NO_COUNTS = {
    ("chat/plan.py", "model"),  # It is the model that searches.
    ("chat/plan.py", "conversation.model"),  # And the one that answers.
    ("web/page/endings.js", "counts.join(' / ')"),  # "45 in / 28 out tokens"
    ("web/page/entry/form.js", "each.minLength"),  # of a password
}


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1200, "1,200 pages")]
)
def test_one_is_one_and_all_others_are_many(count: int, said: str) -> None:
    assert plural(count, "page") == said


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert [plural(count, "search", "searches") for count in (1, 2)] == ["1 search", "2 searches"]


def _sources() -> list[Path]:
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]
    # The sandbox says what the real services say, in their own words.
    return [each for each in files if "sandbox" not in each.parts]


def test_no_count_stands_before_a_noun_that_is_always_many() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {match[0]}"
        for path in _sources()
        for match in _UNCOUNTED[path.suffix].finditer(path.read_text())
        if (str(path.relative_to(SOURCE)), match["value"]) not in _NO_COUNTS
    ]

    assert found == []


def test_no_other_function_makes_plurals() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {match[0]}"
        for path in _sources()
        if path.name not in ("plural.py", "dom.js")
        for match in _BY_HAND.finditer(path.read_text())
    ]

    assert found == []
