"""`groundwire serve`: the web app."""

from __future__ import annotations

import click

from groundwire.cli.output import log_options, print_served


def _networks(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Check the addresses of proxies before anything starts."""
    from groundwire.guard import check_network

    try:
        return tuple(map(check_network, given))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


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
    "--trust-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    callback=_networks,
    help="A proxy, or network of proxies, whose X-Forwarded headers are believed. May be repeated.",
)
@click.option(
    "--max-answers",
    "--max-runs",  # Its name in version 0.1.
    "max_answers",
    default=1_000,
    show_default=True,
    type=click.IntRange(1),
    help="How many answers a process makes at once.",
)
@click.option("--setup", "is_setup", is_flag=True, help="Print a link to make the first user.")
@click.option("--open", "opens_browser", is_flag=True, help="Open the page in a browser.")
@log_options
@click.option(
    "--access-log", "has_access", is_flag=True, help="Log every request, without queries."
)
def serve(  # noqa: PLR0913 - a parameter for each option
    *,
    host: str,
    port: int,
    database: str,
    workers: int,
    allowed_hosts: tuple[str, ...],
    trusted_proxies: tuple[str, ...],
    max_answers: int,
    is_setup: bool,
    opens_browser: bool,
    log_level: str,
    is_json: bool,
    has_access: bool,
) -> None:
    """Serve the web app: chat, settings, an HTTP API and the gateway under /v1.

    On this machine alone nobody has to sign in. An address or a name that others can reach needs
    users: the first one is made with the link that --setup prints. docs/web.md has the rest.
    """
    from groundwire.cli.app import create_app
    from groundwire.service.logs import LogOptions
    from groundwire.web import Options, Serving
    from groundwire.web import serve as run

    options = Options(
        host=host,
        allowed_hosts=allowed_hosts,
        trusted_proxies=trusted_proxies,
        max_answers=max_answers,
    )
    serving = Serving(
        options=options,
        port=port,
        database=database,
        workers=workers,
        is_setup=is_setup,
        make_app=create_app,
        logs=LogOptions(level=log_level, is_json=is_json, has_access=has_access),
    )

    def announce(url: str) -> None:
        print_served("Groundwire is served", url)
        if opens_browser:
            import webbrowser

            webbrowser.open(url)

    run(serving, announce)
