"""What a style declaration does to an element's words: whether they can be seen."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from groundwire.reader.colours import Colour, colour_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNIT = r"(?:px|r?em|%|pt|pc|v[hwib]|vmin|vmax|ch|ex|cm|mm|in|q|r?lh)?"
_NOTHING = rf"[+-]?(?:0+(?:\.0*)?|\.0+){_UNIT}"
_SMALL = r"[+-]?(?:0+(?:\.0\d*)?|\.0\d*)%?"
_TINY = r"(?:0*(?:\.\d+)?|1(?:\.0*)?)(?:px|pt)"
_FAR = r"-(?:(?:[5-9]\d\d|\d{4,})(?:\.\d+)?(?:px|pt)?|\d{3,}(?:\.\d+)?(?:em|rem|vw|vh))"
_FAR_RIGHT = r"(?:(?:[5-9]\d{3}|\d{5,})(?:px|pt)|(?:[2-9]\d\d|\d{4,})(?:r?em|vw|vh))"
_EDGE_ON = r"-?(?:90|270)deg|-?\.?0?\.?25turn|-?1\.57\d*rad|-?[13]00grad"
_CLEAR = r"(?:transparent|\#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)|rgba\([^()]*,0(?:\.0*)?%?\))[\d.%]*"
_AWAY = rf"(?:{_FAR}|{_FAR_RIGHT})"
_MASK = rf"(?:linear|radial)-gradient\((?:to[a-z]+,|[\d.]+deg,)?{_CLEAR}(?:,{_CLEAR})*\)"
# By property, the values that leave nothing to be seen.
_HIDING_VALUES = {
    "display": "none",
    "visibility": "hidden|collapse",
    "content-visibility": "hidden",
    "opacity": r"0*(?:\.0\d*)?|[0-4](?:\.\d*)?%",
    "font-size": rf"{_NOTHING}|{_TINY}|0?\.[0-3]\d*r?em|\d(?:\.\d+)?%"
    rf"|0?\.0\d*v(?:w|h|min|max)|min\((?:[^()]*,)?{_NOTHING}[,)].*|clamp\([^()]*,{_NOTHING}\)",
    "font": rf"[a-z-]*(?:{_NOTHING}|{_TINY})(?:/.*|[^\d.].*)?",
    "text-indent": _AWAY,
    **dict.fromkeys(("left", "top", "margin-left", "margin-top"), _AWAY),
    **dict.fromkeys(("inset-inline-start", "margin-inline-start"), _AWAY),
    **dict.fromkeys(("right", "bottom", "margin-right", "margin-bottom"), _FAR),
    **dict.fromkeys(("inset", "margin"), f".*{_FAR}.*"),
    "transform": rf".*(?:scale(?:[xy]|3d)?\({_SMALL}[),]|matrix(?:3d)?\(0,0,0,0"
    rf"|translate(?:[xy]|3d)?\([^)]*{_AWAY}|rotate[xy]\((?:{_EDGE_ON})\)"
    rf"|rotate3d\((?!0,0,)[^)]*(?:{_EDGE_ON})\)|skew[xy]?\(-?90deg).*",
    "scale": _SMALL,
    "translate": f".*{_AWAY}.*",
    "rotate": f"[xy](?:{_EDGE_ON})",
    "clip": r"rect\((?:0|1px).*",
    "clip-path": rf"(?:inset\((?:[5-9]\d|100)(?:\.\d+)?%|circle\({_NOTHING}[)a]"
    rf"|ellipse\({_NOTHING}|polygon\([0px%,]*\)|path\([\"']?(?:m[\d.,-]*z?)?[\"']?\)).*",
    **dict.fromkeys(("text-security", "-webkit-text-security"), "disc|circle|square"),
    **dict.fromkeys(("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"), _MASK),
    **dict.fromkeys(("mask-size", "-webkit-mask-size"), r"(?:0(?:px|%)?)+"),
    "filter": r".*(?:opacity\(0*(?:\.0\d*)?%?\)|blur\((?:\d{2,}px|\d+r?em)).*",
    "zoom": r"0*(?:\.0\d*)?%?",
    "letter-spacing": r"-(?:\d{2,}px|[1-9]\d*(?:\.\d+)?r?em)",
}
_HIDING = {
    name: re.compile(rf"(?:{value})(?:!.*)?", re.DOTALL) for name, value in _HIDING_VALUES.items()
}
_SIZES = ("width", "height", "block-size", "inline-size")
_CUT_SIZES = frozenset({*_SIZES, *(f"max-{name}" for name in _SIZES), "line-height"})
_CUT_SIZE = re.compile(rf"(?:{_NOTHING}|{_TINY})(?:!.*)?")
_CUTS = frozenset(f"overflow{side}" for side in ("", "-x", "-y", "-block", "-inline"))
_NOT_CUT = ("visible", "auto", "scroll")
_PUSHED_OUT = re.compile(r"\d{3,}%.*")
_COLOURS = ("color", "-webkit-text-fill-color", "text-fill-color")
_BACKGROUNDS = ("background", "background-color")
_CUT_OUT = ("background-clip", "-webkit-background-clip")
_HELD_BACK = ("visibility", "opacity")
_TURNED_AROUND = re.compile(r".*rotate[xy]\(-?180deg.*")
_SPACE = re.compile(r"\s+")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|([^\n]))")
_ONE_VALUE = re.compile(r"calc\(([+\-.\w%]*)\)")
_ALMOST_NOTHING = re.compile(r"(?<![\w.])\d*\.?\d+e-\d+")
_PARTS = re.compile(r"(?<=rgb\(|gba\(|hsl\(|sla\(|lab\(|lch\()\s*[\d.%]+(?:deg)?\s+[^()]*")
_BACKGROUND = re.compile(r"(?<=background:)[^;]*")
_NO_COLOUR = re.compile(r"inherit|initial|unset|revert|transparent|none|$")
_COMMAS = str.maketrans(" /", ",,")
_MAX_DECLARATION = 500
_MAX_STYLE = 20_000
_MAX_REMEMBERED = 2_000


def normal(style: str) -> str:
    """Return declarations as they are compared: small letters, no spaces, comments or escapes."""
    style = style[:_MAX_STYLE]
    if "\\" in style:
        style = _ESCAPE.sub(_unescaped, style)
    if "/*" in style:
        style = _COMMENT.sub("", style)
    style = style.lower()
    if any(name in style for name in ("rgb", "hsl", "lab(", "lch(")):
        # New words for colours have spaces between numbers, and a slash; old ones have commas.
        style = _PARTS.sub(lambda found: found[0].translate(_COMMAS), style)
    if "background" in style:
        # Its value has several words, of which one is the colour.
        style = _BACKGROUND.sub(lambda found: ",".join(found[0].split()), style)
    style = _SPACE.sub("", style)
    if "calc(" in style:
        style = _ONE_VALUE.sub(r"\1", style)
    if "e-" in style:
        style = _ALMOST_NOTHING.sub("0", style)
    if len(style) > _MAX_DECLARATION:
        style = ";".join(each[:_MAX_DECLARATION] for each in style.split(";"))
    return style


def is_hiding(style: str) -> bool:
    """Tell whether declarations make an element's words invisible."""
    return _is_hiding(style) if len(style) <= _MAX_REMEMBERED else _is_hiding.__wrapped__(style)


