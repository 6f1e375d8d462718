"""Writes the text of one block as Markdown: links, emphasis, code and line breaks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.reader.blocks import Mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.blocks import Run

_SPACES = re.compile(r" {2,}(?!\n)")
_BREAK = re.compile(r" *\n *(?:\n *)*")
_SPECIAL = re.compile(r"[`*]|<(?=[a-zA-Z/!?])|\](?=\()")
_WORD = re.compile(r"\w")
_SIGNS = {"strong": "**", "emphasis": "*"}
_SCHEMES = ("https://", "http://", "mailto:")
_MAX_ADDRESS = 2_000
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\n": ""})


def inline(runs: Sequence[Run], *, is_plain: bool = False) -> str:
    """Return the text of a block in one or more lines; `is_plain` leaves out emphasis."""
    writer = _Inline(runs, is_plain=is_plain)
    for number, run in enumerate(runs):
        writer.take(number, run)
    text = "".join(writer.parts).strip()
    if "\n" in text:
        text = _BREAK.sub("  \n", text)
    return _SPACES.sub(" ", text) if "  " in text else text


def _spaced(text: str) -> str:
    """Return a text with every run of white space as one space, at its ends too."""
    if text.isspace():
        return " "
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return before + " ".join(text.split()) + after


def _escaped(text: str) -> str:
    # Nearly all texts have none of these; looking for each is faster than one pattern for all.
    if "*" in text or "`" in text or "<" in text or "](" in text:
        return _SPECIAL.sub(r"\\\g<0>", text)
    return text


class _Inline:
    def __init__(self, runs: Sequence[Run], *, is_plain: bool) -> None:
        self.parts: list[str] = []
        self._runs = runs
        self._is_plain = is_plain
        self._open: list[tuple[Mark, int]] = []
        self._is_code = False

    def take(self, number: int, run: Run) -> None:
        """Write one run, or note where something begins or ends."""
        if not isinstance(run, Mark):
            text = _spaced(run)
            self.parts.append(text if self._is_code else _escaped(text))
        elif run.kind == "break":
            self.parts.append("\n")
        elif run.is_end:
            self._close(run.kind, number)
        else:
            self._open.append((run, len(self.parts)))
            self._is_code = self._is_code or run.kind == "code"

    def _close(self, kind: str, number: int) -> None:
        if not self._open or self._open[-1][0].kind != kind:
            return
        mark, start = self._open.pop()
        if kind == "code":
            self._is_code = False
        inner = "".join(self.parts[start:])
        core = inner.strip()
        if not core:
            self.parts[start:] = [" "] if inner else []
            return
        before = " " if inner[0].isspace() else ""
        after = " " if inner[-1].isspace() else ""
        self.parts[start:] = [before, self._wrapped(mark, core, start, number), after]

    def _wrapped(self, mark: Mark, core: str, start: int, number: int) -> str:
        if mark.kind == "link":
            return _link(core, mark.value)
        if mark.kind == "code":
            fence = "``" if "`" in core else "`"
            return f"{fence}{core}{fence}".replace("\n", " ")
        if self._is_plain or self._touches_a_word(start, number):
            return core
        return f"{_SIGNS[mark.kind]}{core}{_SIGNS[mark.kind]}"

    def _touches_a_word(self, start: int, number: int) -> bool:
        """Tell whether the emphasis is only part of a word, where signs would cut it in two."""
        before = self.parts[start - 1][-1:] if start else ""
        following = self._runs[number + 1] if number + 1 < len(self._runs) else ""
        after = following[:1] if isinstance(following, str) else ""
        return bool(_WORD.match(before) or _WORD.match(after))


def _link(text: str, address: str) -> str:
    address = address.strip()
    if not _WORD.search(text):
        return "" if len(text) < 3 else text
    if not address.lower().startswith(_SCHEMES) or len(address) > _MAX_ADDRESS:
        return text
    text = text.replace("\n", " ")
    return f"[{text}]({address.translate(_IN_ADDRESS)})"
