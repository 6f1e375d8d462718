"""The system's keyring: used if it keeps what it is given, else left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend

from groundwire.config.keys import FoundKey, KeySource
from groundwire.errors import KeyStoreError
from groundwire.model import Secret
from tests.config.keys.keyrings import (
    AlteringKeyring,
    BrokenKeyring,
    ChainedKeyring,
    ClingingKeyring,
    ForgetfulKeyring,
    LockedKeyring,
    NoKeyring,
    ReadOnlyKeyring,
    SwitchedOffKeyring,
    WeakKeyring,
    WorkingKeyring,
    use,
)
from tests.config.keys.machine import CANARY, VARIABLE, MakeKeys, saved, write_keys


def test_a_working_keyring_keeps_a_key(make: MakeKeys, file: Path) -> None:
    backend = WorkingKeyring()
    use(backend)
    keys = make()

    source = keys.save(VARIABLE, Secret(f" {CANARY}\n"))

    assert source == KeySource.KEYRING
    assert backend.kept == {("groundwire", VARIABLE): CANARY}
    assert keys.keyring_problem() is None
    assert not file.exists()


@pytest.mark.parametrize(
    ("backend", "problem"),
    [
        (NoKeyring(), "this machine has no keyring"),
        (SwitchedOffKeyring(), "the keyring is switched off"),
        (WeakKeyring(), "keyrings WeakKeyring does not protect what it keeps"),
        (ChainedKeyring(), "this machine has no keyring"),
        (ForgetfulKeyring(), "keyrings ForgetfulKeyring does not give back what it was given"),
        (AlteringKeyring(), "keyrings AlteringKeyring does not give back what it was given"),
        (ReadOnlyKeyring(), "keyrings ReadOnlyKeyring failed (PasswordSetError)"),
        (LockedKeyring(), "keyrings LockedKeyring failed (KeyringLocked)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, KeyringBackend) else "",
)
def test_without_a_keyring_that_keeps_it_a_key_goes_to_the_file(
    make: MakeKeys, file: Path, backend: KeyringBackend, problem: str
) -> None:
    use(backend)
    keys = make()

    source = keys.save(VARIABLE, Secret(CANARY))

    assert source == KeySource.FILE
    assert keys.keyring_problem() == problem
    assert saved(file) == {VARIABLE: CANARY}
    assert make().find(VARIABLE) == FoundKey(
        key=Secret(CANARY), source=KeySource.FILE, detail=str(file)
    )


def test_a_keyring_that_cannot_be_replaced_may_not_hide_the_new_key(
    make: MakeKeys, file: Path
) -> None:
    use(ClingingKeyring())

    with pytest.raises(KeyStoreError, match="was not saved: the keyring holds on to another one"):
        make().save(VARIABLE, Secret(CANARY))

    assert not file.exists()


def test_an_older_key_in_a_keyring_that_takes_no_new_one_is_removed(
    make: MakeKeys,
) -> None:
    backend = ReadOnlyKeyring()
    backend.kept["groundwire", VARIABLE] = "older"
    use(backend)

    source = make().save(VARIABLE, Secret(CANARY))

    assert (source, backend.kept) == (KeySource.FILE, {})


def test_of_a_chain_only_a_protected_link_is_used(make: MakeKeys) -> None:
    weak, strong = WeakKeyring(), WorkingKeyring()
    use(ChainedKeyring(weak, strong))

    source = make().save(VARIABLE, Secret(CANARY))

    assert source == KeySource.KEYRING
    assert (weak.kept, strong.kept) == ({}, {("groundwire", VARIABLE): CANARY})


def test_a_chain_of_weak_links_is_not_used(make: MakeKeys) -> None:
    use(ChainedKeyring(WeakKeyring()))

    assert make().keyring_problem() == "keyrings WeakKeyring does not protect what it keeps"


def test_a_keyring_that_cannot_be_judged_is_not_used(make: MakeKeys) -> None:
    use(BrokenKeyring())

    assert make().keyring_problem() == "the keyring cannot be used: no message bus"


def test_a_locked_keyring_is_asked_once(make: MakeKeys) -> None:
    backend = LockedKeyring()
    use(backend)
    keys = make()

    found = [keys.find(variable) for variable in (VARIABLE, "EXA_API_KEY", "BRAVE_API_KEY")]

    assert (found, backend.asked) == ([None, None, None], 1)


def test_a_keyring_that_does_not_let_go_is_no_silent_success(make: MakeKeys, file: Path) -> None:
    clinging = ClingingKeyring()
    clinging.kept["groundwire", VARIABLE] = CANARY
    write_keys(file, json.dumps({VARIABLE: CANARY}))
    messages = []

    for backend in (clinging, LockedKeyring()):
        use(backend)
        with pytest.raises(KeyStoreError) as caught:
            make().remove(VARIABLE)
        messages.append(str(caught.value))

    assert messages == [
        (
            "TAVILY_API_KEY may still be in the keyring: "
            "keyrings ClingingKeyring does not let go of it"
        ),
        (
            "TAVILY_API_KEY may still be in the keyring: "
            "keyrings LockedKeyring failed (KeyringLocked)"
        ),
    ]
    assert saved(file) == {}
