"""How commands print: JSON for programs, aligned columns for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
workspace_option = click.option(
    "--workspace",
    default="",
    metavar="NAME",
    help="The workspace whose library is meant, by name or id; else the first one's.",
)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that serves the options of its log."""
    level = click.option(
        "--log-level",
        type=click.Choice(["debug", "info", "warning", "error"]),
        default="warning",
        show_default=True,
        help="From which level on it logs, on standard error.",
    )
    as_json = click.option("--log-json", "is_json", is_flag=True, help="Log JSON lines.")
    return level(as_json(command))


def print_served(what: str, url: str) -> None:
    """Say that something is served, and where.

    The address has a line of its own: a terminal makes a link of all that is glued to it.
    """
    click.echo(f"{what}; Ctrl-C stops it.\n{url}")


def print_json(value: object) -> None:
    """Print one JSON document on one line, our nouns in it as objects.

    In ASCII: a reader that splits lines the Unicode way would cut others in the middle.
    """
    import json

    click.echo(json.dumps(value, default=_plain))


def _plain(value: object) -> object:
    """Return a noun as an object and a time as text."""
    from dataclasses import fields, is_dataclass
    from datetime import datetime

    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def print_table(rows: Sequence[Sequence[str]], headings: Sequence[str]) -> None:
    """Print columns as wide as their widest cell, the last one as it is."""
    table = [list(headings), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())
