"""`groundwire setup`: choose who searches and reads, and give them their keys."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from groundwire.cli.output import json_option, print_json
from groundwire.cli.setup_plan import (
    NO_KEY_HERE,
    Asking,
    How,
    SetupPlan,
    checked_names,
    refuse_key_as_name,
    searchers_and_readers,
)

if TYPE_CHECKING:
    from groundwire.config.keys import Keys
    from groundwire.doctor import Diagnosis
    from groundwire.model import Secret


@click.command()
@click.argument("provider", required=False)
@click.argument("surplus", nargs=-1, metavar="")
@click.option("--key-stdin", is_flag=True, help="Read the key of PROVIDER from standard input.")
@click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the key of PROVIDER from a file.",
)
@click.option("--key", "written_key", hidden=True)
@click.option("--search", metavar="NAMES", help="Who searches: names with commas, the best first.")
@click.option("--read", metavar="NAMES", help="Who reads pages, in the same way.")
@click.option("--no-test", is_flag=True, help="Keep the key without trying it.")
@click.option("--yes", is_flag=True, help="Ask nothing: PROVIDER comes first where it can.")
@click.option("--page", metavar="URL", help="The page that a reader is tried with.")
@json_option
def setup(  # noqa: PLR0913 - a parameter for each option
    *,
    provider: str | None,
    surplus: tuple[str, ...],
    key_stdin: bool,
    key_file: Path | None,
    written_key: str | None,
    search: str | None,
    read: str | None,
    no_test: bool,
    yes: bool,
    page: str | None,
    as_json: bool,
) -> None:
    """Choose who searches and reads, and give them their keys.

    Without options it shows who there is and asks. A key is tried with one small request and kept
    only if it works; nothing is written before the last answer, and what was changed is said with
    the way back. Exit code 1: a key did not work.
    """
    if surplus or written_key is not None:
        raise click.UsageError(NO_KEY_HERE)
    refuse_key_as_name(provider)
    if provider is None and (key_stdin or key_file):
        raise click.UsageError("whose key is it? Name the PROVIDER")
    how = How(
        key=_given_key(key_file, from_stdin=key_stdin),
        is_asked=sys.stdin.isatty() and not (yes or as_json or key_stdin),
        is_tested=not no_test,
        says_yes=yes,
        is_shown=not as_json,
    )
    named = {"search": search, "read": read}
    wanted = {role: text.split(",") for role, text in named.items() if text is not None}
    _run(provider, wanted, how, page=page, as_json=as_json)


def _run(
    provider: str | None,
    wanted: dict[str, list[str]],
    how: How,
    *,
    page: str | None,
    as_json: bool,
) -> None:
    import asyncio

    from groundwire import doctor
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load
    from groundwire.extension import ProviderSetup

    settings, keys = load(), Keys()
    for role, names in wanted.items():
        wanted[role] = checked_names(names, role)

    def test(name: str, key: Secret) -> Diagnosis:
        async def ask() -> Diagnosis:
            async with Client(settings.network.model_copy(update={"retries": 0})) as client:
                shown = page or doctor.PAGE
                return await ProviderSetup(settings, keys, client, page=shown).test(name, key)

        return asyncio.run(ask())

    made = Asking(test, settings, keys, how).plan(provider, wanted)
    changed = _carry_out(made, keys)
    if as_json:
        tests = [asdict(test) for test in made.tests]
        known = [asdict(each) for each in searchers_and_readers(keys)]
        print_json({"providers": known, "tests": tests, "changed": changed})
    else:
        _say(changed)
    if made.has_failed:
        raise click.exceptions.Exit(1)


class _Done(TypedDict):
    what: str
    now: object
    before: object
    where: str
    undo: str
    hidden_by: str


def _carry_out(plan: SetupPlan, keys: Keys) -> list[_Done]:
    """Write what was planned; where a key did not work, the choice stays as it was."""
    from groundwire.config.settings.editor import change

    done = [_keep(name, key, keys) for name, key in plan.keys.items()]
    if plan.has_failed:
        return done
    values: dict[str, object] = {
        f"{role}_provider": names[0] if len(names) == 1 else names
        for role, names in plan.chosen.items()
    }
    for each in change(values):
        role = each.setting.removesuffix("_provider")
        before = each.before if isinstance(each.before, list) else [each.before]
        names = ",".join(str(name) for name in before if name)
        back = f"groundwire setup --{role} {names}" if names else ""
        done.append(
            {
                "what": each.setting,
                "now": each.now,
                "before": each.before,
                "where": str(each.path),
                "undo": back or f"delete the line {each.setting} there",
                "hidden_by": each.hidden_by,
            }
        )
    return done


def _keep(name: str, key: Secret, keys: Keys) -> _Done:
    from groundwire import registry

    variable = registry.get(name).key_variable or ""
    source = keys.save(variable, key)
    found = keys.find(variable)
    return {
        "what": variable,
        "now": "saved",
        "before": None,
        "where": f"the {source}",
        "undo": f"groundwire keys remove {name}",
        "hidden_by": found.detail if found and found.source is not source else "",
    }


def _say(changed: list[_Done]) -> None:
    if not changed:
        click.echo("nothing was changed; see `groundwire setup --help`")
    for each in changed:
        now = ", ".join(each["now"]) if isinstance(each["now"], list) else each["now"]
        click.echo(f"{each['what']}: {now}, in {each['where']}")
        click.echo(f"    to undo: {each['undo']}")
        if each["hidden_by"]:
            click.echo(f"    note: {each['hidden_by']} comes first and is what will be used")


def _given_key(file: Path | None, *, from_stdin: bool) -> Secret | None:
    from groundwire.errors import KeyStoreError
    from groundwire.model import Secret

    if file is None and not from_stdin:
        return None
    text = file.read_text(encoding="utf-8-sig", errors="replace") if file else sys.stdin.readline()
    if not text.strip():
        raise KeyStoreError(f"{file or 'standard input'} holds no key")
    return Secret(text.strip())
