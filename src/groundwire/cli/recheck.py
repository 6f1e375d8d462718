"""`groundwire recheck`: the pages of an answer as they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from groundwire.service.recheck import Rechecked


@click.command()
@click.argument("session_or_message", metavar="MESSAGE|SESSION")
@json_option
def recheck(session_or_message: str, *, as_json: bool) -> None:
    """Read the live pages of an answer again, and say what has changed since.

    Of every passage that the answer was compared with: still there, moved, changed (with the
    words that differ), page gone, or page not read. What is kept stays as it is. Exit code 1 means
    that a passage has changed, or that its page is gone or could not be read.
    """
    import asyncio

    raise click.exceptions.Exit(asyncio.run(_recheck(session_or_message, as_json=as_json)))


async def _recheck(key: str, *, as_json: bool) -> int:
    import groundwire
    from groundwire.guard import DomainPolicy
    from groundwire.service.evidence import dossier_of
    from groundwire.service.open_checks import readers_of
    from groundwire.service.recheck import PassageChange, Rechecker, counted

    found: list[Rechecked] = []
    async with groundwire.open() as program:
        dossier = await dossier_of(program.store, program.settings, key)
        workspace = await program.store.workspaces.get(dossier.session.workspace_id)
        allowed = DomainPolicy(allowed=workspace.web_allowed_domains)
        search_context = program.search_context.within(workspace.library)
        readers = await readers_of(program.settings, dossier.answers, workspace.library)
        policy = program.settings.domains.narrowed(allowed)
        rechecker = Rechecker(search_context, policy, readers)
        async for each in rechecker.recheck(dossier):
            found.append(each)
            _print(each, as_json=as_json)
    counts = counted(found)
    if not as_json:
        told = ", ".join(f"{change}: {count}" for change, count in counts.items() if count)
        click.echo(told or "nothing was compared with its page, so there is nothing to recheck")
    stands = counts[PassageChange.SAME] + counts[PassageChange.MOVED]
    return 1 if stands < len(found) else 0


def _print(each: Rechecked, *, as_json: bool) -> None:
    from groundwire import citations

    if as_json:
        print_json(each)
        return
    lines = [f"[{each.number}] {each.change}: {each.url}", *map("    {}".format, each.difference)]
    if each.reason:
        lines.append(f"    {each.reason}")
    # A page's words are a stranger's: nothing in them may steer a terminal.
    for line in lines:
        click.echo(citations.to_terminal(citations.Marked(text=line)))
