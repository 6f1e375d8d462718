"""Which of the caller's tools a question asks for, by its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

# Claude Code's reminders, and what Codex says of where it runs.
_REMINDER = re.compile(r"<([a-z_-]*(?:reminder|context|instructions))>.*?</\1>", re.DOTALL)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


def says(text: str, *words: str) -> bool:
    """Tell whether a text has one of some words."""
    return any(re.search(rf"\b{word}\b", text, re.IGNORECASE) for word in words)


def is_named(name: str, text: str) -> bool:
    """Tell whether a text names a tool, however it is spelled."""
    plain = text.lower().replace("_", " ").replace("-", " ")
    return name.lower().replace("_", " ").replace("-", " ") in plain


def without_reminders(text: str) -> str:
    """Return what a person says without what their agent puts between it."""
    return _REMINDER.sub("", text).strip() or text


def worth_calling(tools: Sequence[T], text: str) -> tuple[T, ...]:
    """Return the tools that search, and those that somebody asks to be called.

    A played model that called whatever an agent offers would begin work that never ends.
    """
    is_asked_for = says(text, "call", "use")
    return tuple(
        tool
        for tool in tools
        if tool.name.lower().replace("_", "").endswith("websearch")
        or (is_asked_for and is_named(tool.name, text))
    )
