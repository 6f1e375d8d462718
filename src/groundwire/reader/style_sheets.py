"""What the style sheets in a page itself hide, on every screen."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from groundwire.reader.colours import colour_of
from groundwire.reader.css import (
    SEVERAL,
    add_rule,
    names_of,
    plain,
    rules_with,
    selector_of,
    specificity,
    split,
    style_of,
)
from groundwire.reader.declarations import declared, hides, holds_back, is_hiding, merge, normal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from turbohtml import Document, Element

# Words that a rule which hides has, in small letters, and what must stand there for certain:
# words are found fast, and most rules of a sheet hide nothing.
_HIDING_WORDS = {
    word: re.compile(pattern) if pattern else None
    for word, pattern in {
        "display:": r"display:\s*none",
        "visibility:": r"visibility:\s*(?:hidden|collapse)",
        "content-vis": "",
        "opacity": r"opacity(?::|\()\s*(?:0(?!\.[1-9])|\.0|[0-4]%|calc|\d[\d.]*e-)",
        "font-size:": r"font-size:\s*(?:0(?!\.[4-9])|\.[0-3]|1(?:px|pt)|\d%|calc|\d[\d.]*e-)",
        "font:": r"(?<![\w-])font:[^;}]{0,40}?(?<![\d.])[01](?:px|pt|/)",
        "indent:": r"indent:\s*-?\d{3}",
        "clip:": r"(?<![\w-])clip:",
        "clip-path": "",
        "-9": r"-9\d\d",
        "-1000": "",
        "-5000": "",
        "999": "",
        "000px": "",
        "00vw": "",
        "height:": r"(?<!min-)height:\s*(?:0(?![.\d])|1px)",
        "width:": r"(?<![\w-])(?:max-)?width:\s*(?:0(?![.\d])|1px)",
        "scale": r"scale(?:3d|[xy])?(?:\(|:)\s*0(?!\.\d*[1-9])",
        "rotate": r"rotate(?:[xy3]|:\s*[xy])",
        "matrix(": r"matrix\(\s*0",
        "skew": r"skew[xy]?\(\s*-?90",
        "mask": r"mask(?:-image)?:\s*(?:linear|radial)",
        "filter:": r"filter:[^;}]*(?:opacity\(|blur\()",
        "zoom:": r"zoom:\s*\.?0",
        "text-security": "",
        "letter-spacing:": r"letter-spacing:\s*-(?:\d{2,}px|[1-9][\d.]*r?em)",
        "color:": r"(?:(?<![\w-])|(?<=fill-))color:\s*(?:transparent|#[0-9a-f]{3}0\b"
        r"|#[0-9a-f]{6}00\b|(?:rgb|hsl)a?\([^)]*[,/]\s*(?:0?\.0\d*|0)%?\s*\))",
    }.items()
}
_SHOWING_WORDS: dict[str, re.Pattern[str] | None] = {"display:": None, "visible": None} | {
    "opacity": re.compile(r"opacity:\s*1")
}
_HIDING_VALUE = re.compile(r"none|hidden|collapse|transparent|0|-\d{3,}(?:px|em|vw)")
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;}!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;}!]+)", re.IGNORECASE)
_ESCAPED = re.compile(r"""[;{:][^;{}"'()]*\\[0-9a-fA-F]""")
_PROPERTY = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_LAST_NAME = re.compile(r"[.#]([\w-]+)[^\s>+~]*$")
_MAX_CHARACTERS = 300_000
_MAX_VARIABLES = 3  # One inside of another.
_MAX_SELECTORS = 400  # Of several parts: each is looked for in the whole page.
# Tags that no sheet hides by name alone: such a rule would be about the whole page.
_NO_TAGS = frozenset(
    f"<{tag}"
    for tag in ("html", "body", "main", "article", "section", "div", "span", "p", "a", "li")
)
_Rules = list[tuple[str, bool]]


class StyleSheets:
    """The sheets of one page; `hidden` are classes, ids with their `#`, tags with a `<`.

    `matched` are elements that a selector of several parts hides, each with its name.
    """

    def __init__(self, document: Document) -> None:
        sheets = [_sheet(style) for style in document.find_all("style")]
        short = [plain(sheet) for sheet in sheets if len(sheet) <= _MAX_CHARACTERS]
        self._document = document
        self._values = _properties(short)
        # A sheet has hundreds of variables; those that could hide something are few.
        self._suspects: dict[str, re.Pattern[str] | None] = {
            f"var({name}": None
            for name, value in self._values.items()
            if _HIDING_VALUE.fullmatch(value.lower())
        }
        # What the sheets declare, in the end, for every name that one of their rules hides.
        self._given: dict[str, dict[str, str]] = {}
        self._showing: _Rules = []
        parts = [split(sheet) for sheet in short]
        self.always = [always for always, _ in parts]
        self._read(parts)
        # Scripts let appear what such selectors hold back: parts of a page, and new elements.
        names = {
            name
            for name, given in self._given.items()
            if hides(given) and not (name.startswith((SEVERAL, "<")) and holds_back(given))
        }
        self.hidden = frozenset(name for name in names if not name.startswith(SEVERAL))
        self.matched = self._elements(document, names - self.hidden)

    def held_back(self) -> frozenset[str]:
        """Return the names that are hidden by opacity or visibility alone."""
        return frozenset(name for name, given in self._given.items() if holds_back(given))

    def resolved(self, style: str) -> str:
        """Return declarations in which variables have the value that a sheet gives them."""
        for _ in range(_MAX_VARIABLES):
            if "var(" not in style:
                break
            style = _VARIABLE.sub(self._value, style)
        return style

    def _value(self, match: re.Match[str]) -> str:
        return self._values.get(match[1]) or self._values_in_styles.get(match[1], match[2] or "")

    @cached_property
    def _values_in_styles(self) -> dict[str, str]:
        """Return the variables that elements set for themselves and all inside of them."""
        elements = self._document.select('[style*="--"]')
        return _properties([element.attr("style") or "" for element in elements])

    def declared(self, style: str) -> dict[str, str]:
        """Return the values of declarations by property."""
        return declared(normal(self.resolved(style)))

    def _read(self, parts: Sequence[tuple[str, str]]) -> None:
        """Follow all rules about what one of them hides, in their order.

        What a rule for some screens only shows is not hidden; what is shown on paper is still
        hidden from whoever reads the page.
        """
        hiding = [self._hiding_rules(always) for always, _ in parts]
        names = {name for rules in hiding for rule in rules.values() for name in names_of(rule)}
        names -= _NO_TAGS
        if not names:
            return
        for (always, sometimes), rules in zip(parts, hiding, strict=True):
            every = rules_with(always, _SHOWING_WORDS) | rules
            self._showing += [(every[place], True) for place in sorted(every)]
            self._showing += [
                (rule, False) for rule in rules_with(sometimes, _SHOWING_WORDS).values()
            ]
        for rule, is_certain in sorted(self._showing, key=lambda each: not each[1]):
            for name in names.intersection(names_of(rule)):
                self._declare(name, self.declared(style_of(rule)), is_certain=is_certain)

    def _declare(self, name: str, given: Mapping[str, str], *, is_certain: bool) -> None:
        before = self._given.setdefault(name, {})
        after = merge(before, given)
        if is_certain or not hides(after):
            self._given[name] = after

    def _hiding_rules(self, sheet: str) -> dict[int, str]:
        rules = rules_with(sheet, _HIDING_WORDS) | _rules_of_one_colour(sheet)
        rules |= rules_with(sheet, self._suspects)
        for match in _ESCAPED.finditer(sheet) if "\\" in sheet else ():
            add_rule(rules, sheet, match.end())
        return {
            place: rule for place, rule in rules.items() if is_hiding(self.resolved(style_of(rule)))
        }

    def _elements(self, document: Document, names: set[str]) -> dict[Element, str]:
        """Return what selectors of several parts hide and no other rule shows."""
        matched: dict[Element, str] = {}
        for name in sorted(names)[:_MAX_SELECTORS]:
            try:
                matched |= dict.fromkeys(document.select(selector_of(name)), name)
            except ValueError:  # A selector that browsers understand, or not, and we do not.
                continue
        showing = self._showing_names(matched) if matched else {}
        showers = {name: self._showers(name, showing) for name in set(matched.values())}
        return {
            element: name
            for element, name in matched.items()
            if not any(_matches(element, other) for other in showers[name])
        }

    def _showing_names(self, elements: Mapping[Element, str]) -> dict[str, tuple[str, bool]]:
        """Return the names whose rules may show one of the elements, each with its last rule."""
        own = {name for e in elements for name in (e.attr("class") or "").split()}
        own |= {e.attr("id") or "" for e in elements} - {""}
        found: dict[str, tuple[str, bool]] = {}
        for rule, is_certain in self._showing:
            for name in names_of(rule):
                last = _LAST_NAME.search(name)
                if (last[1] if last else name.lstrip("#")) in own:
                    found[name] = (rule, is_certain)
        return found

    def _showers(self, hidden: str, showing: Mapping[str, tuple[str, bool]]) -> list[str]:
        """Return the names that show what another hides: they count for more, or hold sometimes."""
        return [
            name
            for name, (rule, is_certain) in showing.items()
            if name != hidden
            and not (is_certain and specificity(name) < specificity(hidden))
            and not hides(merge(self._given[hidden], self.declared(style_of(rule))))
        ]


def _matches(element: Element, name: str) -> bool:
    try:
        return element.matches(selector_of(name))
    except ValueError:
        return False


def _sheet(style: Element) -> str:
    """Return a style sheet; one for some screens only, or for paper, says so in its text."""
    media = (style.attr("media") or "all").strip().lower()
    return style.text if media in ("all", "screen") else f"@media {media}{{{style.text}}}"


def _properties(sheets: list[str]) -> dict[str, str]:
    """Return the custom properties that sheets give a value; the last one counts."""
    return {
        match[1]: match[2].strip()
        for sheet in sheets
        if "--" in sheet
        for match in _PROPERTY.finditer(sheet)
    }


def _rules_of_one_colour(sheet: str) -> dict[int, str]:
    """Return the rules that give words and what is behind them colours hardly apart."""
    rules: dict[int, str] = {}
    position = 0
    while (position := sheet.find("background", position)) >= 0:
        found: dict[int, str] = {}
        position = add_rule(found, sheet, position)
        (rule,) = found.values()
        front, back = _COLOUR.search(rule), _BACKGROUND.search(rule)
        if front and back and ("var(" in rule or _is_one_colour(front[1], back[1])):
            rules |= found
    return rules


@lru_cache(maxsize=4_096)
def _is_one_colour(front: str, back: str) -> bool:
    colours = [colour_of(normal(each)) for each in (front, back)]
    return colours[0] is not None and colours[1] is not None and colours[0].fades_into(colours[1])
