"""Which elements a reader of the page would not see, as far as the page's own markup says so.

Styles in other files are never fetched, so a class that only they hide stays; docs/reader.md has
the table of what gets through.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from turbohtml import Element, Text

from groundwire.reader.colours import Colour, colour_of
from groundwire.reader.declarations import colours_of, is_hiding, only_holds_back
from groundwire.reader.formulas import is_for_readers
from groundwire.reader.painted import Painted
from groundwire.reader.style_sheets import StyleSheets

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from turbohtml import Document

# Classes that are for screen readers only, by a convention that style sheets elsewhere follow.
_ALWAYS_HIDDEN = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"}
)
_WHOLE_PAGE = frozenset({"html", "body", "main"})
# A reader can open these: tabs, accordions, "read more". They count as seen.
_CAN_BE_OPENED = re.compile(
    r"accordion|collaps|tab-?p|tab-?content|toggle|expand|faq|panel|read-?more"
    r"|carousel|slide|swiper"
)
_MOVED_IN = re.compile(r"S:[0-9a-f]+")
# Scripts show what a page hides most of itself with, so that much hidden text is not hidden text.
_MOST_OF_A_PAGE = 0.4
_LEAST_OF_MOST = 1_000
_BY_STYLE = ""  # Among the names of classes: by an element's own style.
_MOST_ASKED = 20  # Times the text of the page.
_MOST_OF_A_STYLE = 2_000  # Characters, in which its colours are.
_MOST_AROUND = 12  # Elements around one, to find the colour behind it.


class Hiding:
    """Tells which elements of one page are hidden, by themselves or by the page's own styles."""

    def __init__(self, document: Document) -> None:
        self._sheets = StyleSheets(document)
        self._names = self._sheets.hidden | _ALWAYS_HIDDEN
        self._matched = self._sheets.matched
        self._painted = Painted(document, self._sheets)
        # Asked of every element, and few pages have either.
        self._has_matched, self._has_painted = bool(self._matched), bool(self._painted)
        # Those that a sheet hides by name, and the one that browsers show only once it is opened.
        self._tags = {name[1:] for name in self._names if name.startswith("<")} | {"dialog"}
        # Of others, those without attributes are not hidden.
        self.tags = self._tags | {e.tag for e in self._matched if not e.attrs}
        self._has_ids = any(name.startswith("#") for name in self._names)
        self._document = document
        self._opened: frozenset[str] | None = None
        self._body_length: int | None = None
        self._asked = 0
        self._held_back: Counter[str] = Counter()
        self._sees_held_back = False

    def hides(self, element: Element, tag: str) -> bool:
        """Tell whether an element and all below it cannot be seen."""
        if tag in _WHOLE_PAGE or not self._is_unseen(element, tag):
            return False
        if tag in ("span", "div") and is_for_readers(element.attr("class") or ""):
            return False
        if self._can_be_opened(element) or self._is_most_of_the_page(element):
            return False
        self._note(element)
        return True

    def seen_text(self, element: Element, skipped: AbstractSet[str]) -> str:
        """Return the text of an element, spaces and all, without what is hidden in it."""
        unseen = {
            inner
            for inner in element.iter_elements()
            if inner.tag in skipped or (inner.attrs and self.hides(inner, inner.tag))
        }
        if not unseen:
            return element.text
        texts = (node for node in element.descendants if type(node) is Text)
        return "".join(text.data for text in texts if unseen.isdisjoint(text.ancestors))

    def shows_more(self, seen: int) -> bool:
        """Tell whether one way of hiding holds back so much that the page's scripts will show it.

        `seen` is how long the text is that was not hidden. That way then no longer hides.
        """
        least = max(_LEAST_OF_MOST, _MOST_OF_A_PAGE / (1 - _MOST_OF_A_PAGE) * seen)
        most = {name for name, size in self._held_back.items() if size >= least}
        if not most:
            return False
        names = most & self._sheets.held_back()
        self._names -= names
        self._matched = {e: name for e, name in self._matched.items() if name not in names}
        self._sees_held_back = _BY_STYLE in most
        return bool(names) or self._sees_held_back

    def _is_unseen(self, element: Element, tag: str) -> bool:
        return (
            self._is_marked(element)
            or (tag in self._tags and not (tag == "dialog" and "open" in element.attrs))
            or (self._has_matched and element in self._matched)
            or (self._has_painted and self._painted.hides(element))
        )

    def _note(self, element: Element) -> None:
        """Count the words of what is hidden as scripts hide what they let appear."""
        names = self._sheets.hidden.intersection((element.attr("class") or "").split())
        if self._matched and element in self._matched:
            names |= {self._matched[element]}
        style = element.attr("style")
        if style and only_holds_back(self._sheets.resolved(style)):
            names |= {_BY_STYLE}
        if names and not self._has_asked_enough():
            size = len(element.to_text())
            self._asked += size
            for name in names:
                self._held_back[name] += size

    def _is_marked(self, element: Element) -> bool:
        """Tell whether an element's own attributes say that it is hidden."""
        attributes, attribute = element.attrs, element.attr
        others = len(attributes)
        if (classes := attribute("class")) is not None:
            if not self._names.isdisjoint(classes.split()):
                return True
            others -= 1
        # Half of all elements have no more than a class, and each further question costs.
        return others > 0 and (
            ("style" in attributes and self._is_styled_away(element))
            or ("color" in attributes and _has_no_contrast(element, attribute("color") or ""))
            or (self._has_ids and f"#{attribute('id')}" in self._names)
            or "hidden" in attributes
            or "popover" in attributes
            or ("aria-hidden" in attributes and attribute("aria-hidden") == "true")
        )

    def _is_styled_away(self, element: Element) -> bool:
        style = self._sheets.resolved(element.attr("style") or "")
        if is_hiding(style):
            return not (self._sees_held_back and only_holds_back(style))
        front, back = colours_of(style[:_MOST_OF_A_STYLE])
        return front is not None and back is None and _is_unseen_on(front, element)

    def _can_be_opened(self, element: Element) -> bool:
        identifier = element.attr("id") or ""
        if element.attr("role") == "tabpanel" or _MOVED_IN.fullmatch(identifier):
            return True
        if _CAN_BE_OPENED.search(f"{element.attr('class') or ''} {identifier}".lower()):
            return True
        if self._opened is None:
            self._opened = _opened_by_controls(self._document)
        return identifier in self._opened or _is_opened_from_before(element)

    def _is_most_of_the_page(self, element: Element) -> bool:
        """Tell whether an element holds so much of the page that its scripts will show it.

        Hidden elements inside of one another are asked for their text until that adds up to many
        times the page; such a page means to be slow, and what it hides stays hidden.
        """
        if self._has_asked_enough():
            return False
        least = max(_LEAST_OF_MOST, _MOST_OF_A_PAGE * self._length_of_body())
        size = len(element.text)
        self._asked += size
        return size >= least and len(element.to_text()) > least

    def _has_asked_enough(self) -> bool:
        length = self._length_of_body()
        return not length or self._asked > _MOST_ASKED * length

    def _length_of_body(self) -> int:
        if self._body_length is None:
            body = self._document.find("body")
            self._body_length = 0 if body is None else len(body.to_text())
        return self._body_length


