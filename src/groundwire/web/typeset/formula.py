"""A formula in LaTeX as a tree of MathML elements that can do nothing but show it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, TypeAlias

from latex2mathml.converter import convert_to_element

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Tree: TypeAlias = tuple[str, dict[str, str], list["Tree | str"]]
"""An element: its name, its attributes, what is inside."""

MAX_LENGTH = 1_000
_MAX_DEPTH = 60
ELEMENTS = frozenset((
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded",
    "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub",
    "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none",
))  # fmt: skip
ATTRIBUTES = frozenset((
    "accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display",
    "displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace",
    "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing",
    "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset", "width",
))  # fmt: skip
_PARTS = {"mfrac": 2, "mover": 2, "mroot": 2, "msub": 2, "msubsup": 3, "msup": 2, "munder": 2}
_PARTS["munderover"] = 3
_VALUE = re.compile(r"[\w.%+ -]{1,60}")


def formula(latex: str, *, is_display: bool) -> Tree | None:
    """Return a formula as MathML, None where it is none that we can read whole."""
    if len(latex) > MAX_LENGTH:
        return None
    try:
        made = convert_to_element(latex, display="block" if is_display else "inline")
    except RecursionError:
        return None
    except Exception:  # noqa: BLE001 - it has errors of its own, and ordinary ones for odd input
        return None
    return _tree(made, _MAX_DEPTH)


def _tree(element: Element, depth: int) -> Tree | None:
    """Return an element with what is allowed of it, None where something of it is not known."""
    if depth == 0 or element.tag not in ELEMENTS:
        return None
    inside: list[Tree | str] = []
    text = html.unescape(element.text or "")
    # What it does not know it leaves as it stands: then the whole is better left so too.
    if text.startswith("\\"):
        return None
    if text:
        inside.append(text)
    # Half a fraction is what came of a formula that was not finished.
    if len(element) != _PARTS.get(element.tag, len(element)):
        return None
    for child in element:
        made = _tree(child, depth - 1)
        if made is None:
            return None
        inside.append(made)
    allowed = {
        name: value
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and _VALUE.fullmatch(value)
    }
    return element.tag, allowed, inside
