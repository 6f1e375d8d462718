"""`groundwire doctor`: what is configured, what is missing and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from groundwire.errors import MissingKeyError
    from groundwire.keys import Keys
    from groundwire.settings import Settings

OK, NOTE, PROBLEM = "ok", "note", "problem"
_SIGNS = {OK: "✓", NOTE: "·", PROBLEM: "✗"}

# https://sqlite.org/wal.html: two connections that write or checkpoint at once could lose data.
_WAL_RESET_FAULT = ((3, 7, 0), (3, 51, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at; `fix` is what to do, "" if nothing is."""

    subject: str
    state: str
    found: str
    fix: str = ""


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what works, what is missing and what to do.

    Nothing is sent to anyone. The exit code is 1 if something is broken; a key that is merely
    not there is no fault.
    """
    findings = examine()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{_SIGNS[finding.state]} {finding.subject}: {finding.found}")
            if finding.fix:
                click.echo(f"    {finding.fix}")
    if any(finding.state == PROBLEM for finding in findings):
        raise click.exceptions.Exit(1)


def examine() -> list[Finding]:
    """Return what was found, from the ground up."""
    from groundwire.errors import GroundwireError
    from groundwire.keys import Keys
    from groundwire.settings import Settings, load

    findings = [_python(), _sqlite()]
    try:
        settings = load()
    except GroundwireError as error:
        fix = "mend that line, or unset the variable"
        findings.append(Finding(subject="settings", state=PROBLEM, found=str(error), fix=fix))
        settings = Settings.model_construct()
    else:
        findings.append(_settings_file())
    keys = Keys()
    return [*findings, *_key_store(keys), *_providers(settings, keys)]


def _python() -> Finding:
    import platform

    from groundwire.version import VERSION

    found = f"{VERSION} on Python {platform.python_version()}, {platform.system()}"
    return Finding(subject="groundwire", state=OK, found=found)


def _sqlite() -> Finding:
    import sqlite3

    found = sqlite3.sqlite_version
    first, last = _WAL_RESET_FAULT
    if not first <= sqlite3.sqlite_version_info <= last:
        return Finding(subject="SQLite", state=OK, found=found)
    return Finding(
        subject="SQLite",
        state=NOTE,
        found=f"{found} has the WAL-reset fault (mended in 3.51.3): two processes that write the "
        "same database at once can lose data",
        fix="keep to one server process for each database file, or use PostgreSQL",
    )


def _settings_file() -> Finding:
    from groundwire.settings import settings_path

    path = settings_path()
    found = str(path) if path.exists() else f"defaults; there is no {path}"
    return Finding(subject="settings", state=OK, found=found)


def _key_store(keys: Keys) -> list[Finding]:
    from groundwire.errors import GroundwireError

    try:
        problem = keys.keyring_problem()
        keys.known()
    except GroundwireError as error:
        return [Finding(subject="keys", state=PROBLEM, found=str(error))]
    if problem is None:
        return [Finding(subject="keys", state=OK, found="saved in the system's keyring")]
    found = f"the system's keyring is not used ({problem}), so keys are saved in a file of yours"
    return [Finding(subject="keys", state=NOTE, found=found)]


def _providers(settings: Settings, keys: Keys) -> list[Finding]:
    from groundwire import registry

    return [_provider(name, settings, keys) for name in registry.names()]


def _provider(name: str, settings: Settings, keys: Keys) -> Finding:
    from groundwire import service
    from groundwire.errors import ConfigError, MissingKeyError

    try:
        endpoint = service.endpoint(name, settings, keys)
    except MissingKeyError as error:
        return _missing_key(name, error)
    except ConfigError as error:
        return Finding(subject=name, state=PROBLEM, found=str(error))
    key = "with its key" if endpoint.access.key else "without a key"
    found = f"configured at {endpoint.access.base_url}, {key}"
    return Finding(subject=name, state=OK, found=found)


def _missing_key(name: str, error: MissingKeyError) -> Finding:
    from groundwire import registry
    from groundwire.contract import BorrowsSession

    provider = registry.get(name)
    if isinstance(provider, BorrowsSession):
        return Finding(subject=name, state=NOTE, found="no session", fix=str(error))
    fix = f"get one at {provider.key_url}, then `groundwire keys set {name}`"
    return Finding(subject=name, state=NOTE, found=f"no key ({error.variable})", fix=fix)
