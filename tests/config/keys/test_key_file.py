"""The file of keys: its owner's alone, and never half written."""

from __future__ import annotations

import json
import multiprocessing
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from groundwire.config.keys import Keys
from groundwire.errors import KeyStoreError
from groundwire.model import Secret
from tests.config.keys.keyrings import WorkingKeyring, use
from tests.config.keys.machine import CANARY, VARIABLE, MakeKeys, posix_only, saved, write_keys
from tests.patience import PATIENCE


@posix_only
def test_the_file_is_its_owners_alone(make: MakeKeys, file: Path) -> None:
    make().save(VARIABLE, Secret(CANARY))

    modes = {
        path.name: oct(stat.S_IMODE(path.stat().st_mode))
        for path in (file.parent, *file.parent.iterdir())
    }

    assert modes == {"home": "0o700", "keys.json": "0o600", "keys.json.lock": "0o600"}


@posix_only
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_file_that_others_can_read_is_refused(make: MakeKeys, file: Path, mode: int) -> None:
    write_keys(file, json.dumps({VARIABLE: CANARY}))
    file.chmod(mode)

    with pytest.raises(KeyStoreError) as caught:
        make().find(VARIABLE)

    assert str(caught.value) == (
        f"{file} is open to others (mode {mode:o}): run `chmod 600 {file}`"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'{{"{VARIABLE}": "{CANARY}",\n', " (at line 2)"),
        (f'["{CANARY}"]', ""),
        (f'{{"{VARIABLE}": ["{CANARY}"]}}', ""),
    ],
)
def test_a_file_that_is_not_ours_is_neither_used_nor_overwritten(
    make: MakeKeys, file: Path, text: str, place: str
) -> None:
    write_keys(file, text)
    use(WorkingKeyring())

    with pytest.raises(KeyStoreError) as caught:
        make().save("EXA_API_KEY", Secret(CANARY))

    assert str(caught.value) == f"{file} is not a file of keys{place}: correct it or delete it"
    assert file.read_text() == text


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "file" / "keys.json")

    with pytest.raises(KeyStoreError, match=r"keys\.json cannot be read: Not a directory"):
        keys.save(VARIABLE, Secret(CANARY))


@posix_only
def test_a_link_to_the_file_stays_a_link(make: MakeKeys, file: Path) -> None:
    target = file.parent.parent / "real.json"
    write_keys(target, "{}")
    file.parent.mkdir()
    file.symlink_to(target)

    make().save(VARIABLE, Secret(CANARY))

    assert file.is_symlink()
    assert saved(target) == {VARIABLE: CANARY}


def save_together(file: Path, barrier: Barrier, name: str) -> None:
    keys = Keys(environment={}, dotenv=file.parent / ".env", file=file)
    barrier.wait(timeout=PATIENCE)
    for number in range(20):
        keys.save(f"{name}_{number}", Secret(f"key-{name}-{number}"))


@posix_only
def test_processes_that_save_at_the_same_time_lose_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    file = tmp_path / "keys.json"
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    processes = [
        context.Process(target=save_together, args=(file, barrier, name)) for name in "ABC"
    ]

    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=PATIENCE)

    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert saved(file) == {
        f"{name}_{number}": f"key-{name}-{number}" for name in "ABC" for number in range(20)
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "keys.json.lock"]
