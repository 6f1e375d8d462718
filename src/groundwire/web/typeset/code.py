"""Which words of a program are keywords, strings, comments and so on, by Pygments."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from pygments.token import _TokenType

Colour: TypeAlias = tuple[int, int, str]
"""Start and end in UTF-16 code units, as browsers count, and the kind."""

MAX_LENGTH = 100_000
_KINDS = (
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Literal, "string"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Tag, "keyword"),
    (Name.Attribute, "name"),
    (Name.Builtin, "name"),
    (Name.Class, "name"),
    (Name.Decorator, "name"),
    (Name.Function, "name"),
    (Name.Variable, "name"),
    (Generic.Deleted, "deleted"),
    (Generic.Inserted, "inserted"),
    (Generic.Heading, "keyword"),
    (Generic.Subheading, "keyword"),
)
KINDS = tuple(sorted({kind for _, kind in _KINDS}))
"""All kinds; the page has a colour for each."""


def colours(text: str, language: str) -> list[Colour]:
    """Return the stretches of a program that have a colour; none where the language is unknown."""
    if len(text) > MAX_LENGTH:
        return []
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return []
    places = _units(text)
    found: list[Colour] = []
    for start, token, value in lexer.get_tokens_unprocessed(text):
        kind = _kind(token)
        if not kind or not value.strip():
            continue
        begin, end = places[start], places[start + len(value)]
        if found and found[-1][1] == begin and found[-1][2] == kind:
            found[-1] = (found[-1][0], end, kind)
        else:
            found.append((begin, end, kind))
    return found


@cache
def _kind(token: _TokenType) -> str:
    return next((kind for parent, kind in _KINDS if token in parent), "")


def _units(text: str) -> range | list[int]:
    """Return where each character begins in UTF-16 code units, and where the text ends."""
    if text.isascii() or max(text) < "\U00010000":
        return range(len(text) + 1)
    return list(accumulate((2 if each > "\uffff" else 1 for each in text), initial=0))
