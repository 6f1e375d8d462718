"""`groundwire demo`: everything at once, offline, without a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType


@click.command()
@click.option("--port", default=8321, show_default=True, help="Port of the page; 0 picks one.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False),
    help="Keep everything in this folder instead of a temporary one.",
)
def demo(*, port: int, no_browser: bool, folder: str | None) -> None:
    """Try everything on this machine: no key, no network, no files kept.

    Sets up a library of Groundwire's own documentation, simulates every provider's protocol
    locally and serves the web app with an agent for each of them. With keys in the environment,
    there are agents of the real services too.
    """
    # At once: what follows imports for a while on a machine that has not done it before.
    click.echo("Starting …", err=True)
    import asyncio
    import signal
    import tempfile
    from contextlib import nullcontext
    from pathlib import Path

    signal.signal(signal.SIGTERM, _end)
    kept = nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="groundwire-")
    with kept as place:
        Path(place).mkdir(parents=True, exist_ok=True)
        asyncio.run(_show(Path(place), port, opens=not no_browser))


def _end(number: int, _: FrameType | None) -> NoReturn:
    """Exit by an exception: a signal alone would not remove the temporary folder."""
    raise SystemExit(128 + number)


async def _show(folder: Path, port: int, *, opens: bool) -> None:
    import webbrowser
    from contextlib import closing
    from dataclasses import replace

    from groundwire.cli.app import create_app
    from groundwire.demo import LIBRARIAN, QUESTIONS, demonstration
    from groundwire.service.listener import listening
    from groundwire.web import Options
    from groundwire.web.options import DemoMode, Starter
    from groundwire.web.server import address_of, cut_stalled, server_of

    options = Options(starters=tuple(Starter(text=text, agent=LIBRARIAN) for text in QUESTIONS))
    click.echo("Adding the documentation to a library …", err=True)
    with closing(listening(options.host, port)) as listener:
        cut_stalled(listener, options.stalled_seconds)
        address = address_of(options.host, listener.getsockname()[1])
        async with demonstration(folder) as shown:
            about = DemoMode(simulated_at=shown.sandbox_url, has_keys=shown.has_keys)
            click.echo(f"Ctrl-C stops Groundwire and removes its files. It is at\n{address}\n")
            click.echo(
                f"Choose an agent ({LIBRARIAN} quotes, the others simulate a provider), ask:"
            )
            for question in QUESTIONS:
                click.echo(f"  {question}")
            click.echo(f"\nClients of OpenAI and Anthropic use {address}/v1, with any key.")
            click.echo(f"The providers are simulated at {shown.sandbox_url}; see docs/sandbox.md.")
            if opens:
                webbrowser.open(address)
            app = create_app(shown.program, replace(options, demo=about))
            await server_of(app).serve(sockets=[listener])
