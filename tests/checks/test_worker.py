"""What the process that compares answers, asked without a process."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator

import pytest

from groundwire.checks import Fit, NotCompared, from_json, worker
from groundwire.checks.records import Snapshot
from groundwire.model import Json
from groundwire.system import worker_loop

PAGE = (
    "Sea otters eat crabs and rest in kelp near the coast for many hours of each day, so they say."
)
CLAIM: Json = {
    "number": 3,
    "position": 7,
    "claim": "Sea otters eat crabs",
    "url": "https://a.example/",
}


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    worker._pages.clear()
    yield
    worker._pages.clear()


def _ask(page: str = PAGE, key: str = "a", *, is_cut: bool = False, **asked: Json) -> Json:
    about = {"page_hash": key, "has_pages": False, "is_cut": is_cut}
    return worker.answer({**about, **asked}, page.encode("utf-8", "surrogatepass"))


def test_each_claim_is_compared_with_its_quote_and_context() -> None:
    second = {**CLAIM, "number": 4, "quote": "rest in kelp", "context": "They do."}

    first, other = map(from_json, _ask(claims=[CLAIM, second]))

    assert (first.number, first.position, first.claim) == (3, 7, "Sea otters eat crabs")
    assert first.url == "https://a.example/"
    assert first.check is not None
    assert first.check.quote is not None
    assert (first.check.quote.fit, first.check.quote_is_named) == (Fit.LETTER, False)
    assert other.check is not None
    assert other.check.quote is not None
    assert other.check.quote_is_named
    assert PAGE[other.check.quote.start : other.check.quote.end] == "rest in kelp"


def test_a_judge_hears_what_is_near_and_whether_words_stand_there() -> None:
    assert _ask(passages_for="otters") == PAGE
    assert _ask(words="rest in kelp near") is True
    assert _ask(words="REST in kelp near") is False


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_page_that_was_cut_before_says_so(is_cut: bool) -> None:
    (found,) = map(from_json, _ask(is_cut=is_cut, claims=[CLAIM]))

    assert found.check is not None
    assert found.check.is_cut == is_cut


def test_a_page_that_is_longer_than_is_compared_says_so() -> None:
    (found,) = map(from_json, _ask(f"{PAGE}{' so' * 150_000}", claims=[CLAIM]))

    assert found.check is not None
    assert found.check.is_cut


def test_the_last_sixteen_pages_are_kept() -> None:
    for number in range(16):
        _ask(f"page {number}", str(number), passages_for="x")
    kept = [_ask("", str(number), passages_for="x") for number in range(16)]
    assert kept == [f"page {number}" for number in range(16)]

    _ask("", "0", passages_for="x")  # Used, so another one goes.
    _ask("page 16", "16", passages_for="x")

    assert _ask("", "0", passages_for="x") == "page 0"
    assert _ask("", "1", passages_for="x") == ""


def test_a_page_with_pages_is_another_than_the_same_without() -> None:
    request = {"page_hash": "a", "has_pages": True, "is_cut": False, "passages_for": "x"}

    assert _ask(passages_for="x") == PAGE
    assert worker.answer(request, b"other") == "other"


def test_what_is_too_much_is_not_compared_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    _ask(passages_for="x")

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(worker, "check_claim", fail)
    monkeypatch.setattr(worker, "passages_near", fail)

    (found,) = map(from_json, _ask(claims=[CLAIM]))
    assert found.check is not None
    assert (found.number, found.check.not_compared) == (3, NotCompared.TOO_LONG)
    assert not worker._pages
    assert _ask(passages_for="x") is None


def test_as_a_process_it_answers_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[str] = []
    monkeypatch.setattr(worker_loop, "answer_requests", lambda say: answered.append(say.__name__))
    monkeypatch.delitem(sys.modules, worker.__name__)

    runpy.run_module(worker.__name__, run_name="__main__")

    assert answered == ["answer"]


def test_a_snapshot_is_told_by_its_answer_address_and_text() -> None:
    # As every database has it: another id would keep each page once more.
    assert Snapshot(message_id="m", url="u", text_hash="h").id == "c1c242d90e51f6f3425342e9990d0e19"
