"""Writes blocks as Markdown: headings, lists, links, tables, quotations and code."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from groundwire.reader.inline import inline
from groundwire.text.markdown import fence_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.reader.blocks import Block, Level

_STRUCTURE = re.compile(r"(\d{0,9})(?=(?:[#>+-]|[.)]|#{2,6})(?:\s|$))")
_MAX_COLUMNS = 200


def write(blocks: Iterable[Block]) -> str:
    """Return blocks, in their order, as one Markdown text."""
    writer = _Writer()
    for table, members in groupby(blocks, key=_table_of):
        if table is None:
            for block in members:
                writer.add(block.levels, _lines(block))
        else:
            cells = list(members)
            depth = next(n for n, level in enumerate(cells[0].levels) if level.kind == "cell")
            writer.add(cells[0].levels[:depth], _table(cells, depth))
    return "".join(writer.parts).strip("\n")


class _Writer:
    """Puts paragraphs below each other, with the marks of the lists and quotations around them."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._begun: set[tuple[int, int]] = set()
        self._last: tuple[Level, ...] = ()

    def add(self, levels: Sequence[Level], lines: list[str]) -> None:
        """Write one paragraph, heading, table or code block."""
        first, rest, is_item = self._prefixes(levels)
        self.parts.append(self._separator(tuple(levels), rest, is_item=is_item))
        self.parts.append(f"{first}{lines[0]}\n")
        self.parts += [f"{rest}{line}".rstrip() + "\n" for line in lines[1:]]
        self._last = tuple(levels)

    def _prefixes(self, levels: Sequence[Level]) -> tuple[str, str, bool]:
        first = rest = ""
        is_item = False
        for level in levels:
            if level.kind == "quote":
                first, rest = f"{first}> ", f"{rest}> "
                continue
            mark = f"{level.row}. " if level.kind == "ol" else "- "
            indent = " " * len(mark)
            if (level.group, level.row) in self._begun:
                first += indent
            else:
                self._begun.add((level.group, level.row))
                first += mark
                is_item = True
            rest += indent
        return first, rest, is_item

    def _separator(self, levels: tuple[Level, ...], rest: str, *, is_item: bool) -> str:
        if not self.parts:
            return ""
        if is_item and self._last and self._last[0].group == levels[0].group:
            return ""
        quoted = rest.find("> ")
        if quoted >= 0 and self._last[:1] == levels[:1]:
            return rest[: quoted + 1] + "\n"
        return "\n"


def _lines(block: Block) -> list[str]:
    if block.language is not None:
        fence = fence_for(block.text)
        return [f"{fence}{block.language}", *block.text.expandtabs(4).splitlines(), fence]
    if block.heading:
        text = inline(block.runs, is_plain=True).replace("  \n", " ")
        return [f"{'#' * block.heading} {text}"]
    lines = inline(block.runs).split("\n")
    return [
        _STRUCTURE.sub(r"\1\\", lines[0], count=1) if _STRUCTURE.match(lines[0]) else lines[0],
        *lines[1:],
    ]


def _table_of(block: Block) -> int | None:
    return next((level.group for level in block.levels if level.kind == "cell"), None)


def _table(blocks: list[Block], depth: int) -> list[str]:
    """Return the lines of a table; the first row that is left becomes its head."""
    rows: dict[int, dict[int, list[str]]] = {}
    for block in blocks:
        level = block.levels[depth]
        cell = rows.setdefault(level.row, {}).setdefault(level.column, [])
        cell.append(_cell(block))
    width = min(_MAX_COLUMNS, 1 + max(column for row in rows.values() for column in row))
    lines = [
        "| " + " | ".join(" ".join(row.get(column, ())) for column in range(width)) + " |"
        for _, row in sorted(rows.items())
    ]
    lines.insert(1, "|" + " --- |" * width)
    return lines


def _cell(block: Block) -> str:
    if block.language is not None:
        text = "`" + " ".join(block.text.split()) + "`"
    else:
        text = inline(block.runs, is_plain=bool(block.heading)).replace("  \n", "<br>")
    return text.replace("|", "\\|")
