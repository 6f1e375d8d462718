"""Tables in a PDF that are drawn with lines: where they stand, and which cells the lines make.

Nothing in the file says what a table is. Columns that only white space keeps apart stay lines of
text: what looks like two columns of a table is two columns of prose as often.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.model import Json

    Point = tuple[float, float]

_NEAR = 3.0  # Points: lines that are not further apart are one, and meet.
_THIN = 2.5
_LEAST_LENGTH = 6.0
_MAX_LINES = 1_500
_MAX_CELLS = 2_000
_LEAST = 2  # Rows and columns.


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A drawn line: `at` is its height if it lies, its distance from the left if it stands.

    In whole points, so that the two edges of a thin bar are often one line.
    """

    is_lying: bool
    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the row and the column it begins in, and its place on the page in points."""

    row: int
    column: int
    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table: how many rows and columns it has, its cells, and its place on the page."""

    rows: int
    columns: int
    cells: tuple[Cell, ...]
    left: float
    bottom: float
    right: float
    top: float


def lines_of(raw: Json, paths: Iterable[Json]) -> list[DrawnLine]:
    """Return the lines that lie or stand straight among the drawn paths of a page.

    A thin bar is a line too. What is filled and wider has a colour, but no border.
    """
    found: set[DrawnLine] = set()
    for path in paths:
        is_stroked = _is_stroked(raw, path)
        for corners in _outlines(raw, path):
            if is_stroked:
                found |= {line for pair in pairwise(corners) if (line := _line(*pair))}
            elif bar := _bar(corners):
                found.add(bar)
        if len(found) > _MAX_LINES:
            return []  # A drawing.
    return list(found)


def _is_stroked(raw: Json, path: Json) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, ctypes.byref(fill), ctypes.byref(stroke))
    return bool(stroke.value)


def _outlines(raw: Json, path: Json) -> list[list[Point]]:
    """Return the corners of a path on the page, part by part, the first again where it closes."""
    matrix = path.get_matrix()
    x, y = ctypes.c_float(), ctypes.c_float()
    parts: list[list[Point]] = []
    for number in range(min(raw.FPDFPath_CountSegments(path), _MAX_LINES)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        if not parts or raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
            parts.append([])
        across = matrix.a * x.value + matrix.c * y.value + matrix.e
        parts[-1].append((across, matrix.b * x.value + matrix.d * y.value + matrix.f))
        if raw.FPDFPathSegment_GetClose(segment):
            parts[-1].append(parts[-1][0])
    return parts


def _line(start: Point, end: Point) -> DrawnLine | None:
    width, height = abs(start[0] - end[0]), abs(start[1] - end[1])
    if height <= _THIN and width >= _LEAST_LENGTH:
        return DrawnLine(True, round(start[1]), *map(round, sorted((start[0], end[0]))))
    if width <= _THIN and height >= _LEAST_LENGTH:
        return DrawnLine(False, round(start[0]), *map(round, sorted((start[1], end[1]))))
    return None


def _bar(corners: Sequence[Point]) -> DrawnLine | None:
    across, up = zip(*corners, strict=True)
    return _line((min(across), min(up)), (max(across), max(up)))


def find_tables(lines: Sequence[DrawnLine]) -> list[DrawnTable]:
    """Return the tables that lines make, from the top of the page to the bottom."""
    tables = [table for group in _groups(lines) if (table := _table(group)) is not None]
    return sorted(tables, key=lambda table: -table.top)


def _groups(lines: Sequence[DrawnLine]) -> list[list[DrawnLine]]:
    """Return lines that meet, each such net by itself."""
    groups: list[list[DrawnLine]] = []
    for line in lines:
        met = [group for group in groups if any(_meet(line, other) for other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([line, *(each for group in met for each in group)])
    return groups


def _meet(one: DrawnLine, other: DrawnLine) -> bool:
    if one.is_lying == other.is_lying:
        apart = abs(one.at - other.at)
        return apart <= _NEAR and one.start <= other.end + _NEAR and other.start <= one.end + _NEAR
    return (
        one.start - _NEAR <= other.at <= one.end + _NEAR
        and other.start - _NEAR <= one.at <= other.end + _NEAR
    )


def _table(lines: Sequence[DrawnLine]) -> DrawnTable | None:
    """Return the table of a net of lines; None if it has a single row or column."""
    heights = _places(line.at for line in lines if line.is_lying)[::-1]
    sides = _places(line.at for line in lines if not line.is_lying)
    rows, columns = len(heights) - 1, len(sides) - 1
    if rows < _LEAST or columns < _LEAST or rows * columns > _MAX_CELLS:
        return None
    owners = _owners(lines, heights, sides)
    members: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for place, owner in owners.items():
        members[owner].append(place)
    cells = []
    for owner, places in members.items():
        last_row, last_column = max(row for row, _ in places), max(column for _, column in places)
        if (last_row - owner[0] + 1) * (last_column - owner[1] + 1) != len(places):
            return None  # No rectangle: lines are missing, or it is no table.
        sides_of = sides[owner[1]], heights[last_row + 1], sides[last_column + 1], heights[owner[0]]
        cells.append(Cell(*owner, *sides_of))
    if len(cells) < _LEAST * _LEAST:
        return None
    return DrawnTable(rows, columns, tuple(cells), sides[0], heights[-1], sides[-1], heights[0])


def _places(values: Iterable[float]) -> list[float]:
    """Return places in order, those that are hardly apart as one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _NEAR:
            places.append(value)
    return places


def _owners(
    lines: Sequence[DrawnLine], heights: Sequence[float], sides: Sequence[float]
) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each field of the net the first one of the cell that it is part of."""
    owners: dict[tuple[int, int], tuple[int, int]] = {}
    for row, (top, bottom) in enumerate(pairwise(heights)):
        for column, (left, right) in enumerate(pairwise(sides)):
            owner = (row, column)
            if column and not _is_drawn(lines, False, left, (top + bottom) / 2):
                owner = owners[row, column - 1]
            elif row and not _is_drawn(lines, True, top, (left + right) / 2):
                owner = owners[row - 1, column]
            owners[row, column] = owner
    return owners


def _is_drawn(lines: Sequence[DrawnLine], is_lying: bool, at: float, through: float) -> bool:
    return any(
        line.is_lying == is_lying
        and abs(line.at - at) <= _NEAR
        and line.start - _NEAR <= through <= line.end + _NEAR
        for line in lines
    )
