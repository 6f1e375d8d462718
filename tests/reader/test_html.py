"""Whole pages: what is kept, what is left out, and what is said when there is nothing."""

from __future__ import annotations

import pytest

from groundwire.reader import NEEDS_BROWSER, Extracted, extract
from groundwire.reader.characters import decode, visible

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 6
PAGE = f"""<!doctype html><html><head><title> Otters  | River News </title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li></ul></nav>
<main><article><h1>Otters of the river</h1><p>{PROSE}</p><h2>What they eat</h2><p>Fish. {PROSE}</p>
</article></main>
<aside class="related"><h3>Related stories</h3>
<ul><li><a href="/b">Beavers build</a></li></ul></aside>
<footer class="footer">© 2026 River News. All rights reserved.</footer></body></html>"""


def test_the_article_is_kept_and_what_surrounds_it_is_not() -> None:
    extracted = extract(PAGE.encode(), "text/html", "https://news.example/otters")

    prose = PROSE.strip()
    assert extracted == Extracted(
        title="Otters | River News",
        markdown=f"# Otters of the river\n\n{prose}\n\n## What they eat\n\nFish. {prose}",
    )


def test_a_long_article_is_kept_to_its_end() -> None:
    paragraphs = [f"On day {day} {PROSE.strip()}" for day in range(200)]
    article = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    html = f"<title>Otters</title><article><h1>Otters</h1>{article}</article>"

    extracted = extract(html.encode(), "text/html", "https://news.example/otters")

    assert extracted.markdown == "\n\n".join(["# Otters", *paragraphs])


def test_a_documentation_page_is_kept_whole() -> None:
    html = (
        '<meta name="generator" content="AsciiDoc 10"><title>git-x(1)</title>'
        '<div id="header"><h1>git-x(1)</h1></div><div id="content"><h2>SYNOPSIS</h2>'
        "<pre>git x --all --verbose --everything</pre>"
        "<table><tr><th>a</th><th>b</th></tr></table></div>"
        '<div id="footer">Last updated</div>'
    )

    assert extract(html.encode()).markdown == (
        "# git-x(1)\n\n## SYNOPSIS\n\n```\ngit x --all --verbose --everything\n```\n\n"
        "| a | b |\n| --- | --- |"
    )


def test_a_page_made_by_scripts_says_so() -> None:
    html = b'<title>App</title><div id="root"></div><script src="/app.js"></script>'

    extracted = extract(html)

    assert extracted == Extracted(title="App", problem=NEEDS_BROWSER)


def test_a_page_without_scripts_or_text_says_that() -> None:
    assert extract(b"<title>Empty</title>") == Extracted(
        title="Empty", problem="the page has no text"
    )


def test_a_page_that_is_all_noscript_is_read_as_without_scripts() -> None:
    html = f'<div id="app"></div><script></script><noscript><p>{PROSE * 2}</p></noscript>'

    assert extract(html.encode()).markdown == (PROSE * 2).strip()


def test_an_element_left_open_for_browsers_without_scripts_does_not_swallow_the_page() -> None:
    frame = "<noscript><iframe src='https://tags.example/' /></noscript>"

    assert extract(f"{frame}<h1>Otters</h1><p>{PROSE}</p>".encode()).markdown.endswith(
        PROSE.strip()
    )


def test_links_for_browsers_without_scripts_are_absolute() -> None:
    html = f'<div id="app"></div><noscript><p>{PROSE * 2}<a href="more">More</a></p></noscript>'

    assert (
        "[More](https://a.example/more)"
        in extract(html.encode(), url="https://a.example/").markdown
    )


def test_what_is_nested_too_deep_is_left_out_and_said() -> None:
    html = f"<article><h1>Otters</h1><p>{PROSE}</p></article>{'<div>' * 5000}deep"

    extracted = extract(html.encode())

    assert extracted.is_cut
    assert extracted.notes == ("what is nested more than 200 elements deep was left out",)
    assert "deep" not in extracted.markdown


def test_a_page_all_of_which_is_nested_too_deep_says_so() -> None:
    extracted = extract(f"<script></script>{'<div>' * 5000}deep".encode())

    assert extracted.problem.startswith("the page's text is nested too deep")


def test_invisible_characters_are_removed() -> None:
    hidden = "ot\u200bter\u202e\U000e0041\u00ad\ufeff\ufe0f"

    assert visible(hidden) == "otter"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("Füchse – 5 €".encode(), "text/html"),
        ("Füchse – 5 €".encode("cp1252"), "text/html; charset=ISO-8859-1"),
        (b'<meta charset="windows-1252">' + "Füchse – 5 €".encode("cp1252"), "text/html"),
        ("\ufeffFüchse – 5 €".encode("utf-16-le"), "text/html; charset=utf-8"),
        ("Füchse – 5 €".encode(), "text/html; charset=no-such-thing"),
        ("Füchse – 5 €".encode(), "text/html; charset=iso-8859-1"),
    ],
)
def test_the_encoding_is_found(body: bytes, content_type: str) -> None:
    assert decode(body, content_type).endswith("Füchse – 5 €")


def test_an_undeclared_encoding_is_told_by_its_look() -> None:
    body = "Выдра плывёт вниз по реке и по пути ест рыбу".encode("cp1251")

    assert decode(body, "text/plain") == "Выдра плывёт вниз по реке и по пути ест рыбу"


def test_broken_bytes_never_stop_a_page() -> None:
    assert decode(b"ok \xff\xfe ok" + b" fine" * 200, "text/html; charset=utf-8").startswith(
        "ok \ufffd\ufffd ok"
    )
