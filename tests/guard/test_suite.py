"""The address guard against the shared list of hostile URLs."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from groundwire.errors import UrlRefusedError
from groundwire.guard import judge, parse
from tests.shared import shared

Row = dict[str, Any]

ACCEPTED_VERDICTS = {
    "block": {"block"},
    "allow": {"allow"},
    # Either the first checked answer is used for good, or nothing is opened.
    "pin": {"allow", "block"},
    "either": {"allow", "block"},
}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    lines = shared("suites/hostile_urls.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def resolver(answers: dict[str, list[list[str]]]) -> Callable[[str], Sequence[str]]:
    """Answer the n-th question about a name with its n-th list; the last one stays."""
    left = {name.lower(): list(lists) for name, lists in answers.items()}

    def resolve(name: str) -> Sequence[str]:
        lists = left.get(name, [[]])
        return lists.pop(0) if len(lists) > 1 else lists[0]

    return resolve


def verdict_of(row: Row) -> str:
    redirect = row.get("redirect", {})
    return judge(
        row["url"],
        resolve=resolver(row.get("dns", {})),
        redirects=redirect.get("chain", ()),
        loops=redirect.get("loop", False),
    ).verdict


def is_refused(url: str) -> bool:
    try:
        parse(url)
    except UrlRefusedError:
        return True
    return False


def test_every_url_of_the_list_gets_the_verdict_it_asks_for(rows: list[Row]) -> None:
    wrong = [row["id"] for row in rows if verdict_of(row) not in ACCEPTED_VERDICTS[row["expect"]]]

    assert wrong == []
    assert {row["expect"] for row in rows} == ACCEPTED_VERDICTS.keys()


def test_a_name_that_turns_inward_later_is_judged_by_its_first_answer(rows: list[Row]) -> None:
    turning = [row for row in rows if row["expect"] == "pin" and "redirect" not in row]

    assert {verdict_of(row) for row in turning} == {"allow"}


def test_a_redirect_to_a_name_that_has_turned_inward_is_blocked(rows: list[Row]) -> None:
    turning = [row for row in rows if row["expect"] == "pin" and "redirect" in row]

    assert {verdict_of(row) for row in turning} == {"block"}


def test_what_the_text_alone_gives_away_is_refused_before_any_look_up(rows: list[Row]) -> None:
    by_text = ("scheme", "parse", "address")
    plain = [row for row in rows if row["expect"] == "block" and row.get("stage") in by_text]

    assert [row["id"] for row in plain if not is_refused(row["url"])] == []
    assert len(plain) > 0
