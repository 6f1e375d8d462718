"""`groundwire mcp`: the tools for any agent that speaks MCP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import log_options, print_served, workspace_option

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from groundwire.mcp.server import MakeTools
    from groundwire.model import Secret


@click.command()
@click.option(
    "--http", "over_http", is_flag=True, help="Serve over HTTP instead of standard input."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8788, show_default=True, help="Port to listen on; 0 picks one.")
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name that clients may ask for besides this machine's own. May be repeated.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the bearer token that clients must send.",
)
@workspace_option
@log_options
def mcp(
    *,
    over_http: bool,
    host: str,
    port: int,
    allowed_hosts: tuple[str, ...],
    token_file: Path | None,
    workspace: str,
    log_level: str,
    is_json: bool,
) -> None:
    """Serve the tools over MCP.

    Without an option it speaks over standard input and output, which is what agents start. With
    --http any number of clients on this machine can use it; an address that others can reach
    needs --allow-host and --token-file. docs/mcp.md has the line that each agent wants.
    """
    import asyncio
    from functools import partial

    from groundwire.mcp import server
    from groundwire.service.logs import LogOptions, configure

    configure(LogOptions(level=log_level, is_json=is_json))
    serve = server.serve_stdio
    if over_http:
        serve = partial(
            server.serve_http,
            host=host,
            port=port,
            allowed_hosts=allowed_hosts,
            token=_token_in(token_file) if token_file else None,
            announce=lambda url: print_served("MCP is served", url),
        )
    else:
        _let_ctrl_c_end_the_process()
    asyncio.run(_run(serve, workspace))


async def _run(serve: Callable[[MakeTools], Awaitable[None]], workspace: str) -> None:
    """Serve the tools as long as there is a client for them."""
    from groundwire import service
    from groundwire.cli.search_context import opened
    from groundwire.service.counted_tools import counted_tools
    from groundwire.service.quotas import opened_quotas
    from groundwire.tools import OVER_MCP

    async with opened(workspace) as (keys, search_context):
        url = search_context.settings.store.url
        async with opened_quotas(lambda: search_context.settings, None, url) as quotas:
            await serve(
                lambda: counted_tools(service.tools(keys, search_context, surface=OVER_MCP), quotas)
            )


def _let_ctrl_c_end_the_process() -> None:
    """Do without the usual way: the thread that waits for input cannot be woken."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _token_in(path: Path) -> Secret:
    from groundwire.errors import ConfigError
    from groundwire.model import Secret

    token = path.read_text(encoding="utf-8", errors="replace").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise ConfigError(f"{path} holds no token: one line of printable ASCII is needed")
    return Secret(token)
