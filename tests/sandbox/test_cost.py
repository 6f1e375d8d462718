"""What a reply costs does not grow faster than its text."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from groundwire.sandbox.answers import AnswerPlan, Search, Segment
from groundwire.sandbox.gemini import Gemini
from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.web import WebPage
from groundwire.sandbox.wire import Call

CALL = Call(action="streamGenerateContent", number=1, body={}, query={"alt": "sse"}, model="m")


class CountedPlan(AnswerPlan):
    """Counts how often somebody walks through the whole answer."""

    walks: ClassVar[Counter[str]] = Counter()

    @property
    def text(self) -> str:
        self.walks["text"] += 1
        return super().text

    @property
    def pages(self) -> tuple[WebPage, ...]:
        self.walks["pages"] += 1
        return super().pages


def _walks_through(claims: int) -> Counter[str]:
    claim = Segment(text="Otters hold hands while they sleep. ", page=PAGES[0])
    CountedPlan.walks.clear()
    searches = (Search(query="otters"),)
    Gemini().frames(CountedPlan(searches=searches, segments=(claim,) * claims), CALL)
    return CountedPlan.walks.copy()


def test_gemini_walks_through_a_long_answer_as_often_as_through_a_short_one() -> None:
    short = _walks_through(claims=10)
    long = _walks_through(claims=100)

    assert short.keys() == {"text", "pages"}
    assert long == short
