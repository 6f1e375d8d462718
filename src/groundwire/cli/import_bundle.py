"""`groundwire import`: a bundle becomes a session of this store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from groundwire.conversation import Session
    from groundwire.evidence.dossier import Dossier


@click.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--agent", "-a", default="", help="Whose session it becomes, by name.")
@json_option
def import_bundle(file: Path, agent: str, *, as_json: bool) -> None:
    """Bring the answers and pages of the bundle FILE into this store.

    It is verified first, and comes whole or not at all. All values stay as they were, ids too: a
    session that is here already is refused.
    """
    import asyncio

    from groundwire.evidence.verification import verified
    from groundwire.text.plural import plural

    dossier = verified(file)
    session = asyncio.run(_import(dossier, agent))
    if as_json:
        print_json({"session_id": session.id, "messages": len(dossier.messages)})
        return
    brought = plural(len(dossier.messages), "message")
    pages = plural(len(dossier.snapshots), "page")
    click.echo(f"imported {brought} and {pages} as session {session.id}")


async def _import(dossier: Dossier, agent: str) -> Session:
    import groundwire
    from groundwire.service.evidence import import_dossier

    async with groundwire.open() as program:
        return await import_dossier(program.store, dossier, await program.agent(agent))
