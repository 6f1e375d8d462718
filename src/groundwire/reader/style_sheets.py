"""Which classes, ids and tags the style sheets in a page itself hide, on every screen."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from groundwire.reader.colours import colour_of
from groundwire.reader.declarations import is_hiding, normal, only_holds_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from turbohtml import Document, Element

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIMPLE_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?([.#][\w-]+)|([a-z][a-z0-9-]*)")
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
_BRACE = re.compile(r"[{};]")
_SHOWING = re.compile(r"display:\s*(?!none)\w|visibility:\s*visible|opacity:\s*1")
_PROPERTY = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_PRINT = re.compile(r"@media\s+(?:only\s+)?print\b[^{,]*\{", re.IGNORECASE)
_MAX_CHARACTERS = 300_000
_MAX_VARIABLES = 3  # One inside of another.
# Tags that a sheet may style by name; of others, such a rule would be about the whole page.
_NO_TAGS = frozenset({"html", "body", "main", "article", "section", "div", "span", "p", "a", "li"})


class StyleSheets:
    """The sheets of one page; `hidden` are classes, ids with their `#`, tags with a `<`."""

    def __init__(self, document: Document) -> None:
        sheets = [_sheet(style) for style in document.find_all("style")]
        short = [_COMMENT.sub("", sheet) for sheet in sheets if len(sheet) <= _MAX_CHARACTERS]
        self._values = _properties(short)
        # A sheet has hundreds of variables; those that could hide something are few.
        self._suspects: dict[str, re.Pattern[str] | None] = {
            f"var({name}": None
            for name, value in self._values.items()
            if _HIDING_VALUE.fullmatch(value.lower())
        }
        self.hidden = self._hidden_names(short)
        self._sheets = short

    def held_back(self) -> frozenset[str]:
        """Return those of the hidden names that rules hide by opacity or visibility alone."""
        rules = [
            rule for sheet in self._sheets for rule in _rules_with(sheet, _HIDING_WORDS).values()
        ]
        held = _names_of(rules, only_holds_back)
        others = _names_of(rules, lambda style: is_hiding(style) and not only_holds_back(style))
        return self.hidden & held - others

    def resolved(self, style: str) -> str:
        """Return declarations in which variables have the value that a sheet gives them."""
        for _ in range(_MAX_VARIABLES):
            if "var(" not in style:
                break
            style = _VARIABLE.sub(self._value, style)
        return style

    def _value(self, match: re.Match[str]) -> str:
        return self._values.get(match[1], match[2] or "")

    def _hidden_names(self, sheets: list[str]) -> frozenset[str]:
        """Return the names that styles hide without any condition.

        A name that another rule shows, on a wider screen perhaps, is left out; what is shown on
        paper is still hidden from whoever reads the page.
        """
        hidden: set[str] = set()
        shown: set[str] = set()
        for sheet in sheets:
            names = self._hidden_by(_top_level(sheet) if "@" in sheet else sheet)
            if names:
                showing = _rules_with(_without_print(sheet), _SHOWING_WORDS)
                shown |= _names_of(showing.values(), self._shows)
            hidden |= names
        return frozenset(hidden - shown)

    def _hidden_by(self, sheet: str) -> set[str]:
        rules = _rules_with(sheet, _HIDING_WORDS) | _rules_of_one_colour(sheet)
        rules |= _rules_with(sheet, self._suspects)
        for match in _ESCAPED.finditer(sheet) if "\\" in sheet else ():
            _add_rule(rules, sheet, match.end())
        return _names_of(rules.values(), self._hides)

    def _hides(self, style: str) -> bool:
        return is_hiding(self.resolved(style))

    def _shows(self, style: str) -> bool:
        return _SHOWING.search(self.resolved(style)) is not None


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


def _names_of(rules: Iterable[str], is_wanted: Callable[[str], bool]) -> set[str]:
    """Return the classes, ids and tags that stand alone before a wanted style."""
    names: set[str] = set()
    for rule in rules:
        head, _, style = rule.rpartition("{")
        if is_wanted(style):
            selectors = head.rpartition("{")[2]
            found = map(_SIMPLE_SELECTOR.fullmatch, map(str.strip, selectors.split(",")))
            names.update(filter(None, (_name(match) for match in found if match)))
    return names


def _name(match: re.Match[str]) -> str:
    if match[1]:
        return match[1].removeprefix(".")
    return "" if match[2] in _NO_TAGS else f"<{match[2]}"


def _rules_with(sheet: str, words: Mapping[str, re.Pattern[str] | None]) -> dict[int, str]:
    """Return what stands between two closing braces and has one of the words, by place."""
    rules: dict[int, str] = {}
    lowered = sheet.lower() if sheet.isascii() else sheet
    for word, pattern in words.items():
        position = 0
        while (position := lowered.find(word, position)) >= 0:
            if pattern is None or pattern.match(lowered, position):
                position = _add_rule(rules, sheet, position)
            else:
                position += len(word)
    return rules


def _add_rule(rules: dict[int, str], sheet: str, position: int) -> int:
    """Note the rule around a place of a sheet, and return where it ends."""
    start = sheet.rfind("}", 0, position) + 1
    end = sheet.find("}", position)
    end = len(sheet) if end < 0 else end
    rules[start] = sheet[start:end]
    return end


def _rules_of_one_colour(sheet: str) -> dict[int, str]:
    """Return the rules that give words and what is behind them colours hardly apart."""
    rules: dict[int, str] = {}
    position = 0
    while (position := sheet.find("background", position)) >= 0:
        found: dict[int, str] = {}
        position = _add_rule(found, sheet, position)
        (rule,) = found.values()
        front, back = _COLOUR.search(rule), _BACKGROUND.search(rule)
        if front and back and ("var(" in rule or _is_one_colour(front[1], back[1])):
            rules |= found
    return rules


@lru_cache(maxsize=4_096)
def _is_one_colour(front: str, back: str) -> bool:
    colours = [colour_of(normal(each)) for each in (front, back)]
    return colours[0] is not None and colours[1] is not None and colours[0].fades_into(colours[1])


def _without_print(sheet: str) -> str:
    """Return a style sheet without the rules that hold on paper only."""
    kept: list[str] = []
    position = 0
    while match := _PRINT.search(sheet, position):
        kept.append(sheet[position : match.start()])
        position = _end_of_rule(sheet, match.start())
    return "".join([*kept, sheet[position:]])


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
