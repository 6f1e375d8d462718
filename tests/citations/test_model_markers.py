"""Markers that a model wrote itself."""

import pytest

from groundwire.citations import Marked, UnknownMarker, ids_in, place
from groundwire.model import Citation

KNOWN = {
    "1": Citation(url="https://a.example"),
    "3": Citation(url="https://c.example"),
    "turn0search1": Citation(url="https://t.example"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A [3] b [1] c [3].", "A [1] b [2] c [1]."),
        ("A [1, 3].", "A [1][2]."),
        ("A [3][1].", "A [1][2]."),
        ("A 【3†source】.", "A [1]."),
        ("A \ue200cite\ue202turn0search1\ue201.", "A [1]."),
        ("A \ue200cite\ue202turn0search1\ue202L8-L13\ue201.", "A [1]."),
        ("A \ue202turn0search1.", "A [1]."),
        ("\ue203A claim\ue204 \ue202turn0search1", "A claim [1]"),
        ("A [7].", "A [7?]."),
        ("A [1, 7].", "A [1][7?]."),
        ("A \ue200cite\ue202turn9news9\ue201.", "A [turn9news9?]."),
        ("A \ue200\ue201.", "A [?]."),
        ("`a[1]` and\n```\nb[1]\n```\n", "`a[1]` and\n```\nb[1]\n```\n"),
        ("a [1](https://x.example) b", "a [1](https://x.example) b"),
        ("A [3](b", "A [1](b"),
        ("A [3](b c) d", "A [1](b c) d"),
        ("A [3](b c) d [1] e", "A [1](b c) d [2] e"),
        ("Otters:\n    - sleep [1]\n", "Otters:\n    - sleep [1]\n"),
        ("[see [1] here](https://x.example)", "[see [1] here](https://x.example)"),
        ("[1]: https://x.example", "[1]: https://x.example"),
        ("In [2024] he [sic] left", "In [2024] he [sic] left"),
        ("an index a[7] in prose", "an index a[7] in prose"),
        ("kelp[1] and kelp[3].", "kelp[1] and kelp[2]."),
        (
            "kelp[1, 7] and kelp[7, 1] and kelp[7][3].",
            "kelp[1][7?] and kelp[1][7?] and kelp[7][3].",
        ),
        ("kelp[1][0] and kelp[3, 0][1] and [0]", "kelp[1][0] and kelp[3, 0][1] and [0?]"),
        ("コーヒー[7] ｶｯﾊﾟ[7]", "コーヒー[7?] ｶｯﾊﾟ[7?]"),
        ("kelp.[7] Kelp [7] (kelp[1][7]) 海藻[7]", "kelp.[7?] Kelp [7?] (kelp[1][7?]) 海藻[7?]"),
        ("matrix[0][1] f(x)[1, 0] x[i][7] a[7][1]", "matrix[0][1] f(x)[1, 0] x[i][7] a[7][1]"),
        (
            "[a](https://x.example)[7] https://x.example/[7]",
            "[a](https://x.example)[7?] https://x.example/[7?]",
        ),
    ],
)
def test_a_marker_with_a_source_becomes_ours_and_one_without_is_shown_as_unknown(
    text: str, expected: str
) -> None:
    marked = place(text, [], known=KNOWN)

    assert marked.text == expected
    assert marked.unmark() == text


def test_an_unknown_marker_is_reported() -> None:
    marked = place("A [1] b [4, 5].", [], known=KNOWN)

    assert marked.text == "A [1] b [4?][5?]."
    assert marked.unknown == (
        UnknownMarker(id="4", written="[4, 5]", position=8),
        UnknownMarker(id="5", written="[4, 5]", position=8),
    )


def test_without_ids_brackets_stay_and_unreadable_characters_do_not() -> None:
    marked = place("A [3] \ue200cite\ue202turn0search1\ue201.", [Citation(url="https://z.example")])

    assert marked.text == "A [3] [turn0search1?]."


@pytest.mark.parametrize("known", [None, {}])
@pytest.mark.parametrize(
    "text",
    ["matrix[0][1]", "as in [7].", "【3†source】", "\ue200cite\ue202turn0search1\ue201 \ue203"],
)
def test_without_any_source_text_stays_as_it_came(
    text: str, known: dict[str, Citation] | None
) -> None:
    assert place(text, [], known=known) == Marked(text=text)


def test_a_citation_and_the_models_own_marker_at_one_place_are_one_marker() -> None:
    cited = Citation(url="https://z.example", start=0, end=2)

    marked = place("A.[3] B.", [cited], known=KNOWN)

    assert marked.text == "A.[1][2] B."


@pytest.mark.parametrize(
    ("marker", "ids"),
    [
        ("[ 1;2 , 02]", ("1", "2")),
        ("【4:0†source】", ("4:0",)),
        ("【12】", ("12",)),
        ("【3†a†b】", ("3",)),
        ("[12]", ("12",)),
        ("[007]", ("7",)),
        ("\ue202turn0search1", ("turn0search1",)),
        ("\ue200cite\ue202a\ue202L8\ue202L1-L2\ue202L1-3\ue202b\ue201", ("a", "b")),
        ("\ue200cite\ue202\ue202a\ue202a\ue202Lx\ue201", ("a", "Lx")),
        ("\ue200cite\ue201", ()),
        ("\ue200cite\ue202turn0search0\ue202turn1news2\ue201", ("turn0search0", "turn1news2")),
    ],
)
def test_a_marker_names_each_of_its_ids_once(marker: str, ids: tuple[str, ...]) -> None:
    assert ids_in(marker) == ids
