"""`groundwire users`: who can sign in, and a new password for one who forgot theirs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.conversation import User
    from groundwire.redaction import Secret

_database_option = click.option(
    "--database",
    default="",
    metavar="URL",
    help="A path or a postgresql:// URL, instead of the one in the settings.",
)


@click.group()
def users() -> None:
    """List who can sign in, and give them new passwords.

    For whoever runs the server: users are added and removed on its page, under Settings, Members.
    """


class _Row(TypedDict):
    name: str
    is_owner: bool
    has_password: bool
    created_at: str


@users.command("list")
@_database_option
@json_option
def list_users(*, database: str, as_json: bool) -> None:
    """List the users of the web app; who has no password comes in by single sign-on."""
    import asyncio

    rows = [_row(user) for user in asyncio.run(_users(database))]
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("there are no users: the first is made with `groundwire serve --setup`")
    else:
        words = [
            (
                row["name"],
                "owner" if row["is_owner"] else "",
                "yes" if row["has_password"] else "no",
                row["created_at"][:10],
            )
            for row in rows
        ]
        print_table(words, ("NAME", "ROLE", "PASSWORD", "SINCE"))


@users.command()
@click.argument("name")
@_database_option
def password(*, name: str, database: str) -> None:
    """Give the user NAME a new password and sign them out everywhere.

    The password is asked for without showing it, or read from standard input; never given as an
    argument, where other users and the shell's history could see it. Sessions, workspaces and
    tokens stay as they are. Servers may be running.
    """
    import asyncio

    from groundwire.redaction import Secret

    if sys.stdin.isatty():
        given = click.prompt("New password", hide_input=True, confirmation_prompt=True)
    else:
        given = sys.stdin.readline().rstrip("\r\n")
    asyncio.run(_set_password(database, name, Secret(given)))
    click.echo(f"{name} has a new password and is signed out everywhere")


async def _users(database: str) -> Sequence[User]:
    from groundwire.config.settings import load
    from groundwire.store import Store

    async with Store.open(database or load().store.url) as store:
        return await store.users.list()


async def _set_password(database: str, name: str, given: Secret) -> None:
    from groundwire.config.settings import load
    from groundwire.store import Store
    from groundwire.web.password_reset import set_password

    async with Store.open(database or load().store.url) as store:
        await set_password(store, name, given)


def _row(user: User) -> _Row:
    return {
        "name": user.name,
        "is_owner": user.is_owner,
        "has_password": bool(user.password_hash),
        "created_at": user.created_at.isoformat(),
    }
