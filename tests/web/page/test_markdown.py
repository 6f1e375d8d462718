"""Markdown as elements of the page."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from tests.web.page.markdown_view import whole

pytestmark = pytest.mark.asyncio(loop_scope="session")

CASES = {
    "emphasis": (
        "a *b* **c** ***d*** _e_ __f__ ~~g~~",
        (
            "<p>a <em>b</em> <strong>c</strong> <em><strong>d</strong></em> <em>e</em> "
            "<strong>f</strong> <del>g</del></p>"
        ),
    ),
    "signs inside words": ("snake_case_word, 2 * 3 * 4", "<p>snake_case_word, 2 * 3 * 4</p>"),
    "emphasis next to an emoji": ("😀*a*", "<p>😀<em>a</em></p>"),
    "code spans": ("`a` ``b ` c``", "<p><code>a</code> <code>b ` c</code></p>"),
    "escapes and entities": (
        r"\*a\* &amp; &copy; &#65; &nosuch;",
        "<p>*a* &amp; © A &amp;nosuch;</p>",
    ),
    "formulas": (
        r"$x^2$, \(y\) and \(a + b\), $n$.",
        (
            '<p><span class="math">x^2</span>, <span class="math">y</span> and '
            '<span class="math">a + b</span>, <span class="math">n</span>.</p>'
        ),
    ),
    "formulas on lines of their own": (
        "So:\n\\[\na\n+ b\n= c\n\\]\nand $$x$$",
        (
            '<p>So:</p><p><span class="math" data-display="">\na\n+ b\n= c\n</span></p>'
            '<p>and <span class="math" data-display="">x</span></p>'
        ),
    ),
    "prices and variables are no formulas": (
        "$5 and $10, $5-$10, US$5 to 6$, $5 or 10$, $HOME/bin:$PATH, $$",
        "<p>$5 and $10, $5-$10, US$5 to 6$, $5 or 10$, $HOME/bin:$PATH, $$</p>",
    ),
    "brackets with a backslash are no formulas": (
        r"Otters \[edit\] \[1\] sleep \(see below\) and \[never wake",
        "<p>Otters [edit] [1] sleep (see below) and [never wake</p>",
    ),
    "raw HTML is text": ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
    "breaks": ("a  \nb\\\nc\nd", "<p>a<br>b<br>c\nd</p>"),
    "a link to a source": (
        '[x](https://known.example/b_(c) "title")',
        '<p><a href="https://known.example/b_(c)">x</a></p>',
    ),
    "a bare link to a source": (
        "See https://known.example/x).",
        '<p>See <a href="https://known.example/x">https://known.example/x</a>).</p>',
    ),
    "a link to elsewhere": (
        "[x](https://other.example/y)",
        '<p><span class="unlinked">x<span class="host"> (other.example)</span></span></p>',
    ),
    "a picture": (
        "![a cat](https://known.example/cat.png)",
        '<p><span class="picture">a cat<span class="host"> (known.example)</span></span></p>',
    ),
    "headings keep the outline whole": (
        "### a\n\n# b #\n\n### c",
        '<h3 class="h3">a</h3><h3 class="h1">b</h3><h4 class="h3">c</h4>',
    ),
    "no heading by what follows": (
        "a\n-\n\nb\n===\n\nc\n---\n\n- d\n  --",
        "<p>a\n-</p><p>b\n===</p><p>c</p><hr><ul><li>d\n--</li></ul>",
    ),
    "no heading": ("#a\n\n####### b", "<p>#a</p><p>####### b</p>"),
    "rules": ("***\n\n- - -", "<hr><hr>"),
    "nested lists": (
        "- a\n  1. b\n  2. c\n- d",
        "<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>",
    ),
    "a loose list": ("1. a\n\n   b\n2. c", "<ol><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>"),
    "a list that starts later": ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
    "tasks": (
        "- [ ] a\n- [x] b",
        (
            '<ul class="tasks"><li><span class="task" aria-label="To do"></span>a</li>'
            '<li><span class="task" aria-label="Done" data-done=""></span>b</li></ul>'
        ),
    ),
    "a quote": ("> a\nb\n>\n> - c", "<blockquote><p>a\nb</p><ul><li>c</li></ul></blockquote>"),
    "fenced code": (
        "```python\na  <b>\n\n  c\n```\nd",
        '<pre aria-label="Code, python"><code>a  &lt;b&gt;\n\n  c</code></pre><p>d</p>',
    ),
    "fenced code in a list": (
        "- a\n\n  ```\n  b\n   c\n  ```",
        '<ul><li><p>a</p><pre aria-label="Code"><code>b\n c</code></pre></li></ul>',
    ),
    "indented code": ("    a\n\n    b", '<pre aria-label="Code"><code>a\n\nb</code></pre>'),
    "a table": (
        "| a | b |\n|:--|--:|\n| 1 \\| 2 | **c** |\n| d |",
        (
            '<table><thead><tr><th data-align="start">a</th>'
            '<th data-align="end">b</th></tr></thead>'
            '<tbody><tr><td data-align="start">1 | 2</td>'
            '<td data-align="end"><strong>c</strong></td></tr>'
            '<tr><td data-align="start">d</td><td data-align="end"></td></tr></tbody></table>'
        ),
    ),
    "Windows line ends": ("a\r\n\r\nb", "<p>a</p><p>b</p>"),
    "nothing": (" \n\n", ""),
}


@pytest.mark.parametrize("name", CASES)
async def test_markdown_is_shown_as_commonmark_has_it(modules: Page, name: str) -> None:
    text, expected = CASES[name]

    shown = await whole(modules, [text])

    assert shown == [expected]


async def test_deep_nesting_ends_somewhere(modules: Page) -> None:
    (shown,) = await whole(modules, [">" * 5000 + " a"])

    assert shown.count("<blockquote>") == 24


async def test_thousands_of_signs_are_read_in_one_go(modules: Page) -> None:
    signs = ["*a _b " * 3000, "[" * 5000, "a" + "`" * 5000, "**a" * 3000, "![](" * 2000, "<" * 5000]

    shown = await whole(modules, signs)

    assert [html.startswith("<p>") for html in shown] == [True] * len(signs)
