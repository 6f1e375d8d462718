"""Formulas as text: the TeX that MathML, KaTeX, MathJax and MediaWiki carry along."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbohtml import Element

_STYLE = re.compile(r"\{\\(?:display|text)style\s+(.*)\}", re.DOTALL)
_MOST_CHARACTERS = 2_000
# Of a formula that stands there twice, drawn and for screen readers, the latter is text.
_FOR_READERS = ("mwe-math-mathml", "katex-mathml", "mjx-assistive-mml", "MJX_Assistive_MathML")


def tex_of(math: Element) -> str:
    """Return a formula as `$TeX$`; "" where it has only MathML."""
    for note in math.find_all("annotation"):
        if (note.attr("encoding") or "").lower() in ("application/x-tex", "tex", "latex"):
            return _dollars(note.text)
    return _dollars(math.attr("alttext") or "")


def is_for_readers(names: str) -> bool:
    """Tell whether classes say that an element has a formula for those who do not see it drawn."""
    return any(name in names for name in _FOR_READERS)


def _dollars(tex: str) -> str:
    plain = " ".join(tex[:_MOST_CHARACTERS].split())
    if match := _STYLE.fullmatch(plain):
        plain = match[1].strip()
    return f"${plain}$" if plain else ""
