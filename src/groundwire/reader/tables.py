"""What the markup of a table says: its rows, how wide its cells are, whether it only arranges."""

from __future__ import annotations

from turbohtml import Element

_MOST_DIGITS = 4  # Python refuses to read a number of thousands of digits.


def rows_of(table: Element) -> list[Element]:
    """Return the rows of a table, not those of tables inside it."""
    rows: list[Element] = []
    for child in table.children:
        if type(child) is Element:
            if child.tag == "tr":
                rows.append(child)
            elif child.tag in ("tbody", "thead", "tfoot"):
                rows += [row for row in child.children if type(row) is Element and row.tag == "tr"]
    return rows


def is_layout(table: Element, rows: list[Element]) -> bool:
    """Tell whether a table only arranges the page: one cell a row, or other tables inside."""
    if "infobox" in (table.attr("class") or ""):
        return False
    if table.attr("role") in ("presentation", "none") or table.find(["table", "pre"]) is not None:
        return True
    if table.find("th") is not None:
        return False
    widest = max(
        (sum(1 for cell in row.children if type(cell) is Element) for row in rows[:50]), default=0
    )
    return widest < 2


class Grid:
    """The columns of a table: which of them cells of rows above still take."""

    def __init__(self) -> None:
        self._taken_before: dict[int, int] = {}  # By column, the row from which it is free.

    def place(self, cell: Element, row: int, after: int) -> tuple[int, int]:
        """Return the column of a row's next cell, and the one after it."""
        column = after
        while self._taken_before.get(column, 0) > row:
            column += 1
        end = column + _span(cell, "colspan", 50)
        height = _span(cell, "rowspan", 1_000)
        if height > 1:
            self._taken_before |= dict.fromkeys(range(column, end), row + height)
        return column, end


def _span(cell: Element, attribute: str, most: int) -> int:
    span = (cell.attr(attribute) or "1")[:_MOST_DIGITS]
    return min(int(span), most) if span.isdecimal() and int(span) > 0 else 1
