"""`groundwire bundle`: an answer with the pages it rests on, as one file that can be verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from groundwire.evidence.dossier import Dossier

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Bundle(click.Group):
    """Takes whatever is no subcommand for the id of what to bundle."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand, `make` unless another is named."""
        if args[0] not in self.commands:
            args = ["make", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_Bundle, subcommand_metavar="SESSION|MESSAGE [-o FILE] | verify FILE | show FILE")
def bundle() -> None:
    """Take an answer away with the pages it rests on, as a WACZ file.

    Web archive replayers open it. In it are the pages as they were fetched, answer.json (text,
    markers, quotes with what stands around them, checks, searches, settings without secrets) and
    answer.html. The same answer gives the same file.

    \b
    groundwire bundle last -o answer.wacz
    groundwire bundle verify answer.wacz
    groundwire bundle show answer.wacz
    """  # noqa: D301 - the library wants the character, not its name


@bundle.command(hidden=True)
@click.argument("session_or_message", metavar="SESSION|MESSAGE")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write it; the id with .wacz unless given.",
)
def make(session_or_message: str, output: Path | None) -> None:
    """Write a bundle."""
    import asyncio

    from groundwire.evidence.bundle import write_bundle
    from groundwire.text.plural import plural
    from groundwire.web.export_page import export_html

    dossier = asyncio.run(_gathered(session_or_message))
    path = output or Path(f"{session_or_message}.wacz")
    size = write_bundle(path, dossier, export_html(dossier))
    answers = plural(len(dossier.answers), "answer")
    pages = plural(len(dossier.snapshots), "page")
    click.echo(f"{path}: {answers}, {pages}, {plural(size, 'byte')}", err=True)


@bundle.command()
@click.argument("file", type=_FILE)
@json_option
def verify(file: Path, *, as_json: bool) -> None:
    """Check every hash, quote and marker of FILE, offline; exit code 1 on any difference."""
    from groundwire.errors import BundleError
    from groundwire.evidence.verification import verified
    from groundwire.text.plural import plural

    try:
        dossier = verified(file)
    except BundleError as error:
        if as_json:
            print_json({"file": str(file), "is_sound": False, "problem": str(error)})
            raise click.exceptions.Exit(1) from error
        raise
    if as_json:
        print_json({"file": str(file), "is_sound": True, "pages": len(dossier.snapshots)})
        return
    told = (
        plural(len(dossier.answers), "answer"),
        plural(len(dossier.snapshots), "page"),
        plural(len(dossier.checks), "check"),
    )
    click.echo(f"{file} is sound: {', '.join(told)}; every hash, quote and marker fits.")


@bundle.command()
@click.argument("file", type=_FILE)
@click.option(
    "--browser", "form", flag_value="browser", help="Open the page of the answer in the browser."
)
@click.option("--text", "form", flag_value="text", help="Print the text of the answer.")
@click.option("--html", "form", flag_value="html", help="Print the page of the answer.")
def show(file: Path, form: str | None) -> None:
    """Verify FILE and open it: in the browser, where this is a terminal of a desktop.

    In other terminals its text is printed, and where its page is; into a pipe the text alone. The
    page is made anew from the answer: nothing of the file itself is run or opened.
    """
    import sys

    from groundwire.evidence.verification import verified
    from groundwire.web.export_page import export_html

    dossier = verified(file)
    is_seen = sys.stdout.isatty()
    match form or ("browser" if is_seen and _has_windows() else ""):
        case "browser":
            _open(export_html(dossier))
        case "html":
            click.echo(export_html(dossier), nl=False)
        case chosen:
            _print_text(dossier)
            if is_seen and not chosen:
                click.echo(f"As a page: {_kept(export_html(dossier))}", err=True)


def _has_windows() -> bool:
    import os
    import sys

    displays = (os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return sys.platform in ("darwin", "win32") or any(displays)


def _print_text(dossier: Dossier) -> None:
    from groundwire import citations

    for answer in dossier.answers:
        marked = answer.marked or citations.Marked(text=answer.content)
        asked = citations.to_terminal(citations.Marked(text=dossier.question_of(answer)))
        click.echo(f"> {asked}\n\n{citations.to_terminal(marked)}\n")
    if dossier.snapshots:
        click.echo("Pages as they were read:")
    for page in dossier.snapshots:
        line = f"{page.read_at:%Y-%m-%d %H:%M} UTC  {page.url}  SHA-256 {page.text_hash}"
        click.echo(citations.to_terminal(citations.Marked(text=line)))


def _kept(page: str) -> Path:
    """Return a file with a page, which stays: a browser may read it again."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as kept:
        kept.write(page)
    return Path(kept.name)


def _open(page: str) -> None:
    import webbrowser

    path = _kept(page)
    if not webbrowser.open(path.as_uri()):
        click.echo("There is no browser here: open the file yourself.", err=True)
    click.echo(path)


async def _gathered(key: str) -> Dossier:
    import groundwire
    from groundwire.service.evidence import dossier_of

    async with groundwire.open() as program:
        return await dossier_of(program.store, program.settings, key)
