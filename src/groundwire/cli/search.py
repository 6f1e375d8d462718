"""`groundwire search` and `groundwire read`: what a model gets, for a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json, workspace_option
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    from groundwire.model import ReadReply, SearchQuery
    from groundwire.search import SearchContext
    from groundwire.tools.web_contract import WebSearchToolResult
    from groundwire.wire.contract import HttpReply

    T = TypeVar("T")

provider_option = click.option(
    "--provider",
    "-p",
    "providers",
    multiple=True,
    metavar="NAME",
    help="Who does it, instead of the settings' choice; repeated, the first that can.",
)


@click.command()
@click.argument("query")
@click.option("--limit", "-n", default=5, show_default=True, help="Most results to show.")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="DOMAIN",
    help="Only results of this domain and its subdomains. May be repeated.",
)
@click.option(
    "--time",
    "time_range",
    type=click.Choice(["d", "w", "m", "y", "all"]),
    default="all",
    show_default=True,
    help="Only what is at most a day, week, month or year old.",
)
@provider_option
@workspace_option
@json_option
def search(
    query: str,
    *,
    limit: int,
    domains: tuple[str, ...],
    time_range: str,
    providers: tuple[str, ...],
    workspace: str,
    as_json: bool,
) -> None:
    """Print pages that match QUERY, best first.

    Which service searched, and which filters it applied, goes to standard error; with --json to
    "message". No results is not a failure.
    """
    from groundwire.config.settings import load
    from groundwire.errors import SearchFailedError
    from groundwire.model import SearchQuery
    from groundwire.service.search_fix import search_fix

    asked = SearchQuery(text=query, limit=limit, domains=domains, time_range=time_range)
    try:
        result = _with_means(
            lambda search_context: _search(search_context, asked, providers), workspace
        )
    except SearchFailedError as error:
        fix = search_fix(error, load())
        raise SearchFailedError(error.query, error.attempts, fix=fix) from error
    if as_json:
        print_json(result.model_dump())
        return
    for item in result.results:
        click.echo(f"[{item.citation_id}] {item.title}\n    {item.url}\n    {item.snippet}\n")
    click.echo(result.message, err=True)


@click.command()
@click.argument("source", metavar="URL|FILE")
@click.option(
    "--max-length",
    type=click.IntRange(min=1),
    help="Most characters to print, instead of the settings' max_page_length.",
)
@provider_option
@workspace_option
@json_option
def read(
    source: str,
    *,
    max_length: int | None,
    providers: tuple[str, ...],
    workspace: str,
    as_json: bool,
) -> None:
    """Print a web page or a file as Markdown.

    A file is read by our own reader; its type is guessed from its name.
    """
    from groundwire.config.settings import load
    from groundwire.tools import page_result

    reply = _read(source, providers, workspace)
    if not reply.page.success:
        raise click.ClickException(f"{source} could not be read: {reply.page.error}")
    result = page_result(reply, max_length=max_length or load().max_page_length)
    if as_json:
        print_json(result.model_dump())
    else:
        click.echo(result.content)
    if result.truncated and not as_json:
        shown = plural(result.content_length, "character")
        whole = f" of {result.original_length:,}" if result.original_length else ""
        click.echo(f"cut after {shown}{whole}: see --max-length", err=True)


async def _search(
    search_context: SearchContext, query: SearchQuery, providers: tuple[str, ...]
) -> WebSearchToolResult:
    from groundwire.search import SearchChain
    from groundwire.tools import Ledger, search_result

    reply = await SearchChain(search_context, [*providers] or None).find(query)
    return search_result(query, reply, Ledger())


def _read(source: str, providers: tuple[str, ...], workspace: str) -> ReadReply:
    if "://" in source:
        return _with_means(
            lambda search_context: _read_page(search_context, source, providers), workspace
        )
    sent = sent_by_file(Path(source))
    return _with_means(lambda search_context: _extract(search_context, sent))


async def _read_page(
    search_context: SearchContext, url: str, providers: tuple[str, ...]
) -> ReadReply:
    from groundwire.search import ReadChain

    chain = ReadChain(search_context, names=[*providers] or None, reads_library=True)
    return await chain.read(url, by_agent=False)


async def _extract(search_context: SearchContext, sent: HttpReply) -> ReadReply:
    from groundwire.model import ReadReply

    return ReadReply(service="local", page=await search_context.extract(sent))


def sent_by_file(path: Path) -> HttpReply:
    """Return a file as if a server had sent it."""
    from mimetypes import guess_type

    from groundwire.wire.contract import HttpReply

    try:
        body = path.read_bytes()
    except FileNotFoundError as error:
        raise click.ClickException(f"{path} is not a file; a URL begins with https://") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.ClickException(f"{path} could not be read: {reason}") from error
    headers = {"content-type": guess_type(path.name)[0] or ""}
    return HttpReply(status=200, headers=headers, body=body, url=path.absolute().as_uri())


def _with_means(use: Callable[[SearchContext], Awaitable[T]], workspace: str = "") -> T:
    """Run something with an open client, and close it."""
    import asyncio

    from groundwire.cli.search_context import opened

    async def run() -> T:
        async with opened(workspace) as (_, search_context):
            return await use(search_context)

    return asyncio.run(run())
