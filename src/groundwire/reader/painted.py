"""Which words have the colour of what is behind them, on a page that brings all its own styles.

Where styles come from other files as well, an element may have any background, and nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbohtml import Element

from groundwire.reader.colours import Colour, colour_of
from groundwire.reader.css import SEVERAL, names_of, rules_with, selector_of, specificity, style_of
from groundwire.reader.declarations import (
    background_colour,
    has_picture,
    merge,
    words_colour,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from turbohtml import Document

    from groundwire.reader.style_sheets import StyleSheets

_WORDS = {"color:": None, "background": None}
_MAX_CHARACTERS = 50_000  # Of sheets: more of them come from tools, and cost.
_MAX_SELECTORS = 100  # Of several parts: each is looked for in the whole page.
_NOTHING: Mapping[str, str] = {}


class Painted:
    """The colours that a page's own sheets give its elements."""

    def __init__(self, document: Document, sheets: StyleSheets) -> None:
        self._sheets = sheets
        self._named: dict[str, dict[str, str]] = {}
        self._matched: dict[Element, dict[str, str]] = {}
        if _brings_its_styles(document, sheets.always):
            self._read(document, sheets.always)

    def __bool__(self) -> bool:
        return bool(self._named or self._matched)

    def hides(self, element: Element) -> bool:
        """Tell whether an element's words have the colour of what is behind them."""
        front = words_colour(self._of(element))
        if front is None or front.is_clear:
            return False
        around: object = element
        while isinstance(around, Element):
            given = self._of(around)
            if has_picture(given) or around.attr("background"):
                return False
            back = background_colour(given) or _old_background(around)
            if back is not None and not back.is_clear:
                return front.fades_into(back) and not self._is_painted_inside(element)
            around = around.parent
        return False

    def _read(self, document: Document, sheets: Sequence[str]) -> None:
        """Note what rules declare for a name, and for the elements that several parts select."""
        rules = [rule for sheet in sheets for _, rule in sorted(rules_with(sheet, _WORDS).items())]
        for rule in rules:
            given = self._sheets.declared(style_of(rule))
            for name in names_of(rule):
                self._named[name] = merge(self._named.get(name, _NOTHING), given)
        several = [name for name in self._named if name.startswith(SEVERAL)]
        for name in sorted(several[:_MAX_SELECTORS], key=specificity):
            try:
                elements = document.select(selector_of(name))
            except ValueError:  # A selector that browsers understand, or not, and we do not.
                continue
            for element in elements:
                before = self._matched.get(element, _NOTHING)
                self._matched[element] = merge(before, self._named[name])

    def _of(self, element: Element) -> Mapping[str, str]:
        """Return what is declared for an element, the strongest last."""
        given = self._named.get(f"<{element.tag}", _NOTHING)
        for name in (element.attr("class") or "").split():
            given = merge(given, self._named.get(name, _NOTHING))
        given = merge(given, self._matched.get(element, _NOTHING))
        given = merge(given, self._named.get(f"#{element.attr('id')}", _NOTHING))
        style = element.attr("style")
        return merge(given, self._sheets.declared(style)) if style else given

    def _is_painted_inside(self, element: Element) -> bool:
        """Tell whether something in an element has a background or colour of its own."""
        return any(
            words_colour(given) is not None or background_colour(given) or has_picture(given)
            for given in map(self._of, element.iter_elements())
        )


def _brings_its_styles(document: Document, sheets: Sequence[str]) -> bool:
    return (
        0 < sum(map(len, sheets)) <= _MAX_CHARACTERS
        and not any("@import" in style.text for style in document.find_all("style"))
        and document.select_one("link[rel~=stylesheet]") is None
    )


def _old_background(element: Element) -> Colour | None:
    painted = element.attr("bgcolor")
    return colour_of(painted.strip().lower()) if painted else None
