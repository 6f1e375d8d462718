"""What a password costs whoever guesses, and whoever looks for nobody."""

from __future__ import annotations

import base64
import runpy
from pathlib import Path

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from groundwire.web import passwords

FILE = Path(passwords.__file__)


def _as_installed() -> PasswordHasher:
    """Return the hasher of the program, in the place of which tests have a cheaper one."""
    hasher = runpy.run_path(str(FILE))["_HASHER"]
    assert isinstance(hasher, PasswordHasher)
    return hasher


def test_a_guess_costs_at_least_what_argon2_recommends() -> None:
    hasher = _as_installed()

    # RFC 9106, the second recommended option: for where memory is short.
    assert (hasher.time_cost, hasher.parallelism) == (3, 4)
    assert hasher.memory_cost >= 64 * 1024


async def test_the_right_password_is_right_and_no_other() -> None:
    kept = await passwords.hash_password("correct horse")

    for is_known in (False, True):
        found = [
            await passwords.is_right(each, kept, is_known=is_known)
            for each in ("correct horse", "wrong", "")
        ]
        assert found == [True, False, False]


async def test_nobody_has_any_password() -> None:
    assert not await passwords.is_right("", "", is_known=False)
    assert not await passwords.is_right("correct horse", "", is_known=False)
    assert not await passwords.is_right("correct horse", "no hash at all", is_known=False)


def test_to_look_for_nobody_is_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = _as_installed()
    monkeypatch.setattr(passwords, "_HASHER", hasher)

    nobody = passwords._nobodys_hash()

    assert extract_parameters(nobody) == extract_parameters(hasher.hash("correct horse"))
    assert passwords._nobodys_hash() != nobody
    # A mismatch and no bad hash: it was computed to the end and compared.
    with pytest.raises(VerifyMismatchError):
        hasher.verify(nobody, "correct horse")


def test_a_secret_has_256_bits_and_is_never_the_same() -> None:
    secrets = {passwords.new_secret() for _ in range(20)}

    assert {len(base64.urlsafe_b64decode(f"{each}=")) for each in secrets} == {32}
    assert len(secrets) == 20
