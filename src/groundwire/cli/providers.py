"""`groundwire providers`: who can search, read and answer, and which of them are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.errors import PluginError
    from groundwire.wire.contract import Provider


@click.command()
@json_option
def providers(as_json: bool) -> None:
    """List who can search, read and answer.

    With each stands what it can do and where its key comes from.
    """
    from groundwire import registry
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load

    settings, keys = load(), Keys()
    found = [describe(name, settings, keys) for name in registry.usable()]
    found += [_broken(problem) for problem in registry.problems()]
    if as_json:
        print_json(found)
        return
    rows = [
        (entry["name"], ", ".join(entry["abilities"]), entry["key"], entry["about"])
        for entry in found
    ]
    print_table(rows, ("NAME", "CAN", "KEY", "ABOUT"))


class Described(TypedDict):
    """A provider as `--json` prints it; `problem` is why it cannot be used, "" if it can."""

    name: str
    title: str
    about: str
    abilities: list[str]
    key: str
    key_variable: str | None
    key_url: str
    base_url: str
    problem: str


def describe(name: str, settings: Settings, keys: Keys) -> Described:
    """Return what a program or a person wants to know about a provider."""
    from groundwire import registry
    from groundwire.wire.contract import abilities

    provider = registry.get(name)
    chosen = settings.providers.get(name)
    return {
        "name": name,
        "title": provider.title,
        "about": (provider.__doc__ or "").strip().partition("\n")[0],
        "abilities": list(abilities(provider)),
        "key": _key_state(provider, keys),
        "key_variable": provider.key_variable,
        "key_url": provider.key_url,
        "base_url": (chosen and chosen.base_url) or provider.base_url,
        "problem": "",
    }


def _broken(problem: PluginError) -> Described:
    """Return the row of a plugin's provider that cannot be loaded."""
    return {
        "name": problem.provider,
        "title": "",
        "about": f"{problem.package}: {problem.reason}",
        "abilities": [],
        "key": "cannot be used",
        "key_variable": None,
        "key_url": "",
        "base_url": "",
        "problem": problem.reason,
    }


def _key_state(provider: Provider, keys: Keys) -> str:
    from groundwire.wire.contract import BorrowsSession

    if isinstance(provider, BorrowsSession):
        return "OpenCode's session"
    if provider.key_variable is None:
        return "not needed"
    if found := keys.find(provider.key_variable):
        return f"from {found.source}"
    return "optional" if provider.key_is_optional else "missing"
