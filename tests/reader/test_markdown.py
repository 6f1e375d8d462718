"""What HTML becomes as Markdown, whole blocks compared."""

from __future__ import annotations

import turbohtml

from groundwire.reader.hidden import Hiding
from groundwire.reader.markdown import write
from groundwire.reader.walker import Walker


def markdown(html: str, url: str = "https://example.org/docs/page") -> str:
    document = turbohtml.parse(html)
    document.resolve_links(url)
    return write(Walker(document, Hiding(document)).walk().blocks)


def test_headings_and_paragraphs_stand_apart() -> None:
    text = markdown("<h1>Otters</h1><p>They hold\n hands.</p><h3>Food</h3><p>Fish</p>")

    assert text == "# Otters\n\nThey hold hands.\n\n### Food\n\nFish"


def test_links_are_absolute_and_cannot_break_out_of_their_brackets() -> None:
    text = markdown('<p>See <a href="../a(b) c">the page</a> and <a href="#top">top</a>.</p>')

    assert text == (
        "See [the page](https://example.org/a%28b%29%20c) and"
        " [top](https://example.org/docs/page#top)."
    )


def test_a_link_to_anything_but_the_web_or_mail_is_only_text() -> None:
    text = markdown('<p><a href="javascript:alert(1)">run</a> <a href="data:x,y">see</a></p>')

    assert text == "run see"


def test_a_link_without_words_is_left_out() -> None:
    text = markdown('<h2>Name<a href="#name">¶</a></h2><a href="https://evil.test/?do it">.</a>')

    assert text == "## Name"


def test_a_link_around_blocks_is_a_link_in_each() -> None:
    text = markdown('<a href="/x"><h3>Title</h3><p>Teaser</p></a>')

    assert text == "### [Title](https://example.org/x)\n\n[Teaser](https://example.org/x)"


def test_lists_nest_and_ordered_ones_count() -> None:
    text = markdown(
        "<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p><p>more</p></li></ul>"
        "<ol><li>first</li><li>second</li></ol>"
    )

    assert text == "- one\n  - inner\n- two\n\n  more\n\n1. first\n2. second"


def test_a_table_keeps_its_cells() -> None:
    text = markdown(
        "<table><tr><th>Name</th><th>Size</th></tr><tr><td>a|b</td><td><p>1</p><p>2</p></td></tr>"
        "<tr><td colspan=2>both</td></tr></table>"
    )

    assert text == "| Name | Size |\n| --- | --- |\n| a\\|b | 1 2 |\n| both |  |"


def test_a_cell_over_several_rows_keeps_its_columns_to_itself() -> None:
    text = markdown(
        "<table><tr><th>Land</th><th>Sea</th><th>Otters</th></tr><tr><td rowspan=2>A</td>"
        "<td>north</td><td rowspan=3>9</td></tr><tr><td>south</td></tr><tr><td>B</td><td>east</td>"
        "</tr></table>"
    )

    assert text.splitlines()[2:] == ["| A | north | 9 |", "|  | south |  |", "| B | east |  |"]


def test_the_caption_of_a_table_stands_above_it() -> None:
    text = markdown(
        "<p>Before</p><table><caption>Otters <b>by</b> sea</caption><tr><th>Sea</th><th>Count</th>"
        "</tr><tr><td>North</td><td>3</td></tr></table><p>After</p>"
    )

    table = "| Sea | Count |\n| --- | --- |\n| North | 3 |"
    assert text == f"Before\n\nOtters **by** sea\n\n{table}\n\nAfter"


def test_a_table_that_only_arranges_the_page_is_no_table() -> None:
    text = markdown("<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>")

    assert text == "| a | b |\n| --- | --- |"


def test_code_blocks_are_fenced_with_their_language() -> None:
    text = markdown(
        '<pre><code class="language-python">if a:\n    b = "```"\n</code></pre>'
        '<div class="highlight-console notranslate"><div><pre>$ ls</pre></div></div>'
    )

    assert text == '```python\nif a:\n    b = "```"\n```\n\n```console\n$ ls\n```'


def test_a_fence_inside_code_gets_a_longer_one_around_it() -> None:
    text = markdown("<pre>```\nx\n```</pre>")

    assert text == "````\n```\nx\n```\n````"


def test_emphasis_and_inline_code_are_kept_but_never_inside_a_word() -> None:
    text = markdown("<p><b>T</b>he <em>big</em> <strong>one</strong>: <code>a_b*</code> 2*3</p>")

    assert text == "The *big* **one**: `a_b*` 2\\*3"


def test_quotations_nest_and_lines_break() -> None:
    text = markdown("<blockquote><p>one<br>two</p><p>three</p></blockquote>")

    assert text == "> one  \n> two\n>\n> three"


def test_text_that_looks_like_markdown_stays_text() -> None:
    text = markdown("<p># no heading</p><p>- no item</p><p>1. none</p><p>&lt;script&gt; [a](b)</p>")

    assert text == "\\# no heading\n\n\\- no item\n\n1\\. none\n\n\\<script> [a\\](b)"


def test_pictures_and_their_captions_for_the_blind_are_left_out() -> None:
    assert markdown('<p>Before <img src="a.png" alt="not seen"> after</p>') == "Before after"


def test_words_that_only_a_style_keeps_apart_do_not_grow_together() -> None:
    text = markdown(
        "<p><span>Nov 7</span><span>11 min</span><svg></svg><a href='/a'>River</a>"
        "<a href='/b'><b>Lake</b></a></p>"
    )

    assert text == ("Nov 7 11 min [River](https://example.org/a) [**Lake**](https://example.org/b)")


def test_a_word_in_pieces_stays_one_word() -> None:
    text = markdown("<p><span>O</span>tters, <b>ot</b><span>ters</span><span>.</span></p>")

    assert text == "Otters, otters."


def test_code_in_pieces_gets_no_spaces() -> None:
    text = markdown("<p><code><span>swim</span><span>2</span></code></p>")

    assert text == "`swim2`"


def test_a_cell_that_claims_any_number_of_columns_spans_a_few_at_most() -> None:
    wide = "9" * 10_000
    text = markdown(
        f"<table><tr><th colspan='{wide}'>A</th><th>B</th></tr><tr><td>1</td></tr></table>"
    )

    assert text.splitlines()[0] == f"| A |{'  |' * 49} B |"
