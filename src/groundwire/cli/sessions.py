"""`groundwire sessions`: what was asked before, with the ids that other commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.conversation import Session

_TITLE_LENGTH = 70


@click.command()
@click.argument("text", nargs=-1)
@click.option("--limit", "-n", default=20, show_default=True, type=click.IntRange(1, 1000))
@json_option
def sessions(text: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List what was asked before, the newest session first.

    With TEXT only sessions that say it in a title or a message. `ask --session`, `export`,
    `bundle` and `recheck` take the id, or `last` for the newest.

    \b
    groundwire sessions otters
    groundwire ask --session last "And where do they live?"
    groundwire export last --format html -o answer.html
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    found = asyncio.run(_newest(" ".join(text), limit))
    if as_json:
        print_json([_json(each) for each in found])
    elif found:
        rows = [(each.id, f"{each.updated_at:%Y-%m-%d %H:%M}", _title(each)) for each in found]
        print_table(rows, ("session", "last asked (UTC)", "title"))
    else:
        click.echo("no session" + (" says that" if text else ' yet: groundwire ask "…"'))


async def _newest(text: str, limit: int) -> list[Session]:
    import groundwire
    from groundwire.service.evidence import newest_sessions

    async with groundwire.open() as program:
        return await newest_sessions(program.store, text=text, limit=limit)


def _json(session: Session) -> dict[str, str]:
    return {
        "id": session.id,
        "title": session.title,
        "workspace_id": session.workspace_id,
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
    }


def _title(session: Session) -> str:
    title = " ".join(session.title.split())
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"
