"""Keys on a machine of their own, for every test here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from groundwire.config.keys import Keys
from tests.config.keys.keyrings import NoKeyring
from tests.config.keys.machine import MakeKeys


@pytest.fixture(autouse=True)
def _keyring_is_restored() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "keys.json"


@pytest.fixture
def make(tmp_path: Path, file: Path) -> MakeKeys:
    def make_keys(**environment: str) -> Keys:
        return Keys(environment=environment, dotenv=tmp_path / ".env", file=file)

    return make_keys
