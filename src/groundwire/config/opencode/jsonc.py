"""JSON with comments and trailing commas, as editors and OpenCode write it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.model import Json

# A string first, so that nothing inside one is taken for a comment or a comma. Strings and
# comments without an end match too: looking for an end that is not there must not cost twice.
_STRING = r'"(?:\\.|[^"\\\n])*"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")


def parse(text: str) -> Json:
    """Return the value of a JSONC text.

    Raises:
        ValueError: It is none; the message says where.
    """
    without_comments = _COMMENT.sub(_blank, text)
    try:
        return json.loads(_TRAILING_COMMA.sub(_blank, without_comments))
    except json.JSONDecodeError as error:
        # The library's own message says the position a third time.
        raise ValueError(f"{error.msg} (at line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _blank(match: re.Match[str]) -> str:
    """Return a string as it is; of anything else only the lines, so that errors tell the place."""
    return match[1] or _NOT_LINE_END.sub(" ", match[0])
