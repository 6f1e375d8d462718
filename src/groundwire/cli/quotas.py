"""`groundwire quotas`: what everybody used today, and how much they may."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.chat.quotas import QuotaHolder
    from groundwire.conversation.quota import QuotaLevel
    from groundwire.service.program import Groundwire


class _Row(TypedDict):
    whose: str
    name: str
    quota: str
    used: float
    limit: float
    is_near: bool
    resets_at: str


@click.command()
@json_option
def quotas(as_json: bool) -> None:
    """Print what users and workspaces used of their quotas today.

    A day is one of UTC. Quotas are set under [quotas] in the settings and, for a workspace, on
    the page under Settings, Workspaces. Who has no quota is not counted.

    \b
    groundwire quotas
    groundwire quotas --json
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    found = asyncio.run(_found())
    if as_json:
        print_json(found)
    elif not found:
        click.echo("no quota is set: name one under [quotas.user] or [quotas.workspace]")
    else:
        rows = [
            (row["whose"], row["name"], row["quota"], f"{row['used']:g}", f"{row['limit']:g}")
            for row in found
        ]
        print_table(rows, ("WHOSE", "NAME", "QUOTA", "USED", "LIMIT"))


async def _found() -> list[_Row]:
    import groundwire

    async with groundwire.open() as program:
        return [
            _row(level, name)
            for holder, name in await _holders(program)
            for level in await program.quotas.levels(holder)
            # A workspace is no user, although those without one count as one.
            if (level.whose == "workspace") == (holder.workspace is not None)
        ]


async def _holders(program: Groundwire) -> list[tuple[QuotaHolder, str]]:
    from groundwire.chat.quotas import QuotaHolder

    users = await program.store.users.list()
    workspaces = await program.store.workspaces.list()
    return [
        (QuotaHolder(), "owner"),
        *((QuotaHolder(user_id=each.id), each.name) for each in users),
        *((QuotaHolder(workspace=each), each.name) for each in workspaces),
    ]


def _row(level: QuotaLevel, name: str) -> _Row:
    return {
        "whose": level.whose,
        "name": name,
        "quota": level.quota,
        "used": level.used,
        "limit": level.limit,
        "is_near": level.is_near,
        "resets_at": level.resets_at.isoformat(),
    }
