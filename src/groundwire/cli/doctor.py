"""`groundwire doctor`: what is configured, what is missing and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.doctor import Diagnosis, Find
    from groundwire.errors import MissingKeyError, PluginError

OK, NOTE, PROBLEM = "ok", "note", "problem"
_SIGNS = {OK: "✓", NOTE: "·", PROBLEM: "✗"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at; `fix` is what to do, "" if nothing is.

    `tried` is the request that was made, "" if none was; `code` is that of its error.
    """

    subject: str
    state: str
    found: str
    fix: str = ""
    tried: str = ""
    code: str = ""


@click.command()
@click.option("--live", is_flag=True, help="Also make one small request to each that is in use.")
@click.option("--page", metavar="URL", help="The page that readers are tried with.")
@json_option
def doctor(*, live: bool, page: str | None, as_json: bool) -> None:
    """Say what works, what is missing and what to do.

    Without --live nothing is sent to anyone. With it those who are chosen to search and read are
    tried, and the model providers that have a key: what was asked, the reason in the service's
    own words, and how to fix it. The exit code is 1 if something is broken; a key that is merely
    not there is no fault unless its provider is chosen.
    """
    findings = examine(live=live, page=page)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            tried = f"tried {finding.tried}: " if finding.tried else ""
            click.echo(f"{_SIGNS[finding.state]} {finding.subject}: {tried}{finding.found}")
            if finding.fix:
                click.echo(f"    {finding.fix}")
    if any(finding.state == PROBLEM for finding in findings):
        raise click.exceptions.Exit(1)


def examine(*, live: bool = False, page: str | None = None) -> list[Finding]:
    """Return what was found, from the ground up."""
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings, load
    from groundwire.errors import GroundwireError

    findings = [_python(), _sqlite()]
    try:
        settings = load()
    except GroundwireError as error:
        fix = "correct that line, or unset the variable"
        findings.append(Finding(subject="settings", state=PROBLEM, found=str(error), fix=fix))
        settings = Settings.model_construct()
    else:
        findings.append(_settings_file())
    keys = Keys()
    findings += [
        _store(settings),
        *_redis(settings),
        *_sso(settings, keys, live=live),
        *_key_store(keys),
        *_providers(settings, keys),
    ]
    return [*findings, *_in_use(settings, keys, live=live, page=page)]


def _python() -> Finding:
    import platform

    from groundwire.version import VERSION

    found = f"{VERSION} on Python {platform.python_version()}, {platform.system()}"
    return Finding(subject="groundwire", state=OK, found=found)


def _sqlite() -> Finding:
    import sqlite3

    from groundwire.store.health import loses_data_of_two_writers

    found = sqlite3.sqlite_version
    if not loses_data_of_two_writers():
        return Finding(subject="SQLite", state=OK, found=found)
    return Finding(
        subject="SQLite",
        state=NOTE,
        found=f"{found} has the WAL-reset fault (mended in 3.51.3): two processes that write the "
        "same database at once can lose data",
        fix="keep to one server process for each database file, or use PostgreSQL",
    )


def _settings_file() -> Finding:
    from groundwire.config.settings import settings_path

    path = settings_path()
    found = str(path) if path.exists() else f"defaults; there is no {path}"
    return Finding(subject="settings", state=OK, found=found)


def _store(settings: Settings) -> Finding:
    """Look at the database if there is one; a doctor makes none."""
    import asyncio

    from groundwire.errors import StoreError
    from groundwire.store import DatabaseHealth, Store
    from groundwire.store.database_url import address

    url = address(settings.store.url)
    if url.database and url.get_backend_name() == "sqlite" and not Path(url.database).exists():
        found = f"none yet: {url.database} is made by the first question"
        return Finding(subject="store", state=OK, found=found)

    async def check() -> DatabaseHealth:
        async with Store.open(settings.store.url) as store:
            return await store.check()

    try:
        health = asyncio.run(check())
    except StoreError as error:
        return Finding(subject="store", state=PROBLEM, found=error.with_address())
    found = "; ".join([f"{health.address}, {health.version}", *health.problems])
    return Finding(subject="store", state=PROBLEM if health.problems else OK, found=found)


def _sso(settings: Settings, keys: Keys, *, live: bool) -> list[Finding]:
    """Look whether single sign-on has what it needs, where it is wanted; live, ask its provider."""
    import asyncio
    from importlib.util import find_spec

    from groundwire.config.keys import SSO_SECRET
    from groundwire.system.extras import install_command

    sso = settings.sso
    if not sso.issuer:
        return []
    if find_spec("authlib") is None:
        found, fix = "authlib is not installed", install_command("sso")
        return [Finding(subject="sso", state=PROBLEM, found=found, fix=fix)]
    if not sso.client_id:
        fix = "set sso.client_id to what the provider calls this server"
        return [Finding(subject="sso", state=PROBLEM, found="no client is named", fix=fix)]
    secret = keys.find(SSO_SECRET)
    kind = "with a secret" if secret else "without a secret, as a public client"
    problem = asyncio.run(_sso_problem(settings)) if live else ""
    if problem:
        fix = "see that sso.issuer is right and can be reached from here"
        return [Finding(subject="sso", state=PROBLEM, found=problem, fix=fix)]
    return [Finding(subject="sso", state=OK, found=f"{sso.issuer}, {kind}")]


async def _sso_problem(settings: Settings) -> str:
    """Return why the provider of single sign-on cannot be used, "" if it can."""
    from groundwire.web.sso.provider import OpenIdProvider
    from groundwire.web.sso.refusal import SignInRefusedError

    provider = OpenIdProvider(settings.sso, None, settings.network)
    try:
        await provider.check()
    except SignInRefusedError as error:
        return str(error).partition(": try again")[0]
    finally:
        await provider.close()
    return ""


