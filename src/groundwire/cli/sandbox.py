"""`groundwire sandbox`: every model provider's protocol on this machine, without a key."""

from __future__ import annotations

from pathlib import Path

import click

from groundwire.cli.output import print_served


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8787, show_default=True, help="Port to listen on; 0 picks one.")
@click.option(
    "--recordings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of saved replies that a request may ask for with x-sandbox-replay.",
)
@click.option(
    "--fault", default="", help="Answer every request with this fault, such as rate_limit;times=1."
)
@click.option(
    "--pace",
    "pace_seconds",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Seconds between two events of a stream.",
)
def sandbox(
    *, host: str, port: int, recordings: Path | None, fault: str, pace_seconds: float
) -> None:
    """Run every provider's protocol locally.

    A local server answers from a few built-in pages: models with tool calls, search and citations
    in each provider's own form, search and read services, and pages to read. It refuses what the
    real service refuses. Any key will do. Ctrl-C stops it. docs/sandbox.md lists the faults and
    what triggers what.
    """
    import asyncio
    import os

    from groundwire.errors import ConfigError
    from groundwire.sandbox import faults, serve
    from groundwire.sandbox.process import BASES

    if fault:
        try:
            faults.parse(fault)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--fault") from error

    async def run() -> None:
        try:
            server = await serve(
                host, port, recordings=recordings, fault=fault, pace_seconds=pace_seconds
            )
        except OSError as error:
            reason = os.strerror(error.errno or 0).lower()
            raise ConfigError(f"{host}:{port}: {reason}; choose another with --port") from error
        print_served("The sandbox is served", server.root)
        click.echo("Base URLs:")
        for provider, base in sorted(BASES.items()):
            click.echo(f"  {provider:16} {server.root}{base}")
        await server.run_until_cancelled()

    asyncio.run(run())