@lru_cache(maxsize=4_096)
def _is_hiding(style: str) -> bool:
    return hides(declared(normal(style)))


def hides(given: Mapping[str, str]) -> bool:
    """Tell whether these values of properties make an element's words invisible."""
    if any(name in _HIDING and _HIDING[name].fullmatch(given[name]) for name in given):
        return True
    return _is_cut_away(given) or _is_turned_away(given) or _cannot_be_told_apart(given)


def only_holds_back(style: str) -> bool:
    """Tell whether declarations hide words as scripts do that let them appear: in their place."""
    return holds_back(declared(normal(style)))


def holds_back(given: Mapping[str, str]) -> bool:
    """Tell the same of values by property."""
    rest = {name: value for name, value in given.items() if name not in _HELD_BACK}
    return hides(given) and not hides(rest)


def merge(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return declarations with those of a later rule in their place, but for important ones."""
    weaker = {name for name in after if "!" in before.get(name, "") and "!" not in after[name]}
    return {**before, **{name: after[name] for name in after if name not in weaker}}


def declared(plain: str) -> dict[str, str]:
    """Return the values of declarations by property; the last one counts, or the important one."""
    pairs = [each.partition(":") for each in plain.split(";")]
    given = {name: value for name, _, value in pairs if value}
    if "!" not in plain:
        return given
    return given | {name: value for name, _, value in pairs if "!important" in value}


def _is_cut_away(given: Mapping[str, str]) -> bool:
    if not any(name in _CUTS and not given[name].startswith(_NOT_CUT) for name in given):
        return False
    is_pushed_out = _PUSHED_OUT.fullmatch(given.get("text-indent", "")) is not None
    return is_pushed_out or any(
        name in _CUT_SIZES and _CUT_SIZE.fullmatch(given[name]) for name in given
    )


def _is_turned_away(given: Mapping[str, str]) -> bool:
    return given.get("backface-visibility", "").startswith("hidden") and (
        _TURNED_AROUND.fullmatch(given.get("transform", "")) is not None
    )


def _cannot_be_told_apart(given: Mapping[str, str]) -> bool:
    if _is_written_alike(given):
        return not _is_cut_out(given)
    front = words_colour(given)
    if front is None:
        return False
    if front.is_clear:
        # Letters cut out of a coloured background are seen.
        return not _is_cut_out(given)
    back = background_colour(given)
    return back is not None and not back.is_clear and front.fades_into(back)


def _is_written_alike(given: Mapping[str, str]) -> bool:
    """Tell whether words and what is behind them are given the same colour in the same words."""
    back = given.get("background-color") or given.get("background") or ""
    if back.startswith("currentcolor"):
        return True
    # Only of a background the words are kept apart, by commas.
    same = given.get("color", "").replace(",", "") == back.replace(",", "")
    return same and not has_picture(given) and _NO_COLOUR.match(back) is None


def _is_cut_out(given: Mapping[str, str]) -> bool:
    return any(given.get(name, "").startswith("text") for name in _CUT_OUT)


@lru_cache(maxsize=4_096)
def colours_of(style: str) -> tuple[Colour | None, Colour | None]:
    """Return the colour that declarations give to words, and to what is behind them."""
    if "color" not in style.lower() and "background" not in style.lower() and "\\" not in style:
        return None, None
    given = declared(normal(style))
    return words_colour(given), background_colour(given)


def words_colour(given: Mapping[str, str]) -> Colour | None:
    """Return the colour of the words; None if none is given."""
    return _last_colour(given, _COLOURS)


def background_colour(given: Mapping[str, str]) -> Colour | None:
    """Return the colour behind the words; None if none is given, or a picture covers it."""
    return None if has_picture(given) else _last_colour(given, _BACKGROUNDS)


def has_picture(given: Mapping[str, str]) -> bool:
    """Tell whether a picture or a gradient is behind the words."""
    picture = f"{given.get('background', '')}{given.get('background-image', '')}"
    return "url(" in picture or "gradient(" in picture


def _last_colour(given: Mapping[str, str], names: tuple[str, ...]) -> Colour | None:
    found = [given[name] for name in names if name in given]
    return colour_of(found[-1].partition("!")[0]) if found else None


def _unescaped(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    number = int(match[1], 16)
    return chr(number) if 0 < number < 0xD800 else ""
