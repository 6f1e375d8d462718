"""`groundwire serve`: the web app."""

from __future__ import annotations

import click


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8321, show_default=True, help="Port to listen on; 0 picks one.")
@click.option(
    "--database",
    default="",
    metavar="URL",
    help="A path or a postgresql:// URL, instead of the one in the settings.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="How many processes serve.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name that browsers may use for it, such as a proxy's. May be repeated.",
)
@click.option(
    "--max-runs",
    default=1_000,
    show_default=True,
    type=click.IntRange(1),
    help="How many answers a process makes at once.",
)
@click.option("--setup", "is_setup", is_flag=True, help="Print a link to make the first user.")
@click.option("--open", "opens_browser", is_flag=True, help="Open the page in a browser.")
def serve(
    *,
    host: str,
    port: int,
    database: str,
    workers: int,
    allowed_hosts: tuple[str, ...],
    max_runs: int,
    is_setup: bool,
    opens_browser: bool,
) -> None:
    """Serve the web app: chat, settings and an HTTP API.

    On this machine alone nobody has to sign in. An address that others can reach needs users: the
    first one is made with the link that --setup prints. docs/web.md has the rest.
    """
    from groundwire.web import Options, Serving
    from groundwire.web import serve as run

    options = Options(host=host, allowed_hosts=allowed_hosts, max_runs=max_runs)
    serving = Serving(
        options=options, port=port, database=database, workers=workers, is_setup=is_setup
    )

    def announce(url: str) -> None:
        click.echo(f"Groundwire is served at {url}; Ctrl-C stops it.")
        if opens_browser:
            import webbrowser

            webbrowser.open(url)

    run(serving, announce)
