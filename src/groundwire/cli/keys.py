"""`groundwire keys`: keep, list, remove and try the keys of services."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypedDict

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.wire.contract import Provider

_SSO = "sso"


@click.group()
def keys() -> None:
    """Keep the keys of services.

    A key is looked for in the environment (each service's own variable, such as TAVILY_API_KEY),
    in a .env file here, in the system's keyring and in a file that only you can read.
    """


@keys.command("set")
@click.argument("provider")
def set_key(provider: str) -> None:
    """Save the key of PROVIDER (its name, or the name of its variable; `sso` is single sign-on).

    The key is asked for without showing it, or read from standard input; never given as an
    argument, where other users and the shell's history could see it.
    """
    from groundwire.config.keys import Keys, KeySource
    from groundwire.model import Secret

    variable = _variable(provider)
    is_asked = sys.stdin.isatty()
    text = click.prompt(variable, hide_input=True) if is_asked else sys.stdin.readline()
    store = Keys()
    source = store.save(variable, Secret(text))
    click.echo(f"{variable} is saved in the {source} and reads back")
    if source is KeySource.FILE:
        click.echo(f"note: the system's keyring is not used: {store.keyring_problem()}", err=True)
    found = store.find(variable)
    if found is not None and found.source is not source:
        click.echo(f"note: {found.detail} comes first and is what will be used", err=True)


class _Row(TypedDict):
    variable: str
    providers: list[str]
    source: str | None
    where: str


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List which keys there are and where each comes from; never the keys themselves."""
    from groundwire.config.keys import Keys

    store = Keys()
    rows: list[_Row] = []
    for variable, names in sorted(_variables().items()):
        found = store.find(variable)
        source = str(found.source) if found else None
        where = found.detail if found else ""
        rows.append({"variable": variable, "providers": names, "source": source, "where": where})
    if as_json:
        print_json(rows)
        return
    print_table(
        [
            (row["variable"], ", ".join(row["providers"]), row["source"] or "-", row["where"])
            for row in rows
        ],
        ("VARIABLE", "FOR", "FROM", "WHERE"),
    )


@keys.command()
@click.argument("provider")
def remove(provider: str) -> None:
    """Forget the saved key of PROVIDER."""
    from groundwire.config.keys import Keys

    store, variable = Keys(), _variable(provider)
    removed = store.remove(variable)
    places = " and the ".join(removed)
    click.echo(f"{variable} is removed from the {places}" if removed else f"no {variable} is saved")
    if found := store.find(variable):
        click.echo(f"note: it still comes from {found.detail}", err=True)


@keys.command()
@click.argument("provider")
def test(provider: str) -> None:
    """Try the key of PROVIDER with one small request to the service."""
    from groundwire.cli.try_service import try_provider

    click.echo(try_provider(provider))


def _variables() -> dict[str, list[str]]:
    """Return the variable of each key and the providers that use it."""
    from groundwire.config.keys import SSO_SECRET

    variables: dict[str, list[str]] = {}
    for name, provider in _all_providers():
        if provider.key_variable:
            variables.setdefault(provider.key_variable, []).append(name)
    return {**variables, SSO_SECRET: [_SSO]}


def _all_providers() -> list[tuple[str, Provider]]:
    from groundwire import registry

    return [*registry.usable().items()]


def _variable(provider: str) -> str:
    """Return the variable of a provider, or the argument itself if it is a known variable.

    Raises:
        ConfigError: The provider needs no key, or there is none of this name.
    """
    from groundwire import registry
    from groundwire.config.keys import SSO_SECRET
    from groundwire.errors import ConfigError

    if provider in _variables():
        return provider
    if provider == _SSO:
        return SSO_SECRET
    variable = registry.get(provider).key_variable
    if variable is None:
        raise ConfigError(f"{provider!r} needs no key")
    return variable
