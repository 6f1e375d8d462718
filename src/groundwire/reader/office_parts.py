"""What every reader of office documents writes with: tables, parts, people, and how much of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.reader.characters import visible
from groundwire.reader.extracted import Extracted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.model import PageMetadata

MAX_ROWS = 20_000
MAX_COLUMNS = 200
MAX_CHARACTERS = 5_000_000


def extracted(
    markdown: str, title: str, metadata: PageMetadata, *, is_cut: bool = False
) -> Extracted:
    """Return what a document says, as far as there is room for it."""
    text = visible(markdown).strip()
    return Extracted(
        title=" ".join(visible(title).split()),
        markdown=text[:MAX_CHARACTERS],
        problem="" if text else "the document has no text",
        is_cut=is_cut or len(text) > MAX_CHARACTERS,
        metadata=metadata,
    )


def spaced(parts: Iterable[str]) -> str:
    """Return parts with an empty line between, but for items of one list."""
    written: list[str] = []
    for part in parts:
        if not part:
            continue
        is_item = part.lstrip().startswith("- ") and bool(written)
        is_item = is_item and written[-1].lstrip().startswith("- ")
        written += ["\n" if is_item else "\n\n", part] if written else [part]
        written[-1:] = [part]
    return "".join(written)


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a table of Markdown, the first as its head."""
    if not rows:
        return ""
    width = min(MAX_COLUMNS, max(len(row) for row in rows))
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row[:width]] for row in rows]
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def people(*names: str | None) -> tuple[str, ...]:
    """Return the names that are some, each on one line."""
    whole = (" ".join(visible(str(name or "")).split())[:200] for name in names)
    return tuple(name for name in whole if name)
