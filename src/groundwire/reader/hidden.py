"""Which elements a reader of the page would not see, as far as the page's own markup says so.

Styles in other files are never fetched, so a class that only they hide stays; docs/reader.md has
the table of what gets through.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from turbohtml import Element, Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from turbohtml import Document

_NOTHING = r"(?:0+(?:\.0*)?|\.0+)(?:px|em|rem|%|pt|vh|vw)?"
_TINY = r"(?:0*(?:\.\d+)?|1(?:\.0*)?)(?:px|pt)"
_FAR = r"-(?:(?:[5-9]\d\d|\d{4,})(?:\.\d+)?(?:px|pt)?|\d{3,}(?:\.\d+)?(?:em|rem|vw|vh))"
_HIDING = re.compile(
    rf"""(?:^|;)(?:
      display:none
    | visibility:(?:hidden|collapse)
    | content-visibility:hidden
    | opacity:(?:0(?:\.0\d*)?|\.0\d*|[0-4]%)
    | font-size:(?:{_NOTHING}|{_TINY})
    | font:(?:\w+)?(?:{_NOTHING}|{_TINY})(?:/|\D|$)
    | text-indent:{_FAR}
    | (?:left|top|right|bottom|margin-left|margin-top|inset-inline-start):{_FAR}
    | transform:[^;]*(?:scale[xy]?\(0(?:\.0*)?[),]|translate[xy3d]*\([^;)]*{_FAR})
    | clip:rect\(0|clip:rect\(1px
    | clip-path:(?:inset\((?:50|100)%|circle\(0|polygon\(0)
    | color:(?:transparent|rgba\([^;]*,0(?:\.0+)?\)|hsla\([^;]*,0(?:\.0+)?\)|\#[0-9a-f]{{6}}00)
    | -webkit-text-fill-color:transparent
    | text-fill-color:transparent
    | mask:linear-gradient\(transparent
    | font-size:0?\.[0-3]\d*(?:em|rem)
    | filter:[^;]*opacity\(0(?:\.0\d*)?%?\)
    | zoom:0(?:;|$)
    )(?=$|[;!/,\s)]|(?<=[(/,\s]))""",
    re.VERBOSE,
)
_SIZE = re.compile(rf"(?:^|;)(?:max-)?(width|height):(?:{_NOTHING}|{_TINY})(?=;|!|$)")
_COLOUR = re.compile(r"(?:^|;)color:([^;!]+)")
_BACKGROUND = re.compile(r"(?:^|;)background(?:-color)?:([^;!]+)")
_SPACE = re.compile(r"\s+")
_HEX = re.compile(r"#[0-9a-f]{6}")
_LEAST_CONTRAST = 24  # Of 255, in the colour that differs most.
_COLOUR_NAMES = {
    "white": "#ffffff",
    "black": "#000000",
    "rgb(255,255,255)": "#ffffff",
    "rgba(255,255,255,1)": "#ffffff",
    "rgb(0,0,0)": "#000000",
}

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?([.#][\w-]+)")
# Classes that are for screen readers only, by a convention that style sheets elsewhere follow.
_ALWAYS_HIDDEN = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader"}
)
_HIDING_WORDS = (
    "display:none", "display: none", "visibility:hidden", "visibility: hidden", "collapse",
    "opacity:0", "opacity: 0", "font-size:0", "font-size: 0", "size:1px", "indent:-", "indent: -",
    "clip:", "clip-path", "-9", "-1000", "-5000", "transparent", "scale(0", "height:0", "height: 0",
)  # fmt: skip
_SHOWING_WORDS = ("display:", "visible", "opacity")
_BRACE = re.compile(r"[{};]")
_SHOWING = re.compile(r"display:\s*(?!none)\w|visibility:\s*visible|opacity:\s*1")
_MAX_DECLARATION = 2_000
_MAX_STYLE_CHARACTERS = 300_000
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
_MOST_ASKED = 20  # Times the text of the page.


@lru_cache(maxsize=4_096)
def is_hiding(style: str) -> bool:
    """Tell whether a style declaration makes an element's text invisible."""
    squeezed = _SPACE.sub("", style[:_MAX_DECLARATION].lower()).replace(";;", ";")
    if _HIDING.search(squeezed):
        return True
    if "overflow:" in squeezed and "overflow:visible" not in squeezed and _SIZE.search(squeezed):
        return True
    return _has_no_contrast(squeezed)


def _has_no_contrast(style: str) -> bool:
    colour, background = _COLOUR.search(style), _BACKGROUND.search(style)
    if not colour or not background:
        return False
    front, back = _colour(colour[1]), _colour(background[1])
    if front == back:
        return True
    if not _HEX.fullmatch(front) or not _HEX.fullmatch(back):
        return False
    pairs = zip(bytes.fromhex(front[1:]), bytes.fromhex(back[1:]), strict=True)
    return max(abs(one - other) for one, other in pairs) < _LEAST_CONTRAST


def _colour(value: str) -> str:
    if re.fullmatch(r"#[0-9a-f]{3}", value):
        value = "#" + "".join(2 * digit for digit in value[1:])
    return _COLOUR_NAMES.get(value, value)


class Hiding:
    """Tells which elements of one page are hidden, by themselves or by the page's own styles."""

    def __init__(self, document: Document) -> None:
        sheets = [_sheet(style) for style in document.find_all("style")]
        self._names = _hidden_names(sheets) | _ALWAYS_HIDDEN
        self._has_ids = any(name.startswith("#") for name in self._names)
        self._document = document
        self._opened: frozenset[str] | None = None
        self._body_length: int | None = None
        self._asked = 0

    def hides(self, element: Element, tag: str) -> bool:
        """Tell whether an element and all below it cannot be seen."""
        if not self._is_marked(element) or tag in _WHOLE_PAGE:
            return False
        return not self._can_be_opened(element) and not self._is_most_of_the_page(element)

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
            ("style" in attributes and is_hiding(attribute("style") or ""))
            or (self._has_ids and f"#{attribute('id')}" in self._names)
            or "hidden" in attributes
            or ("aria-hidden" in attributes and attribute("aria-hidden") == "true")
        )

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
        if self._body_length is None:
            body = self._document.find("body")
            self._body_length = 0 if body is None else len(body.to_text())
        least = max(_LEAST_OF_MOST, _MOST_OF_A_PAGE * self._body_length)
        if not self._body_length or self._asked > _MOST_ASKED * self._body_length:
            return False
        size = len(element.text)
        self._asked += size
        return size >= least and len(element.to_text()) > least


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


def _sheet(style: Element) -> str:
    """Return a style sheet; one for some screens only, or for paper, says so in its text."""
    media = (style.attr("media") or "all").strip().lower()
    return style.text if media in ("all", "screen") else f"@media {media}{{{style.text}}}"


def _hidden_names(sheets: list[str]) -> frozenset[str]:
    """Return the classes, and the ids with their `#`, that styles hide without any condition.

    A name that another rule shows, on a wider screen perhaps, is left out.
    """
    hidden: set[str] = set()
    shown: set[str] = set()
    for sheet in sheets:
        if len(sheet) > _MAX_STYLE_CHARACTERS:
            continue
        names = _names_of(sheet, _HIDING_WORDS, is_hiding)
        if names and "@" in sheet:
            names &= _names_of(_top_level(sheet), _HIDING_WORDS, is_hiding)
        if names:
            shown |= _names_of(sheet, _SHOWING_WORDS, _is_showing)
        hidden |= names
    return frozenset(hidden - shown)


def _names_of(sheet: str, words: tuple[str, ...], is_wanted: Callable[[str], bool]) -> set[str]:
    """Return the classes and ids that stand alone before a wanted style.

    Most rules are passed over because none of the words is in them: sheets are long.
    """
    names: set[str] = set()
    for rule in _rules_with(sheet, words):
        head, _, style = rule.rpartition("{")
        if is_wanted(style):
            selectors = _COMMENT.sub("", head.rpartition("{")[2])
            found = map(_SIMPLE_SELECTOR.fullmatch, map(str.strip, selectors.split(",")))
            names.update(match[1].removeprefix(".") for match in found if match)
    return names


def _rules_with(sheet: str, words: tuple[str, ...]) -> list[str]:
    """Return what stands between two closing braces and has one of the words, each once."""
    rules: dict[int, str] = {}
    for word in words:
        position = 0
        while (position := sheet.find(word, position)) >= 0:
            start = sheet.rfind("}", 0, position) + 1
            end = sheet.find("}", position)
            position = len(sheet) if end < 0 else end
            rules[start] = sheet[start:position]
    return list(rules.values())


def _is_showing(style: str) -> bool:
    return _SHOWING.search(style) is not None


def _top_level(sheet: str) -> str:
    """Return a style sheet without the rules that hold only sometimes, as `@media print {…}`."""
    kept: list[str] = []
    position = 0
    while (start := sheet.find("@", position)) >= 0:
        kept.append(sheet[position:start])
        position = _end_of_rule(sheet, start)
    kept.append(sheet[position:])
    return "".join(kept)


def _end_of_rule(sheet: str, start: int) -> int:
    depth = 0
    for match in _BRACE.finditer(sheet, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
        if depth <= 0 and match[0] != "{":
            return match.end()
    return len(sheet)
