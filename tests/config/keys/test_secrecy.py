"""Whatever fails around a key, nothing shows it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend

from groundwire.errors import KeyStoreError
from groundwire.model import Secret
from tests.config.keys.keyrings import (
    AlteringKeyring,
    ClingingKeyring,
    ForgetfulKeyring,
    ReadOnlyKeyring,
    holding,
    use,
)
from tests.config.keys.machine import CANARY, VARIABLE, MakeKeys, write_keys


def break_variable(make: MakeKeys, _: Path) -> None:
    make(**{VARIABLE: f"{CANARY} {CANARY}"}).find(VARIABLE)


def break_named_file(make: MakeKeys, directory: Path) -> None:
    (directory / "secret").write_bytes(CANARY.encode() + b"\xff")
    make(**{f"{VARIABLE}_FILE": str(directory / "secret")}).find(VARIABLE)


def break_dotenv(make: MakeKeys, directory: Path) -> None:
    (directory / ".env").write_text(f'{VARIABLE}="{CANARY} {CANARY}"\n{CANARY} {CANARY}\n')
    make().find(VARIABLE)


def break_dotenv_encoding(make: MakeKeys, directory: Path) -> None:
    (directory / ".env").write_bytes(f"{VARIABLE}={CANARY}\xff".encode("latin-1"))
    make().find(VARIABLE)


def break_keyring(make: MakeKeys, _: Path) -> None:
    use(holding(f"{CANARY} {CANARY}"))
    make().find(VARIABLE)


def break_file(make: MakeKeys, directory: Path) -> None:
    write_keys(directory / "home" / "keys.json", f'{{"{VARIABLE}": "{CANARY}')
    make().find(VARIABLE)


def break_file_encoding(make: MakeKeys, directory: Path) -> None:
    write_keys(directory / "home" / "keys.json", "")
    (directory / "home" / "keys.json").write_bytes(CANARY.encode() + b"\xff")
    make().find(VARIABLE)


def break_new_key(make: MakeKeys, _: Path) -> None:
    make().save(VARIABLE, Secret(f"{CANARY} {CANARY}"))


def break_saving(make: MakeKeys, _: Path) -> None:
    use(ClingingKeyring())
    make().save(VARIABLE, Secret(CANARY))


def break_writing(make: MakeKeys, directory: Path) -> None:
    (directory / "home" / "keys.json.lock").mkdir(parents=True)
    make().save(VARIABLE, Secret(CANARY))


def break_removing(make: MakeKeys, _: Path) -> None:
    backend = ClingingKeyring()
    backend.kept["groundwire", VARIABLE] = CANARY
    use(backend)
    make().remove(VARIABLE)


@pytest.mark.parametrize(
    "fault",
    [
        break_variable,
        break_named_file,
        break_dotenv,
        break_dotenv_encoding,
        break_keyring,
        break_file,
        break_file_encoding,
        break_new_key,
        break_saving,
        break_writing,
        break_removing,
    ],
)
def test_no_failure_shows_a_key(
    make: MakeKeys,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    fault: Callable[[MakeKeys, Path], None],
) -> None:
    caplog.set_level(logging.DEBUG)

    with pytest.raises(KeyStoreError) as caught:
        fault(make, tmp_path)

    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert CANARY[:4] not in shown


def test_what_is_found_does_not_show_its_key(make: MakeKeys) -> None:
    keys = make(**{VARIABLE: CANARY})

    assert CANARY not in repr(keys.find(VARIABLE)) + repr(keys) + str(keys)


@pytest.mark.parametrize("backend", [ForgetfulKeyring(), AlteringKeyring(), ReadOnlyKeyring()])
def test_a_keyring_problem_does_not_show_a_key(
    make: MakeKeys, caplog: pytest.LogCaptureFixture, backend: KeyringBackend
) -> None:
    caplog.set_level(logging.DEBUG)
    use(backend)
    keys = make()
    keys.save(VARIABLE, Secret(CANARY))

    problem = keys.keyring_problem()

    assert problem is not None
    assert CANARY[:4] not in problem + caplog.text
