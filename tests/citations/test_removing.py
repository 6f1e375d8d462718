"""What a domain policy removed: no number, no source, its marker struck."""

import json
from dataclasses import replace

import pytest

from groundwire.citations import (
    Marker,
    Removed,
    Support,
    place,
    sources_to_html,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
)
from groundwire.citations.inline import RegionKind
from groundwire.citations.markdown import scan
from groundwire.model import Citation, Evidence
from tests.citations.examples import removed

A, B, X = "https://a.example", "https://b.example/page", "https://x.example/page"


def test_a_removed_citation_has_a_struck_marker_and_no_number() -> None:
    text = "One. Two."
    cited = [
        replace(removed(X, 0, 4), title="Page X"),
        removed(f"{X}#part", 0, 4),
        Citation(url=A, start=0, end=4),
        Citation(url=B, start=5, end=9),
    ]

    marked = place(text, cited)

    assert marked.text == "One.[1][removed] Two.[2]"
    assert marked.changes == (
        Marker(start=4, numbers=(1,), struck=(X,), supports=(Support(number=1, start=0, end=4),)),
        Marker(start=21, numbers=(2,), supports=(Support(number=2, start=17, end=21),)),
    )
    assert marked.markers == marked.changes
    assert [source.url for source in marked.sources] == [A, B]
    assert marked.removed == (Removed(url=X, title="Page X", domain="x.example"),)
    assert marked.unmark() == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So. ([x.example](https://x.example/page))\n", "So. [removed]\n"),
        ("So [x.example](https://x.example/page).", "So [removed]."),
        ("So [4](https://x.example/page).", "So [removed]."),
        ("So [the Ox](https://x.example/page?utm_source=openai).", "So the Ox[removed]."),
        ("[the](https://x.example/page)[Ox](https://x.example/page)", "the[removed]Ox[removed]"),
        ("`[a](https://x.example/page)`", "`[a](https://x.example/page)`"),
        ("So [the Bee](https://b.example/page).", "So [the Bee](https://b.example/page)."),
    ],
)
@pytest.mark.parametrize("has_span", [True, False])
def test_a_link_to_a_removed_page_loses_its_address_with_or_without_a_span(
    text: str, expected: str, *, has_span: bool
) -> None:
    links = [
        each for each in scan(text) if each.kind is RegionKind.LINK and "x.example" in each.url
    ]
    spans = [(each.outer_start, each.outer_end) for each in links] if has_span else []

    marked = place(text, [removed(X, *span) for span in spans] or [removed(X)])

    assert marked.text == expected
    assert marked.unmark() == text
    assert [each.url for each in marked.removed] == [X]


def test_a_models_own_marker_of_a_removed_source_is_struck() -> None:
    known = {"1": Citation(url=A), "3": removed(X), "4": removed(B)}

    marked = place("A [3], b [1, 3, 4, 9], c [4].", [], known=known)

    assert marked.text == "A [removed], b [1][removed][9?], c [removed]."
    assert [marker.struck for marker in marked.markers] == [(X,), (X, B), (B,)]
    assert [each.url for each in marked.removed] == [X, B]


def test_removed_sources_are_listed_by_first_place_and_then_those_without_one() -> None:
    cited = [removed(A), removed(B, 4, 7), removed(X, 0, 3), removed(f"{A}/#again")]

    marked = place("One two", cited, known={"3": removed("https://unused.example")})

    assert [each.url for each in marked.removed] == [X, B, A]
    assert marked.sources == ()


def test_a_removed_source_has_the_first_url_and_the_first_title_that_it_was_given() -> None:
    titled = [replace(removed(f"{X}#{title}"), title=title) for title in ("Two", "Three")]
    cited = [removed(f"{X}#one"), *titled, removed(f"{X}#four")]

    marked = place(f"[The Ox]({X}).", cited)

    assert marked.removed == (Removed(url=f"{X}#one", title="Two", domain="x.example"),)
    assert [marker.struck for marker in marked.markers] == [(f"{X}#one",)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_page_that_comes_once_removed_and_once_allowed_is_removed(order: int) -> None:
    cited = [Citation(url=X, start=0, end=3), removed(f"{X}#part", 4, 7)][::order]

    marked = place("One two", cited)

    assert marked.text == "One[removed] two[removed]"
    assert marked.sources == ()


STRUCK = place(
    "One. Two.",
    [
        Citation(url=A, title="Page A", start=0, end=4),
        replace(removed(X, 0, 4), title="Page X"),
        removed("https://x.example/other", 5, 9),
        Citation(url=B, evidence=Evidence.FOUND),
        removed("https://www.[y]<i>.example"),
    ],
)


def test_markdown_plain_text_and_a_terminal_say_removed_and_list_only_the_domains() -> None:
    lists = (
        "\n\nSources:\n[1] Page A (https://a.example)"
        "\n\nFound, not cited:\n[2] b.example (https://b.example/page)"
        "\n\nRemoved by policy:\n- x.example\n- "
    )

    folded = "(Folded by policy: this rests on x.example.)"
    text = f"{folded}[1][removed] {folded}[removed]"
    assert STRUCK.text == "One.[1][removed] Two.[removed]"
    assert to_plain(STRUCK) == f"{text}{lists}[y]<i>.example"
    assert to_terminal(STRUCK) == to_plain(STRUCK)
    assert to_markdown(STRUCK) == f"{text}{lists}\\[y\\]\\<i>.example"
    assert "x.example/" not in to_terminal(STRUCK, hyperlinks=True)


def test_html_strikes_the_marker_in_words_and_links_nowhere() -> None:
    marked = place("So [1]", [removed('https://x.example/"')], known={"1": removed(X)})

    assert to_html(marked) == (
        'So <sup class="citation removed"><del role="img" '
        'aria-label="Source removed by policy: x.example">[removed]</del></sup>'
    )
    assert sources_to_html(marked) == (
        '<ul class="removed" aria-label="Removed by policy">'
        '<li><span class="domain">x.example</span></li></ul>'
    )


def test_json_has_what_is_struck_and_what_was_removed() -> None:
    rendered = json.loads(json.dumps(to_json(STRUCK)))

    assert [marker["struck"] for marker in rendered["markers"]] == [
        [X],
        ["https://x.example/other"],
    ]
    assert rendered["removed"] == [
        {"url": X, "title": "Page X", "domain": "x.example"},
        {"url": "https://x.example/other", "title": "x.example", "domain": "x.example"},
        {
            "url": "https://www.[y]<i>.example",
            "title": "https://www.[y]<i>.example",
            "domain": "https://www.[y]<i>.example",
        },
    ]
