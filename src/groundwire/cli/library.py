"""`groundwire library`: documents of one's own, searched and cited like the web."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json, print_table, workspace_option
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.config.settings import Settings
    from groundwire.library import Adder, Document, Hit, Library, Progress, Report
    from groundwire.model import Page

_SHOWN_FAILURES = 20


@click.group()
def library() -> None:
    """Keep documents of your own, searched like the web.

    \b
    groundwire library add ~/notes manual.pdf https://example.org/page
    groundwire library search "how to reset the pump"
    groundwire search "how to reset the pump" --provider library

    HTML, Markdown, text and PDF are read, and office files with groundwire[documents]. In the
    settings, search_provider = ["library", "duckduckgo"] asks the library first; with
    search.together both at once. read_provider = ["library", "local"] opens what was found.

    Every workspace has a library of its own; without --workspace it is the one of the settings,
    which is the first workspace's.
    """  # noqa: D301 - the library wants the character, not its name


@library.command()
@click.argument("sources", nargs=-1, required=True, metavar="FOLDER|FILE|URL...")
@click.option(
    "--base-url",
    default="",
    metavar="URL",
    help="Where the folder is published, such as https://docs.python.org/3/: its files are then "
    "cited under that address. Without it they are cited as https://library.test/NAME/...",
)
@click.option("--name", default="", help="Name of the collection; by default the folder's.")
@click.option("--prune", is_flag=True, help="Remove documents whose file is gone.")
@workspace_option
@json_option
def add(
    sources: tuple[str, ...],
    *,
    base_url: str,
    name: str,
    prune: bool,
    workspace: str,
    as_json: bool,
) -> None:
    """Add folders, files and web pages.

    Only what is new or changed is read, so the same command brings a library up to date. It can
    be stopped at any time: what was added stays, and the next run continues. Files that cannot be
    read are listed and do not stop the others; if that holds for a file or page that was named,
    the exit code is 1.
    """
    import asyncio

    plan = _Plan(base_url=base_url, name=name, prune=prune)
    if (base_url or name) and len(sources) > 1:
        raise click.UsageError("--base-url and --name belong to one folder: add them one by one")
    reports, broken = asyncio.run(_add(sources, plan, workspace, is_quiet=as_json))
    if as_json:
        print_json({"sources": [asdict(report) for report in reports], "failed": broken})
    for report in [] if as_json else reports:
        _show(report)
    for reason in [] if as_json else broken:
        click.echo(reason, err=True)
    if broken:
        sys.exit(1)


@library.command("list")
@click.argument("collection", required=False)
@workspace_option
@json_option
def list_(collection: str | None, *, workspace: str, as_json: bool) -> None:
    """List the collections, or the documents of one COLLECTION."""
    with _opened(workspace) as open_library:
        collections = open_library.collections()
        if collection and collection not in [one.name for one in collections]:
            raise click.ClickException(f"there is no collection {collection!r}")
        documents = open_library.documents(collection) if collection else []
    if as_json:
        print_json([*map(_document_json, documents)] if collection else [*map(asdict, collections)])
    elif collection:
        print_table([(one.url, one.title) for one in documents], ("address", "title"))
    else:
        rows = [
            (one.name, f"{one.documents:,}", f"{one.passages:,}", one.root or "pages of the web")
            for one in collections
        ]
        print_table(rows, ("collection", "documents", "passages", "from"))


@library.command()
@click.argument("names", nargs=-1, required=True, metavar="COLLECTION|URL|FILE...")
@workspace_option
@json_option
def remove(names: tuple[str, ...], *, workspace: str, as_json: bool) -> None:
    """Remove collections or single documents; the files themselves stay."""
    from groundwire.library import documents_named

    with _opened(workspace, writes=True, is_new=False) as open_library:
        found = {name: documents_named(open_library, name) for name in names}
        if nothing := [name for name, documents in found.items() if not documents]:
            raise click.ClickException(
                f"the library has no collection, address or file {nothing[0]!r}: nothing removed"
            )
        documents = {one.id: one for some in found.values() for one in some}
        open_library.remove([*documents.values()])
    if as_json:
        print_json({"removed": len(documents)})
    else:
        click.echo(f"removed {plural(len(documents), 'document')}")


@library.command()
@click.argument("query")
@click.option("--limit", "-n", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--domain", "domains", multiple=True, help="Only addresses of this domain.")
@workspace_option
@json_option
def search(
    query: str, *, limit: int, domains: tuple[str, ...], workspace: str, as_json: bool
) -> None:
    """Print the passages that match QUERY best, one for each document."""
    with _opened(workspace) as open_library:
        hits = open_library.search(query, limit=limit, domains=domains)
    if as_json:
        print_json([_hit_json(hit) for hit in hits])
        return
    for number, hit in enumerate(hits, start=1):
        where = " › ".join(hit.passage.headings)
        click.echo(f"[{number}] {hit.document.title}\n    {hit.document.url}")
        click.echo(f"    {where}\n    {hit.snippet}\n" if where else f"    {hit.snippet}\n")
    if not hits:
        click.echo(f"the library has nothing for {query!r}: try other or fewer words", err=True)


@library.command()
@workspace_option
def reindex(*, workspace: str) -> None:
    """Make the index anew, for instance after choosing another one in the settings."""
    with _opened(workspace, writes=True, is_new=False) as open_library:
        count = open_library.reindex()
    click.echo(f"indexed {plural(count, 'document')}")


@library.command()
@workspace_option
def embed(*, workspace: str) -> None:
    """Make vectors of the passages, so that what means alike is found, too.

    Needs the model, and the address, of a service under [providers.embeddings] in the settings; a
    server makes them by itself. It can be stopped at any time, and the next run continues.
    """
    import asyncio

    count = asyncio.run(_embed(workspace))
    click.echo(f"made the vectors of {plural(count, 'document')}")


async def _embed(workspace: str) -> int:
    from groundwire.cli.search_context import opened
    from groundwire.search.query_embedding import embedding_service
    from groundwire.service.documentation import library_options
    from groundwire.service.library_embeddings import embed_library
    from groundwire.service.workspace_names import library_of

    async with opened() as (_, search_context):
        if embedding_service(search_context) is None:
            raise click.ClickException(
                "nobody makes vectors: set model, and base_url for a server of your own, under "
                "[providers.embeddings] in the settings"
            )
        options = library_options(
            search_context.settings, await library_of(search_context.settings, workspace)
        )
        with _progress("vectors", is_quiet=False) as progress:
            return await embed_library(search_context, options, progress)


class _Plan:
    """How to add what was named."""

    def __init__(self, *, base_url: str, name: str, prune: bool) -> None:
        self.base_url = base_url
        self.name = name
        self.prune = prune

    async def add(self, adder: Adder, source: str) -> Report:
        """Add one source.

        Raises:
            ClickException: There is none, or it cannot be read.
        """
        if "://" in source:
            return await adder.add_page(await _fetched(source))
        path = Path(source)
        if _is_folder(path):
            return await adder.add_folder(
                path, name=self.name, base_url=self.base_url, prune=self.prune
            )
        return await adder.add_file(path, name=self.name, base_url=self.base_url)


async def _add(
    sources: tuple[str, ...], plan: _Plan, workspace: str, *, is_quiet: bool
) -> tuple[list[Report], list[str]]:
    """Add every source; return the reports, and the errors of those that failed."""
    from groundwire.errors import GroundwireError
    from groundwire.library import Adder, reader

    reports: list[Report] = []
    broken: list[str] = []
    with _opened(workspace, writes=True) as open_library:
        async with reader() as documents:
            for source in sources:
                with _progress(source, is_quiet=is_quiet) as progress:
                    try:
                        report = await plan.add(Adder(open_library, documents, progress), source)
                    except (GroundwireError, click.ClickException) as error:
                        broken.append(str(error))
                        continue
                reports.append(report)
                if report.failures and not _is_folder(Path(source)):
                    broken.append(f"{source}: {report.failures[0].reason}")
    return reports, broken


async def _fetched(url: str) -> Page:
    """Return a web page, read by the configured readers except the library."""
    from groundwire.cli.search_context import opened
    from groundwire.config.settings.chains import named
    from groundwire.search import ReadChain

    async with opened() as (_, search_context):
        readers = named(search_context.settings.read_provider)
        others = [name for name in readers if name != "library"] or ["local"]
        reply = await ReadChain(search_context, names=others).read(url, by_agent=False)
    if not reply.page.success:
        raise click.ClickException(f"{url} could not be read: {reply.page.error}")
    return reply.page


def _is_folder(path: Path) -> bool:
    if "://" in str(path):
        return False
    if not path.exists():
        raise click.ClickException(f"{path} is not a file or folder; a URL begins with https://")
    return path.is_dir()


@contextmanager
def _opened(workspace: str, *, writes: bool = False, is_new: bool = True) -> Iterator[Library]:
    """Open the library of a workspace; only a writer may make one, if `is_new` lets it."""
    from groundwire.config.settings import load
    from groundwire.library import library_path, open_library
    from groundwire.service.documentation import library_options

    settings = load()
    options = library_options(settings, _library_of(settings, workspace))
    if writes and not is_new and not library_path(options).exists():
        raise click.ClickException(f"there is no library at {library_path(options)}")
    with open_library(options, writes=writes) as opened:
        yield opened


def _library_of(settings: Settings, workspace: str) -> str:
    """Return which library a workspace has; the database is asked only where one is named."""
    if not workspace:
        return ""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from groundwire.service.workspace_names import library_of

    # In a thread: a command that adds is in a loop of its own by now.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(library_of(settings, workspace))).result()


@contextmanager
def _progress(source: str, *, is_quiet: bool) -> Iterator[Progress]:
    """Show a progress bar on standard error, if it is a terminal."""
    if is_quiet or not sys.stderr.isatty():
        yield lambda done, total: None  # noqa: ARG005 - a Progress
        return
    with click.progressbar(length=1, label=source, file=sys.stderr, show_pos=True) as bar:

        def show(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield show


def _show(report: Report) -> None:
    counts = [
        plural(count, one, many)
        for count, one, many in (
            (report.added, "added", "added"),
            (report.updated, "updated", "updated"),
            (report.unchanged, "unchanged", "unchanged"),
            (report.removed, "removed", "removed"),
            (report.skipped, "other file skipped", "other files skipped"),
            (len(report.failures), "not readable", "not readable"),
        )
        if count
    ]
    click.echo(f"{report.collection}: {', '.join(counts) or 'no documents'}")
    for failure in report.failures[:_SHOWN_FAILURES]:
        click.echo(f"  {failure.source}: {failure.reason}", err=True)
    if (more := len(report.failures) - _SHOWN_FAILURES) > 0:
        click.echo(f"  and {more} more", err=True)
    if report.missing and not report.removed:
        gone = plural(len(report.missing), "document")
        click.echo(f"  {gone} whose file is gone: see --prune", err=True)


def _document_json(document: Document) -> object:
    return {
        "url": document.url,
        "title": document.title,
        "collection": document.collection,
        "path": document.path,
        "date": document.date.isoformat() if document.date else None,
        "characters": document.characters,
        "passages": document.passages,
    }


def _hit_json(hit: Hit) -> object:
    return {
        "url": hit.document.url,
        "title": hit.document.title,
        "headings": list(hit.passage.headings),
        "start": hit.passage.start,
        "end": hit.passage.end,
        "text": hit.text,
        "snippet": hit.snippet,
    }
