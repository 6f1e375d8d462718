"""How commands print: JSON for programs, aligned columns for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def print_json(value: Json) -> None:
    """Print one JSON document on one line.

    In ASCII: a reader that splits lines the Unicode way would cut others in the middle.
    """
    import json

    click.echo(json.dumps(value))


def print_table(rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
    """Print columns as wide as their widest cell, the last one as it is."""
    table = [list(headings), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())