def _opened_by_controls(document: Document) -> frozenset[str]:
    """Return the ids that some button or link of the page says it opens."""
    controls = document.select("[aria-controls]")
    return frozenset(
        name for control in controls for name in (control.attr("aria-controls") or "").split()
    )


def _is_opened_from_before(element: Element) -> bool:
    """Tell whether an element, or what it is all of, stands right after a control that opens it."""
    around = element.parent
    return _follows_a_control(element) or (
        isinstance(around, Element)
        and element.previous_sibling is None
        and _follows_a_control(around)
    )


def _follows_a_control(element: Element) -> bool:
    before = element.previous_sibling
    if isinstance(before, Text) and before.data.isspace():
        before = before.previous_sibling
    return isinstance(before, Element) and (
        before.attr("aria-expanded") is not None or before.select_one("[aria-expanded]") is not None
    )


def _has_no_contrast(element: Element, written: str) -> bool:
    """Tell whether the `color` of an old `font` element is that of what is behind it."""
    front = colour_of(written.strip().lower())
    return front is not None and _is_unseen_on(front, element)


def _is_unseen_on(front: Colour, element: Element) -> bool:
    """Tell whether words fade into the nearest background that the elements around them give.

    An element with a class may have another background from a sheet that we do not see.
    """
    around: object = element
    for _ in range(_MOST_AROUND):
        if not isinstance(around, Element):
            return False
        style, painted = around.attr("style"), around.attr("bgcolor")
        back = colours_of(style[:_MOST_OF_A_STYLE])[1] if style else None
        back = back or (colour_of(painted.strip().lower()) if painted else None)
        if back is not None:
            return not back.is_clear and front.fades_into(back)
        if around is not element and (around.attr("class") or around.attr("id")):
            return False
        around = around.parent
    return False
