"""What a reader is shown while an answer comes letter by letter, and what it is as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest

from groundwire.citations import MarkerShown, MarkerStream, Piece, TextShown
from groundwire.model import Citation, Evidence

# Words; a marker with its position, its label, what stands before and behind it, and of each
# source that it names the words; or the place of what is folded, with its domains.
Told: TypeAlias = str | tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Case:
    """What comes, and what is made of it.

    `known` is the evidence of the page that the model calls 1, "" if it was given none. `cited`
    are citations: after how many letters each comes, its page, its span and evidence. In `told` a
    bar stands for the end of the text.
    """

    known: str = ""
    text: str
    cited: list[tuple[int, str, int | None, int | None, str]] = field(default_factory=list)
    told: list[Told]
    marked: str
    sources: list[tuple[int, str, str, bool, list[tuple[int, int]]]]


CASES: dict[str, Case] = {
    "plain": Case(
        known="",
        text="One. Two.",
        cited=[(9, "A", 0, 4, "CITED"), (9, "B", 5, 9, "CITED")],
        told=["One. Two.", (4, "[1]", "", "", (1, 0, 4)), "|", (9, "[2]", "", "", (2, 5, 9))],
        marked="One.[1] Two.[2]",
        sources=[(1, "a", "cited", True, [(0, 4)]), (2, "b", "cited", True, [(8, 12)])],
    ),
    "early": Case(
        known="",
        text="One. Two. Three",
        cited=[(0, "A", 0, 4, "CITED"), (2, "B", 5, 9, "CITED"), (15, "A", 10, 15, "CITED")],
        told=[
            "One.",
            (4, "[1]", "", "", (1, 0, 4)),
            " Two.",
            (9, "[2]", "", "", (2, 5, 9)),
            " Three|",
            (15, "[1]", "", "", (1, 10, 15)),
        ],
        marked="One.[1] Two.[2] Three[1]",
        sources=[(1, "a", "cited", True, [(0, 4), (16, 21)]), (2, "b", "cited", True, [(8, 12)])],
    ),
    "same place": Case(
        known="",
        text="One two. Three",
        cited=[(9, "A", 0, 8, "CITED"), (9, "B", 4, 8, "CITED"), (14, "A", 4, 8, "CITED")],
        told=[
            "One two. ",
            (8, "[1]", "", "", (1, 0, 8)),
            (8, "[1][2]", "", "", (1, 0, 8), (2, 4, 8)),
            "Three",
            (8, "[1][2]", "", "", (1, 0, 8), (2, 4, 8), (1, 4, 8)),
            "|",
        ],
        marked="One two.[1][2] Three",
        sources=[(1, "a", "cited", True, [(0, 8), (4, 8)]), (2, "b", "cited", True, [(4, 8)])],
    ),
    "link": Case(
        known="",
        text="One [a.example](https://a.example/) two.",
        cited=[(35, "A", 0, 35, "CITED")],
        told=["One ", (4, "[1]", "", "", (1, 0, 4)), " two.|"],
        marked="One [1] two.",
        sources=[(1, "a", "cited", True, [(0, 4)])],
    ),
    "wrapped link": Case(
        known="",
        text="One ([a.example](https://a.example/)) two.",
        cited=[(37, "A", 0, 37, "CITED")],
        told=["One ", (4, "[1]", "", "", (1, 0, 4)), " two.|"],
        marked="One [1] two.",
        sources=[(1, "a", "cited", True, [(0, 4)])],
    ),
    "link of words": Case(
        known="",
        text="One [so it is](https://a.example/) two.",
        cited=[(39, "A", 4, 34, "CITED")],
        told=["One [so it is](https://a.example/) two.", (34, "[1]", "", ""), "|"],
        marked="One so it is[1] two.",
        sources=[(1, "a", "cited", True, [])],
    ),
    "link late": Case(
        known="",
        text="One ([a.example](https://a.example/)) two.",
        cited=[(42, "A", 0, 37, "CITED")],
        told=["One ([a.example](https://a.example/)) two.", (37, "[1]", "", ""), "|"],
        marked="One [1] two.",
        sources=[(1, "a", "cited", True, [(0, 4)])],
    ),
    "own": Case(
        known="CITED",
        text="One [1] two [2] a[1] b[0].",
        cited=[],
        told=[
            "One ",
            (4, "[1]", "", ""),
            " two ",
            (9, "[2?]", "", ""),
            " a",
            (11, "[1]", "", ""),
            " b[0].|",
        ],
        marked="One [1] two [2?] a[1] b[0].",
        sources=[(1, "a", "cited", True, [])],
    ),
    "own later": Case(
        known="",
        text="One [1] two [2].",
        cited=[(9, "A", 0, 3, "CITED")],
        told=["One [1] t", (3, "[1]", "", "", (1, 0, 3)), "wo [2].|"],
        marked="One[1] [1] two [2].",
        sources=[(1, "a", "cited", True, [(0, 3)])],
    ),
    "private": Case(
        known="CITED",
        text="One \ue200cite\ue2021\ue201 two \ue203.",
        cited=[],
        told=["One ", (4, "[1]", "", ""), " two .|"],
        marked="One [1] two .",
        sources=[(1, "a", "cited", True, [])],
    ),
    "code": Case(
        known="",
        text="A `b c` d.",
        cited=[(10, "A", 0, 5, "CITED")],
        told=["A `b c` d.", (7, "[1]", "", "", (1, 0, 4)), "|"],
        marked="A `b c`[1] d.",
        sources=[(1, "a", "cited", True, [(0, 4)])],
    ),
    "block": Case(
        known="",
        text="```\nx\n```\nend",
        cited=[(13, "A", 0, 7, "CITED")],
        told=["```\nx\n```\nend", (10, "[1]", "", "\n\n", (1, 0, 7)), "|"],
        marked="```\nx\n```\n[1]\n\nend",
        sources=[(1, "a", "cited", True, [(0, 7)])],
    ),
    "open block": Case(
        known="",
        text="```\nx",
        cited=[(5, "A", 0, 5, "CITED")],
        told=["```\nx|"],
        marked="```\nx",
        sources=[(1, "a", "cited", False, [])],
    ),
    "url": Case(
        known="",
        text="See https://a.example/x now.",
        cited=[(28, "A", 0, 12, "CITED")],
        told=["See https://a.example/x now.", (23, "[1]", " ", "", (1, 0, 12)), "|"],
        marked="See https://a.example/x [1] now.",
        sources=[(1, "a", "cited", True, [(0, 12)])],
    ),
    "cluster": Case(
        known="",
        text="e\u0301a. b",
        cited=[(6, "A", 0, 1, "CITED")],
        told=["e\u0301a. b", (2, "[1]", "", "", (1, 0, 1)), "|"],
        marked="e\u0301[1]a. b",
        sources=[(1, "a", "cited", True, [(0, 1)])],
    ),
    "removed": Case(
        known="",
        text="One is so. Two is not. Three.",
        cited=[(5, "A", 0, 10, "REMOVED"), (29, "B", 11, 22, "CITED")],
        told=[
            "One is so.",
            (10, "[removed]", "", ""),
            " ",
            (0, 10, "a.example"),
            "Two is not. Three.",
            (22, "[1]", "", "", (1, 11, 22)),
            "|",
        ],
        marked="One is so.[removed] Two is not.[1] Three.",
        sources=[(1, "b", "cited", True, [(20, 31)])],
    ),
    "removed link": Case(
        known="",
        text="One ([a.example](https://a.example/)). Two.",
        cited=[(0, "A", None, None, "REMOVED")],
        told=["One ", (4, "[removed]", "", ""), ". Two.|"],
        marked="One [removed]. Two.",
        sources=[],
    ),
    "removed link late": Case(
        known="",
        text="One [word](https://a.example/). Two.",
        cited=[(36, "A", None, None, "REMOVED")],
        told=["One [word](https://a.example/). Two.", (30, "[removed]", "", ""), "|"],
        marked="One word[removed]. Two.",
        sources=[],
    ),
    "removed known": Case(
        known="REMOVED",
        text="One [1] two. Three.",
        cited=[],
        told=["One ", (4, "[removed]", "", ""), " two. Three.|"],
        marked="One [removed] two. Three.",
        sources=[],
    ),
    "beyond": Case(
        known="",
        text="One.",
        cited=[(4, "A", 0, 99, "CITED"), (4, "B", 3, 2, "CITED"), (4, "C", 9, 12, "CITED")],
        told=["One.|", (4, "[1]", "", "", (1, 0, 4))],
        marked="One.[1]",
        sources=[
            (1, "a", "cited", True, [(0, 4)]),
            (2, "b", "cited", False, []),
            (3, "c", "cited", False, []),
        ],
    ),
    "blank span": Case(
        known="",
        text="One.   \n\nTwo.",
        cited=[(13, "A", 0, 8, "CITED"), (13, "B", 4, 8, "CITED")],
        told=["One.   \n\nTwo.", (4, "[1]", "", "", (1, 0, 4)), "|"],
        marked="One.[1]   \n\nTwo.",
        sources=[(1, "a", "cited", True, [(0, 4)]), (2, "b", "cited", False, [])],
    ),
    "parenthesis": Case(
        known="",
        text="One(two) three",
        cited=[(14, "A", 0, 3, "CITED")],
        told=["One(two) three", (3, "[1]", "", " ", (1, 0, 3)), "|"],
        marked="One[1] (two) three",
        sources=[(1, "a", "cited", True, [(0, 3)])],
    ),
    "hits": Case(
        known="FOUND",
        text="One [1].",
        cited=[(8, "A", 0, 3, "CITED")],
        told=["One ", (4, "[1]", "", ""), ".", (3, "[1]", "", "", (1, 0, 3)), "|"],
        marked="One[1] [1].",
        sources=[(1, "a", "cited", True, [(0, 3)])],
    ),
}


def _citation(page: str, start: int | None, end: int | None, evidence: str) -> Citation:
    url = f"https://{page.lower()}.example/"
    return Citation(url=url, start=start, end=end, evidence=Evidence[evidence])


def _told(pieces: Iterable[Piece]) -> Iterable[Told]:
    for piece in pieces:
        if isinstance(piece, TextShown):
            yield piece.text
        elif isinstance(piece, MarkerShown):
            supports = [(each.number, each.start, each.end) for each in piece.supports]
            yield piece.position, piece.label, piece.before, piece.after, *supports
        else:
            yield piece.start, piece.end, *piece.domains


def _joined(told: Iterable[Told]) -> list[Told]:
    found: list[Told] = []
    for each in told:
        last = found[-1] if found else None
        if isinstance(each, str) and isinstance(last, str):
            found[-1] = last + each
        else:
            found.append(each)
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_answer_is_shown_as_soon_as_it_can_be(case: Case) -> None:
    known = {"1": _citation("A", None, None, case.known)} if case.known else None
    stream = MarkerStream(known)
    told: list[Told] = []

    for count in range(len(case.text) + 1):
        if count:
            told += _told(stream.feed(case.text[count - 1]))
        for at, page, start, end, evidence in case.cited:
            if at == count:
                told += _told(stream.cite([_citation(page, start, end, evidence)]))
    done = stream.finish()

    assert _joined([*told, "|", *_told(done.pieces)]) == case.told
    assert done.marked.text == case.marked
    assert done.marked.unmark() == case.text
    assert case.sources == [
        (each.number, each.url[8], each.evidence.value, each.is_marked, [*each.spans])
        for each in done.marked.sources
    ]
