"""`groundwire replay`: a recorded turn once more, without a network."""

from __future__ import annotations

from pathlib import Path

import click

from groundwire.cli.output import json_option, print_json


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--events", "shows_events", is_flag=True, help="Print the events, a line of JSON each."
)
@json_option
def replay(files: tuple[Path, ...], *, shows_events: bool, as_json: bool) -> None:
    """Run recorded turns again, offline, and compare every event.

    They are those that `groundwire ask --record` wrote. The same program gives the same events,
    markers and checks, byte for byte, on any machine and any day; exit code 1 means that something
    was different. A recording is also how to report a defect: it has the whole turn and no key.

    \b
    groundwire ask --record turn.jsonl "How do sea otters sleep?"
    groundwire replay turn.jsonl
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    from groundwire.service.recorder import read_recording
    from groundwire.service.recorder import replay as run_again
    from groundwire.text.plural import plural

    is_same = True
    for path in files:
        done = asyncio.run(run_again(read_recording(path)))
        is_same = is_same and done.is_same
        if as_json:
            told = {"file": str(path), "is_same": done.is_same, "events": len(done.events)}
            print_json({**told, "differences": [*done.differences]})
            continue
        if shows_events:
            click.echo("\n".join(done.events))
        for each in done.differences:
            click.echo(f"{path}: {each}", err=True)
        if done.is_same:
            click.echo(f"{path}: the same, {plural(len(done.events), 'event')}", err=shows_events)
    raise click.exceptions.Exit(0 if is_same else 1)
