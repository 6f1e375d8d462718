"""What a person wants of `groundwire setup`: asked for, tried, and not written yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import print_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.doctor import Diagnosis
    from groundwire.extension import ProviderNeeds
    from groundwire.model import Secret

NO_KEY_HERE = (
    "a key is never an argument: other users can see it in the list of processes, and the shell "
    "keeps it. Leave it out and type it when asked, or hand it over with --key-stdin or --key-file"
)
ROLES = ("search", "read")
_LONGEST_NAME = 20


@dataclass(kw_only=True)
class SetupPlan:
    """What a person wants, gathered before anything is written."""

    keys: dict[str, Secret] = field(default_factory=dict)
    chosen: dict[str, list[str]] = field(default_factory=dict)
    tests: list[Diagnosis] = field(default_factory=list)
    has_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a person is asked, and how keys come in."""

    key: Secret | None
    is_asked: bool
    is_tested: bool
    says_yes: bool
    is_shown: bool


class Asking:
    """Makes a plan out of options and answers; `test` tries a key.

    Nothing here is awaited: a loop would keep Ctrl-C from a question that waits for its answer.
    """

    def __init__(
        self, test: Callable[[str, Secret], Diagnosis], settings: Settings, keys: Keys, how: How
    ) -> None:
        self._test = test
        self._settings = settings
        self._keys = keys
        self._how = how
        self._plan = SetupPlan()

    def plan(self, provider: str | None, wanted: dict[str, list[str]]) -> SetupPlan:
        """Return what to do; nothing has been written yet."""
        self._plan.chosen |= wanted
        if provider is not None:
            self._one(provider, is_told=bool(wanted))
        elif not wanted and self._how.is_shown:
            self._show()
            for role in ROLES if self._how.is_asked else ():
                self._plan.chosen[role] = self._choose(role)
        if self._how.is_asked:
            named = dict.fromkeys(name for names in self._plan.chosen.values() for name in names)
            for name in named:
                self._missing_key(name)
        return self._plan

    def _one(self, name: str, *, is_told: bool) -> None:
        from groundwire.extension import key_variable_of, needs_of

        known = needs_of(name, self._keys)
        if self._how.key is not None:
            key_variable_of(name)  # Raises for a provider that takes no key.
            self._take(name, self._how.key)
        elif self._how.is_asked and known.key_variable:
            self._ask_key(name)
        elif known.key == "required" and not known.key_source:
            raise click.UsageError(f"{name} needs a key: give --key-stdin or --key-file")
        if is_told or self._plan.has_failed:
            return
        for role in ROLES:
            if role in known.roles and self._is_first(name, role):
                before = [each for each in _current(self._settings, role) if each != name]
                self._plan.chosen[role] = [name, *before]

    def _is_first(self, name: str, role: str) -> bool:
        if _current(self._settings, role)[:1] == [name]:
            return False
        words = {"search": "search", "read": "read pages"}[role]
        if not self._how.is_asked:
            return self._how.says_yes
        return click.confirm(f"Use {name} first to {words}?", default=True, err=True)

    def _show(self) -> None:
        rows = [
            (
                each.name,
                ", ".join(role for role in each.roles if role in ROLES),
                f"from {each.key_source}" if each.key_source else each.key,
                each.key_url or "-",
                each.about,
            )
            for each in searchers_and_readers(self._keys)
        ]
        rows.append(("local", "read", "none", "-", "Our own reader, which opens pages itself."))
        print_table(sorted(rows), ("NAME", "CAN", "KEY", "KEYS ARE AT", "ABOUT"))

    def _choose(self, role: str) -> list[str]:
        from groundwire.errors import ConfigError

        question = {"search": "Search with", "read": "Read pages with"}[role]
        now = ",".join(_current(self._settings, role))
        while True:
            text = click.prompt(f"{question} (names, the best first)", default=now, err=True)
            try:
                return checked_names(text.split(","), role)
            except ConfigError as error:
                click.echo(str(error), err=True)

    def _missing_key(self, name: str) -> None:
        from groundwire.extension import needs_of

        if name == "local" or name in self._plan.keys:
            return
        known = needs_of(name, self._keys)
        if known.key in ("required", "optional") and not known.key_source:
            self._ask_key(name)

    def _ask_key(self, name: str) -> None:
        from groundwire.extension import needs_of
        from groundwire.model import Secret

        known = needs_of(name, self._keys)
        click.echo(f"{known.title}: keys are at {known.key_url}", err=True)
        question = f"{known.key_variable} (not shown; empty to leave it)"
        text = click.prompt(question, default="", hide_input=True, show_default=False, err=True)
        if text.strip():
            self._take(name, Secret(text.strip()))

    def _take(self, name: str, key: Secret) -> None:
        """Try a key, and keep it in the plan if it works or its owner wants it all the same."""
        if self._how.is_tested:
            test = self._test(name, key)
            self._plan.tests.append(test)
            state = "works" if test.works else "does not work"
            click.echo(f"{name} {state}: tried {test.tried}: {test.found}", err=True)
            if not test.works:
                click.echo(f"    {test.fix}", err=True)
                asked = self._how.is_asked
                if not asked or not click.confirm("Keep the key anyway?", default=False, err=True):
                    click.echo("the key was not saved; --no-test keeps it untried", err=True)
                    self._plan.has_failed = True
                    return
        self._plan.keys[name] = key


def searchers_and_readers(keys: Keys) -> list[ProviderNeeds]:
    """Return whom a person can choose among."""
    from groundwire import registry
    from groundwire.extension import needs_of

    known = [needs_of(name, keys) for name in registry.usable()]
    return [each for each in known if set(each.roles) & set(ROLES)]


def _current(settings: Settings, role: str) -> list[str]:
    from groundwire.config.settings.chains import named

    return [*named(settings.search_provider if role == "search" else settings.read_provider)]


def checked_names(names: list[str], role: str) -> list[str]:
    """Return the names of a chain, once each; all of them must be there and able."""
    from groundwire.doctor import check_role
    from groundwire.errors import ConfigError

    found = [*dict.fromkeys(name.strip() for name in names if name.strip())]
    if not found:
        raise ConfigError(f"no provider is named to {role}: choose one of `groundwire providers`")
    for name in found:
        refuse_key_as_name(name)
        check_role(name, role)
    return found


def refuse_key_as_name(name: str | None) -> None:
    """Refuse a key in the place of a name without repeating it: errors are kept in logs."""
    from groundwire import registry

    if name and len(name) > _LONGEST_NAME and name not in (*registry.names(), "local"):
        raise click.UsageError(NO_KEY_HERE)
