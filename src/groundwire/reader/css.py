"""The text of style sheets: their rules, those that always hold and those that may, and selectors.

Words are looked for first: the costliest pages have megabytes of styles, and most of their rules
are about nothing that we ask.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SEVERAL = " "  # Before a selector that is more than one name.
_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_SPACED_COLON = re.compile(r"\s+:")
_SIMPLE_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*|\*)?([.#][\w-]+)|([a-z][a-z0-9-]*)")
_COMMA = re.compile(r",(?![^(]*\))")
# What depends on the reader's doing or on scripts, and what is about no words of the page.
_STATE = re.compile(
    r":(?::|before|after|hover|focus|active|checked|target|visited|open|popover-open|host"
    r"|placeholder|first-l|disabled|enabled|invalid|valid|user-|autofill|fullscreen|defined)|[@&%]|no-?js"
    r"|active|select|current|expand|collaps|toggle|accordion|tab|slide|swiper|carousel"
)
_BRACE = re.compile(r"[{};]")
_AT_RULE = re.compile(r"@([\w-]+)\s*([^{;]*)")
_AT_RULE_OR_BRACE = re.compile(rf"[{{}}]|{_AT_RULE.pattern}")
_NESTED = re.compile(r"[{};]\s*&|@scope\b")
_SCOPE = re.compile(r"@scope\s*\(([^)]*)\)")
_MAX_SELECTOR = 1_000  # Each rule inside of another makes it longer, or twice as long.
_EVERY_SCREEN = frozenset({"", "all", "screen", "only screen", "only all"})
_PARTS = re.compile(r"#[\w-]+|([.:\[])|(?<![\w.#:\[=\"-])[a-z]")


def plain(sheet: str) -> str:
    """Return a style sheet without comments, and colons right behind what they end."""
    if "/*" in sheet or "<!--" in sheet:
        sheet = _COMMENT.sub("", sheet)
    if any(spaced in sheet for spaced in (" :", "\t:", "\n:", "\f:")):
        sheet = _SPACED_COLON.sub(":", sheet)
    return unnested(sheet) if "&" in sheet or "@scope" in sheet else sheet


def unnested(sheet: str) -> str:
    """Return a style sheet in which no rule stands inside of another, or of a scope."""
    if _NESTED.search(sheet) is None:
        return sheet
    flat: list[str] = []
    around: list[str] = [""]  # The selector that holds inside of each brace that is open.
    ends: list[str] = []
    given, position = "", 0
    for match in _BRACE.finditer(sheet):
        piece = sheet[position : match.start()]
        position = match.end()
        if match[0] == ";":
            given += f"{piece};"
            continue
        given += piece if match[0] == "}" else ""
        flat.append(f"{around[-1]}{{{given}}}" if around[-1] and given.strip() else given)
        given = ""
        if match[0] == "}":
            flat.append(ends.pop() if ends else "")
            del around[max(1, len(around) - 1) :]
            continue
        head = piece.strip()
        scope = _SCOPE.match(head)
        is_rule = scope is not None or not head.startswith("@")
        around.append(_inside(around[-1], scope[1] if scope else head) if is_rule else around[-1])
        ends.append("" if is_rule else "}")
        flat.append("" if is_rule else f"{head}{{")
    return "".join(flat)


def _inside(outer: str, selectors: str) -> str:
    """Return selectors as they read inside of a rule for another, cut where they never end."""
    if not outer:
        return selectors
    outer = f":is({outer})" if "," in outer else outer
    parts = (part.strip() for part in _COMMA.split(selectors[:_MAX_SELECTOR]))
    inside = ",".join(
        part.replace("&", outer) if "&" in part else f"{outer} {part}" for part in parts
    )
    return inside[:_MAX_SELECTOR]


def split(sheet: str) -> tuple[str, str]:
    """Return the rules that hold on every screen and those that may hold on some; none of paper.

    Each character is looked at once, however deep at-rules stand inside of one another.
    """
    if "@" not in sheet:
        return sheet, ""
    always: list[str] = []
    sometimes: list[str] = []
    depths: list[int] = []  # How many rules are open in each at-rule that always holds.
    position = 0
    while match := _next(sheet, position, is_inside=bool(depths)):
        always.append(sheet[position : match.start()])
        position = match.end()
        if match[0] == "}" and not depths[-1]:
            depths.pop()
        elif match[0] in "{}":
            depths[-1] += 1 if match[0] == "{" else -1
            always.append(match[0])
        elif sheet[position : position + 1] != "{":
            position += 1  # One without rules, such as an import.
        elif _always_holds(match[1].lower(), " ".join(match[2].lower().split())):
            depths.append(0)
            position += 1
        else:
            begin, position = position + 1, _end_of_rule(sheet, position)
            if match[1].lower() in ("media", "container", "supports") and "print" not in match[2]:
                sometimes.append(sheet[begin : position - 1])
    return "".join([*always, sheet[position:]]), "".join(sometimes)


def _next(sheet: str, position: int, *, is_inside: bool) -> re.Match[str] | None:
    """Return the next at-rule, with what stands before its braces; inside of one any brace, too."""
    pattern = _AT_RULE_OR_BRACE if is_inside else _AT_RULE
    while match := pattern.search(sheet, position):
        if match[0] in "{}" or _begins_statement(sheet, match.start()):
            return match
        position = match.start() + 1
    return None


def _begins_statement(sheet: str, start: int) -> bool:
    """Tell whether nothing but white space is before a place of a statement: no address has one."""
    while start and sheet[start - 1].isspace():
        start -= 1
    return not start or sheet[start - 1] in "{};"


def _always_holds(rule: str, condition: str) -> bool:
    """Tell whether what stands in an at-rule holds in every browser of today."""
    if rule == "media":
        return not _EVERY_SCREEN.isdisjoint(each.strip() for each in condition.split(","))
    return rule == "layer" or (rule == "supports" and not condition.startswith("not"))


def rules_with(sheet: str, words: Mapping[str, re.Pattern[str] | None]) -> dict[int, str]:
    """Return what stands between two closing braces and has one of the words, by place."""
    rules: dict[int, str] = {}
    if not words or not sheet:
        return rules
    # One capital is longer than its small letter, and would move all that follows.
    lowered = (sheet if sheet.isascii() else sheet.replace("\u0130", "I")).lower()
    for word, pattern in words.items():
        position = 0
        while (position := lowered.find(word, position)) >= 0:
            if pattern is None or pattern.match(lowered, position):
                position = add_rule(rules, sheet, position)
            else:
                position += len(word)
    return rules


def add_rule(rules: dict[int, str], sheet: str, position: int) -> int:
    """Note the rule around a place of a sheet, and return where it ends."""
    start = sheet.rfind("}", 0, position) + 1
    end = sheet.find("}", position)
    end = len(sheet) if end < 0 else end
    rules[start] = sheet[start:end]
    return end


def style_of(rule: str) -> str:
    """Return the declarations of a rule."""
    return rule.rpartition("{")[2]


def names_of(rule: str) -> list[str]:
    """Return whom a rule is about: classes, ids with `#`, tags with `<`, and other selectors."""
    head = rule.rpartition("{")[0].rpartition("{")[2].rpartition(";")[2]
    parts = _COMMA.split(head) if "(" in head else head.split(",")
    return [name for name in map(_name, map(str.strip, parts)) if name]


def _name(selector: str) -> str:
    match = _SIMPLE_SELECTOR.fullmatch(selector)
    if match is None:
        return "" if not selector or _STATE.search(selector) else f"{SEVERAL}{selector}"
    return match[1].removeprefix(".") if match[1] else f"<{match[2]}"


def selector_of(name: str) -> str:
    """Return the selector that a name stands for."""
    if name.startswith((SEVERAL, "<", "#")):
        return name.lstrip(" <")
    return f".{name}"


def specificity(name: str) -> int:
    """Return how much a selector counts against others: ids before classes before tags."""
    if not name.startswith(SEVERAL):
        return {"#": 10_000, "<": 1}.get(name[0], 100)
    found = list(_PARTS.finditer(name))
    return sum(10_000 if part[0][0] == "#" else 100 if part[1] else 1 for part in found)


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