def _redis(settings: Settings) -> list[Finding]:
    """Ask Redis, where one is named, and say what is not shared without it."""
    import asyncio

    from groundwire.cache.redis_connection import RedisConnection, address_shown
    from groundwire.errors import GroundwireError

    if not settings.redis.url:
        return []

    async def ask() -> str:
        async with RedisConnection(settings.redis.url) as redis:
            return await redis.ping()

    place = address_shown(settings.redis.url)
    try:
        problem = asyncio.run(ask())
    except GroundwireError as error:
        return [Finding(subject="redis", state=PROBLEM, found=str(error))]
    if not problem:
        return [Finding(subject="redis", state=OK, found=f"Redis works, at {place}")]
    found = (
        f"Redis at {place} does not answer: servers run and keep their answers, but cannot follow "
        "or stop those of another, and each has its own limits, circuits and cache"
    )
    fix = "start it, or correct redis.url in the settings"
    return [Finding(subject="redis", state=PROBLEM, found=found, fix=fix)]


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

    found = [_provider(name, settings, keys) for name in registry.usable()]
    return [*found, *(_plugin(problem) for problem in registry.problems())]


def _plugin(problem: PluginError) -> Finding:
    return Finding(
        subject=problem.provider,
        state=PROBLEM,
        found=f"another package's, {problem.package}: {problem.reason}",
        fix=problem.fix,
        code=problem.code,
    )


def _provider(name: str, settings: Settings, keys: Keys) -> Finding:
    from groundwire import doctor, service
    from groundwire.errors import (
        ConfigError,
        MissingKeyError,
        NotInstalledError,
        ProviderBugError,
    )

    try:
        found = doctor.configuration_of(service.endpoint(name, settings, keys))
    except MissingKeyError as error:
        return _missing_key(name, error)
    except NotInstalledError as error:
        missing = f"it needs {error.missing}"
        return Finding(subject=name, state=NOTE, found=missing, fix=error.fix, code=error.code)
    except ProviderBugError as error:
        return Finding(
            subject=name, state=PROBLEM, found=error.reason, fix=error.fix, code=error.code
        )
    except ConfigError as error:
        return Finding(subject=name, state=PROBLEM, found=str(error))
    return Finding(subject=name, state=OK, found=found)


def _missing_key(name: str, error: MissingKeyError) -> Finding:
    from groundwire import registry
    from groundwire.wire.contract import BorrowsSession

    provider = registry.get(name)
    if isinstance(provider, BorrowsSession):
        return Finding(subject=name, state=NOTE, found="no session", fix=str(error))
    fix = f"get one at {provider.key_url}, then `groundwire setup {name}`"
    return Finding(subject=name, state=NOTE, found=f"no key ({error.variable})", fix=fix)


def _in_use(settings: Settings, keys: Keys, *, live: bool, page: str | None) -> list[Finding]:
    """Return what is known of those who are chosen to search and to read, or are ready to answer.

    Who only answers is not looked at twice: without a request there is no more to say.
    """
    from functools import partial

    from groundwire import doctor, service

    find = partial(service.endpoint, settings=settings, keys=keys)
    chosen = _chosen(settings)
    if not live:
        return [_from(doctor.look_at(name, role, find)) for role, name in chosen]
    answering = [("answer", name) for name in _ready_to_answer(settings, find)]
    return _tried([*chosen, *answering], settings, find, page=page or doctor.PAGE)


def _tried(
    pairs: list[tuple[str, str]], settings: Settings, find: Find, *, page: str
) -> list[Finding]:
    import asyncio

    from groundwire import doctor
    from groundwire.client import Client

    seconds = {"search": settings.search.timeout_seconds, "read": settings.read.timeout_seconds}

    async def ask() -> list[Diagnosis]:
        # Once is enough to see what is wrong, and a second try may wipe it out.
        async with Client(settings.network.model_copy(update={"retries": 0})) as client:
            tries = [
                doctor.try_out(name, role, find, client, page=page, seconds=seconds.get(role, 30))
                for role, name in pairs
            ]
            return await asyncio.gather(*tries)

    return [_from(diagnosis) for diagnosis in asyncio.run(ask())]


def _chosen(settings: Settings) -> list[tuple[str, str]]:
    from groundwire.config.settings.chains import named

    roles = (("search", settings.search_provider), ("read", settings.read_provider))
    return [(role, name) for role, names in roles for name in named(names)]


def _ready_to_answer(settings: Settings, find: Find) -> list[str]:
    """Return the model providers that have a key or a configured address."""
    from groundwire import registry
    from groundwire.errors import ConfigError, ProviderBugError
    from groundwire.wire.contract import Answers

    ready = []
    for name, provider in registry.usable().items():
        if not isinstance(provider, Answers):
            continue
        try:
            access = find(name).access
        except (ConfigError, ProviderBugError):
            continue  # Reported above.
        chosen = settings.providers.get(name)
        if access.key or (chosen and chosen.base_url):
            ready.append(name)
    return ready


def _from(diagnosis: Diagnosis) -> Finding:
    role = {"search": "searching with", "read": "reading with", "answer": "asking"}[diagnosis.role]
    return Finding(
        subject=f"{role} {diagnosis.provider}",
        state=OK if diagnosis.works else PROBLEM,
        found=diagnosis.found,
        fix=diagnosis.fix,
        tried=diagnosis.tried,
        code=diagnosis.code,
    )
