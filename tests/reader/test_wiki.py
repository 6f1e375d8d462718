"""Pages in the markup that MediaWiki writes: the text, without what the wiki adds to it."""

from __future__ import annotations

from groundwire.reader import extract

EDIT = (
    '<span class="mw-editsection"><span class="mw-editsection-bracket">[</span>'
    '<a href="/w/index.php?title=Otter&amp;action=edit&amp;section={}" title="Edit section">'
    '<span>edit</span></a><span class="mw-editsection-bracket">]</span></span>'
)
MARK = '<sup id="cite_ref-{0}" class="reference"><a href="#cite_note-{0}">[{0}]</a></sup>'
MATH = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y"'
    ' style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML"'
    ' alttext="{\\displaystyle E=mc^{2}}"><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi>'
    "<msup><mi>c</mi><mn>2</mn></msup></mrow>"
    '<annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation>'
    '</semantics></math></span><img src="/math/svg/1" class="mwe-math-fallback-image-inline"'
    ' aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></span>'
)
INFOBOX = (
    '<table class="infobox biota"><tbody><tr><th colspan="2" class="infobox-above">Sea otter</th>'
    '</tr><tr><td colspan="2" class="infobox-image"><img src="o.jpg" alt=""></td></tr>'
    '<tr><th scope="row" class="infobox-label">Mass</th><td class="infobox-data">14 to 45 kg</td>'
    '</tr><tr><th scope="row" class="infobox-label">Order</th><td class="infobox-data">'
    '<a href="/wiki/Carnivora" title="Carnivora">Carnivora</a></td></tr></tbody></table>'
)
PAGE = f"""<!DOCTYPE html><html class="client-nojs" lang="en" dir="ltr"><head><meta charset="UTF-8">
<title>Sea otter - Encyclopedia</title><meta name="generator" content="MediaWiki 1.46.0-wmf.3">
</head><body class="mediawiki ltr ns-0 page-Sea_otter"><div id="mw-page-base"></div>
<nav><a href="/wiki/Main_Page">Main page</a></nav>
<div id="content" class="mw-body" role="main"><h1 id="firstHeading" class="firstHeading">
<span class="mw-page-title-main">Sea otter</span></h1>
<div id="bodyContent"><div id="siteSub" class="noprint">From the encyclopedia</div>
<div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output">
<div role="note" class="hatnote navigation-not-searchable">For the ship, see
<a href="/wiki/Otter_(ship)">Otter (ship)</a>.</div>
<table class="box-More_citations_needed plainlinks metadata ambox"><tr><td>This article needs
more citations.</td></tr></table>
{INFOBOX}
<p>The <b>sea otter</b> is a mammal of the North Pacific.{MARK.format(1)} It follows
{MATH} as all energy does.{MARK.format(2)}</p>
<div id="toc" class="toc"><h2 id="mw-toc-heading">Contents</h2><ul><li>1 Life</li></ul></div>
<div class="mw-heading mw-heading2"><h2 id="Life">Life</h2>{EDIT.format(1)}</div>
<p>It sleeps on its back.</p>
<h3><span class="mw-headline" id="Food">Food</span>{EDIT.format(2)}</h3>
<p>It eats urchins and crabs.</p>
<div class="mw-heading mw-heading2"><h2 id="References">References</h2>{EDIT.format(3)}</div>
<div class="mw-heading mw-heading3"><h3 id="Notes">Notes</h3>{EDIT.format(4)}</div>
<div class="reflist"><div class="mw-references-wrap"><ol class="references">
<li id="cite_note-1"><span class="mw-cite-backlink">^</span> <cite>Marsh, Ada. Otters.</cite></li>
</ol></div></div>
<div role="navigation" class="navbox"><table><tr><td>Otters of the world</td></tr></table></div>
</div><div class="printfooter">Retrieved from here</div></div>
<div id="catlinks" class="catlinks">Categories: Otters</div></div></div></body></html>"""

MARKDOWN = """# Sea otter

For the ship, see [Otter (ship)](https://wiki.example/wiki/Otter_%28ship%29).

| Sea otter |  |
| --- | --- |
| Mass | 14 to 45 kg |
| Order | [Carnivora](https://wiki.example/wiki/Carnivora) |

The **sea otter** is a mammal of the North Pacific. It follows $E=mc^{2}$ as all energy does.

## Life

It sleeps on its back.

### Food

It eats urchins and crabs."""


def test_an_article_is_its_text_with_its_infobox_and_its_formulas() -> None:
    extracted = extract(PAGE.encode(), "text/html", "https://wiki.example/wiki/Sea_otter")

    assert extracted.markdown == MARKDOWN
    assert extracted.title == "Sea otter - Encyclopedia"


def test_references_are_left_out_as_a_whole_and_their_heading_with_them() -> None:
    markdown = extract(PAGE.encode(), "text/html", "https://wiki.example/wiki/Sea_otter").markdown

    assert "[1]" not in markdown
    assert "References" not in markdown
    assert "Marsh" not in markdown


def test_notices_of_the_french_wikipedia_are_left_out_too() -> None:
    notices = (
        '<div class="bandeau-container">Cet article est sans sources.</div><p>La loutre nage'
        '<sup class="need_ref_tag">[réf. nécessaire]</sup>.</p><ul class="bandeau-portail">'
        "<li>Portail des mammifères</li></ul>"
    )
    page = PAGE.replace(INFOBOX, notices)

    markdown = extract(page.encode(), "text/html", "https://wiki.example/wiki/Sea_otter").markdown

    assert "\n\nLa loutre nage.\n\n" in markdown
    assert all(word not in markdown for word in ("sans sources", "Portail"))


def test_a_section_that_holds_more_than_references_stays() -> None:
    page = PAGE.replace('<div class="reflist">', "<p>See the library.</p><div class='reflist'>")

    markdown = extract(page.encode(), "text/html", "https://wiki.example/wiki/Sea_otter").markdown

    assert markdown.endswith("## References\n\n### Notes\n\nSee the library.")


def test_formulas_elsewhere_are_their_tex_too() -> None:
    katex = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>'
        '<annotation encoding="application/x-tex">x^2 + 1</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">x2+1</span></span>'
    )
    prose = "The otter swims down the river, and on its way it eats a good many fish. " * 6
    html = f"<title>T</title><article><p>{prose} It grows as {katex} does.</p></article>"

    assert "It grows as $x^2 + 1$ does." in extract(html.encode()).markdown
