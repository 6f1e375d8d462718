"""Markdown that is opened elsewhere: nothing in it is loaded by being looked at.

A picture's address can carry a conversation out as soon as a viewer shows the file. So pictures
become links, which nobody follows unasked, and tags become text.
"""

from __future__ import annotations

import re

_PICTURE = re.compile(r"!+\[(\])?")
# A URL in angle brackets is a link; any other angle may begin a tag, a comment or a declaration.
_TAG = re.compile(r"<(?!(?:https?://|mailto:)[^\s<>]*>)(?=[A-Za-z/!?])", re.IGNORECASE)
# Only at the margin: further in it may belong to a list, and end where the list does.
_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")


def portable(markdown: str) -> str:
    """Return a text without pictures and tags; blocks of code at the margin stay as they are."""
    lines: list[str] = []
    fence = ""
    # To a viewer all three end a line.
    for line in markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if fence:
            lines.append(line)
            if _closes(line, fence):
                fence = ""
        elif opening := _FENCE.fullmatch(line):
            fence = opening[1] or opening[2]
            lines.append(line)
        else:
            lines.append(_harmless(line))
    return "\n".join(lines)


def _closes(line: str, fence: str) -> bool:
    rest = line.lstrip(" ")
    marks = rest.rstrip(" \t")
    is_near = len(line) - len(rest) <= 3
    return is_near and set(marks) == {fence[0]} and len(marks) >= len(fence)


def _harmless(line: str) -> str:
    linked = _PICTURE.sub(lambda match: "[image]" if match[1] else "[", line)
    return _TAG.sub("&lt;", linked)
