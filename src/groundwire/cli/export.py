"""`groundwire export`: a session or an answer as a file."""

from __future__ import annotations

from pathlib import Path

import click

FORMATS = ("markdown", "html", "json", "bibtex", "ris", "csl-json")


@click.command()
@click.argument("session_or_message", metavar="SESSION|MESSAGE")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="markdown",
    show_default=True,
    help="bibtex, ris and csl-json are the sources alone, for reference managers.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it, instead of standard output.",
)
def export(session_or_message: str, form: str, output: Path | None) -> None:
    """Print a session, or one answer with its question, in a form that others read.

    `groundwire sessions` lists ids; `last` is the newest session, and the id of an answer is in
    the events of `ask --json`. HTML is one file that needs no network and no script; print it to
    get a PDF.

    \b
    groundwire export last --format html -o answer.html
    groundwire export 3f2c… --format bibtex >> sources.bib
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    text = asyncio.run(_export(session_or_message, form))
    if output is None:
        click.echo(text, nl=False)
        return
    from groundwire.system.files import replace_file

    try:
        replace_file(output, text, mode=0o644)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error


async def _export(key: str, form: str) -> str:
    import groundwire
    from groundwire.service.evidence import dossier_of
    from groundwire.web.export_text import exported

    async with groundwire.open() as program:
        dossier = await dossier_of(program.store, program.settings, key)
    return exported(dossier, form)
