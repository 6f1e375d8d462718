"""Pages that a documentation generator made: their markup says plainly where the text is.

No scoring is needed for them, and none would keep every heading, table and listing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.reader import wiki

if TYPE_CHECKING:
    from turbohtml import Document, Element

# What the page's `generator` says, and where that program puts the text.
_BY_GENERATOR = (
    (re.compile(r"mediawiki"), wiki.SELECTOR),
    (re.compile(r"asciidoc"), "#header, #content, #footnotes"),
    (re.compile(r"docbook"), "body"),
    (re.compile(r"texinfo|makeinfo"), "body"),
    (re.compile(r"rustdoc"), "#main-content"),
    (re.compile(r"doxygen"), "div.headertitle, div.contents"),
    (re.compile(r"javadoc"), "main"),
    (re.compile(r"docusaurus"), ".theme-doc-markdown"),
    (re.compile(r"mkdocs"), "article.md-content__inner, div[role=main]"),
    (re.compile(r"vitepress"), ".vp-doc"),
    (re.compile(r"gtk-doc"), "body"),
    (re.compile(r"pandoc"), "main, body"),
)
# Themes of Sphinx, mdBook, Node.js: pages that do not always name their generator.
_BY_PLACE = (
    "div.rst-content div[itemprop=articleBody], article#furo-main-content, article.bd-article, "
    "div.document div.body[role=main], div.document div.body, #apicontent, "
    "#page-wrapper.page-wrapper > .page > #content.content > main, #mdbook-content > main, "
    "#docContent, #docs-content, .sl-markdown-content, .devsite-article-body"
)
_NOT_TEXT = (
    "nav:not(.contents), script, style, .navheader, .navfooter, .sphinxsidebar, .related, "
    ".headerlink, a.header-anchor, .rst-footer-buttons, .prev-next-area, .prev-next-footer, "
    ".theme-doc-footer, .md-source-file, .md-feedback, .nav-panel, a.hash-link, button, .copybtn, "
    ".sidebar-toggle, a.src, .nav-wrapper, .nav-wide-wrapper, table.navigation, .header > .nav"
)
_LEAST_CHARACTERS = 40


def documentation_parts(document: Document) -> list[Element]:
    """Return the elements that hold a documentation page's text; none for any other page.

    What is not text inside them (links to the next page, buttons to copy) is taken out.
    """
    parts = _outermost(document.select(_selector(document)))
    if sum(len(part.text) for part in parts) < _LEAST_CHARACTERS:
        return []
    for part in parts:
        part.remove(_NOT_TEXT)
        if part.attr("id") == "mw-content-text":
            wiki.clean_wiki(part)
    return parts


def _selector(document: Document) -> str:
    generator = _generator(document)
    return next((place for said, place in _BY_GENERATOR if said.search(generator)), _BY_PLACE)


def _generator(document: Document) -> str:
    for meta in document.find_all("meta"):
        if (meta.attr("name") or "").lower() == "generator":
            return (meta.attr("content") or "").lower()
    return ""


def _outermost(elements: list[Element]) -> list[Element]:
    found = set(elements)
    return [element for element in elements if found.isdisjoint(element.ancestors)]
