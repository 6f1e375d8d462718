"""Colours as styles write them, to tell whether words can be seen on what is behind them."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb
from typing import NamedTuple

_LEAST_CONTRAST = 24  # Of 255, in the part that differs most.
_LEAST_ALPHA = 0.05
_FUNCTION = re.compile(r"(rgba?|hsla?|(?:ok)?l(?:ab|ch))\(([^()]*)\)")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)%?")
_NAMES = {
    "white": "fff", "black": "000", "red": "f00", "lime": "0f0", "blue": "00f", "yellow": "ff0",
    "aqua": "0ff", "cyan": "0ff", "fuchsia": "f0f", "magenta": "f0f", "silver": "c0c0c0",
    "gray": "808080", "grey": "808080", "maroon": "800000", "olive": "808000", "green": "008000",
    "purple": "800080", "teal": "008080", "navy": "000080", "orange": "ffa500", "pink": "ffc0cb",
    "snow": "fffafa", "ivory": "fffff0", "whitesmoke": "f5f5f5", "ghostwhite": "f8f8ff",
    "floralwhite": "fffaf0", "mintcream": "f5fffa", "azure": "f0ffff", "beige": "f5f5dc",
    "lightgray": "d3d3d3", "lightgrey": "d3d3d3", "gainsboro": "dcdcdc", "transparent": "0000",
}  # fmt: skip


class Colour(NamedTuple):
    """Red, green and blue up to 255, and how much of it there is, up to 1."""

    red: int
    green: int
    blue: int
    alpha: float = 1.0

    @property
    def is_clear(self) -> bool:
        """Tell whether nothing can be seen of it."""
        return self.alpha < _LEAST_ALPHA

    def fades_into(self, other: Colour) -> bool:
        """Tell whether words in this colour cannot be read on the other."""
        pairs = zip(self[:3], other[:3], strict=True)
        return max(abs(one - another) for one, another in pairs) < _LEAST_CONTRAST


def colour_of(written: str) -> Colour | None:
    """Return the first colour of a declaration's value without spaces; None if it names none."""
    if match := _FUNCTION.search(written):
        return _from_function(match[1], match[2])
    for word in re.findall(r"#?[\w-]+", written):
        value = word.removeprefix("#") if word.startswith("#") else _NAMES.get(word, "")
        if colour := _from_hex(value):
            return colour
    return None


def _from_hex(value: str) -> Colour | None:
    if len(value) in (3, 4):
        value = "".join(2 * digit for digit in value)
    if len(value) not in (6, 8):
        return None
    try:
        red, green, blue, *alpha = bytes.fromhex(value)
    except ValueError:
        return None
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


def _from_function(name: str, inside: str) -> Colour | None:
    parts = _NUMBER.findall(inside)[:4]
    if len(parts) < 3:
        return None
    alpha = _share(parts[3], 1.0) if len(parts) > 3 else 1.0
    if name.startswith("rgb"):
        red, green, blue = (round(255 * _share(part, 255.0)) for part in parts[:3])
        return Colour(red, green, blue, alpha)
    if name.startswith("hsl"):
        turn, saturation, light = float(parts[0].rstrip("%")) / 360, parts[1], parts[2]
        rgb = hls_to_rgb(turn % 1, _share(light, 100.0), _share(saturation, 100.0))
        red, green, blue = (round(255 * part) for part in rgb)
        return Colour(red, green, blue, alpha)
    # Near white and near black, the hue says nothing; of others only a browser knows the parts.
    light = _share(parts[0], 1.0 if name.startswith("ok") else 100.0)
    grey = round(255 * light)
    is_grey = light < 0.04 or light > 0.96
    return Colour(grey, grey, grey, alpha) if is_grey or alpha < _LEAST_ALPHA else None


def _share(written: str, whole: float) -> float:
    value = float(written.rstrip("%")) / (100.0 if written.endswith("%") else whole)
    return min(1.0, max(0.0, value))
