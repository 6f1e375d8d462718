"""`groundwire gateway`: the gateway alone, without database and users."""

from __future__ import annotations

import click

from groundwire.cli.output import log_options, print_served


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8787, show_default=True, help="Port to listen on; 0 picks one.")
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name that clients may use for it, such as a proxy's. May be repeated.",
)
@log_options
@click.option(
    "--access-log", "has_access", is_flag=True, help="Log every request, without queries."
)
def gateway(
    *,
    host: str,
    port: int,
    allowed_hosts: tuple[str, ...],
    log_level: str,
    is_json: bool,
    has_access: bool,
) -> None:
    """Serve the gateway alone: cited search for clients of OpenAI and Anthropic.

    Nothing is kept. On this machine alone any key will do; an address or a name that others can
    reach needs gateway.tokens in the settings. docs/gateway.md has the lines for each client.
    """
    from contextlib import closing

    from groundwire.cli.app import create_gateway_app
    from groundwire.config.settings import load
    from groundwire.errors import ConfigError
    from groundwire.service.listener import listening
    from groundwire.service.logs import LogOptions, configure
    from groundwire.service.program import Groundwire
    from groundwire.web import Options
    from groundwire.web.server import BACKLOG, address_of, cut_stalled, server_of

    configure(LogOptions(level=log_level, is_json=is_json, has_access=has_access))
    settings = load()
    options = Options(
        host=host,
        allowed_hosts=allowed_hosts,
        trusted_proxies=tuple(settings.web.trusted_proxies),
    )
    if options.is_for_others and not settings.gateway.tokens:
        raise ConfigError(
            "others can reach this address: name tokens for them in gateway.tokens in the "
            "settings, or listen on 127.0.0.1 without --allow-host"
        )
    app = create_gateway_app(Groundwire(settings=settings, keep=False), options)
    with closing(listening(host, port, backlog=BACKLOG)) as listener:
        cut_stalled(listener, options.stalled_seconds)
        print_served("The gateway is served", address_of(host, listener.getsockname()[1]))
        server_of(app).run(sockets=[listener])
