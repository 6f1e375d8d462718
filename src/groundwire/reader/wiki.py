"""Pages of MediaWiki, Wikipedia before all: what of them is text, and what belongs to the wiki.

References are left out as a whole, marks and lists: `[12]` in a page's text would read like a
citation of ours, and what it leads to is a list of other pages.
"""

from __future__ import annotations

from turbohtml import Element, Text

SELECTOR = "#firstHeading, #mw-content-text"
_NOT_TEXT = (
    ".mw-editsection, .mw-jump-link, #toc, .toc, .toclimit, .navbox, .navbox-styles, "
    ".vertical-navbox, .catlinks, .noprint, .ambox, .mbox-small, .sistersitebox, .side-box, "
    ".portalbox, .printfooter, .mw-empty-elt, .mw-indicators, .mw-authority-control, "
    "sup.reference, .mw-cite-backlink, .reflist, .references, .mw-references-wrap, "
    ".need_ref_tag, .bandeau-container, .bandeau-portail, .metadata, "
    ".Inline-Template, .refbegin, .mw-kartographer-maplink, .geo-nondefault, #coordinates"
)
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")


def clean_wiki(part: Element) -> None:
    """Take out of a page's text what the wiki put there, and headings of what is gone."""
    part.remove(_NOT_TEXT)
    # From the last to the first, so that a section whose parts are all gone goes with them.
    for heading in reversed(part.find_all([*_HEADINGS])):
        around = heading.parent
        is_wrapped = isinstance(around, Element) and "mw-heading" in (around.attr("class") or "")
        title = around if is_wrapped and isinstance(around, Element) else heading
        if not _has_text_below(title, int(heading.tag[1])):
            title.decompose()


def _has_text_below(title: Element, level: int) -> bool:
    for after in title.next_siblings:
        if isinstance(after, Text) and not after.data.isspace():
            return True
        if not isinstance(after, Element):
            continue
        below = after if after.tag in _HEADINGS else after.find([*_HEADINGS])
        is_heading = after.tag in _HEADINGS or "mw-heading" in (after.attr("class") or "")
        if is_heading and below is not None:
            return int(below.tag[1]) > level
        if after.tag not in ("style", "link", "meta") and not after.text.isspace() and after.text:
            return True
    return False
