"""What a password costs whoever guesses, and whoever looks for nobody."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import importlib
import runpy
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from groundwire.web import passwords
from tests.patience import PATIENCE

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


class Waiting:
    """Hashes nothing until it is told to."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def verify(self, kept: str, password: str) -> None:
        del kept, password
        assert self.go.wait(PATIENCE)

    def hash(self, password: str) -> str:
        assert self.go.wait(PATIENCE)
        return password


class CountingExecutor(ThreadPoolExecutor):
    """Counts what it is given to do."""

    given = 0

    def submit(self, *given: Any, **named: Any) -> Any:
        self.given += 1
        return super().submit(*given, **named)


@pytest.mark.parametrize(
    ("known", "others", "hashed", "at_once"),
    [(0, 6, 0, 3), (4, 0, 0, 1), (4, 6, 6, 4), (0, 2, 6, 3)],
)
async def test_three_passwords_are_looked_at_at_once_and_one_of_a_known_browser(
    known: int, others: int, hashed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A module of its own: who queues binds the queue to the loop of this test.
    monkeypatch.setattr("groundwire.web.passwords", passwords)
    monkeypatch.delitem(sys.modules, passwords.__name__)
    own: Any = importlib.import_module(passwords.__name__)
    own._HASHER = waiting = Waiting()
    with CountingExecutor(max_workers=20) as executor:
        asyncio.get_running_loop().set_default_executor(executor)
        asked = [
            *(own.is_right("x", "kept", is_known=True) for _ in range(known)),
            *(own.is_right("x", "kept", is_known=False) for _ in range(others)),
            *(own.hash_password("x") for _ in range(hashed)),
        ]
        tasks = [asyncio.create_task(each) for each in asked]
        for _ in range(10):
            await asyncio.sleep(0)
        given = executor.given
        waiting.go.set()
        found = await asyncio.gather(*tasks)

    assert given == at_once
    assert found == [True] * (known + others) + ["x"] * hashed


def test_a_token_is_known_by_how_it_begins_and_only_its_hash_is_kept() -> None:
    token = passwords.new_token()

    assert token.startswith("gw_")
    assert len(token) == len("gw_") + 43
    assert passwords.hash_of("abc") == hashlib.sha256(b"abc").hexdigest()
