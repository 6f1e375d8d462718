"""Where keys are looked for, in which order, and where they are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.config.keys import FoundKey, Keys, KeySource
from groundwire.errors import KeyStoreError
from groundwire.model import Secret
from tests.config.keys.keyrings import WorkingKeyring, holding, use
from tests.config.keys.machine import CANARY, VARIABLE, MakeKeys, saved, write_keys


def test_a_key_that_is_nowhere_is_not_found(make: MakeKeys) -> None:
    assert make().find(VARIABLE) is None


def test_the_first_place_that_has_a_key_wins(make: MakeKeys, tmp_path: Path, file: Path) -> None:
    key_file = tmp_path / "secret"
    key_file.write_text("from-named-file\n")
    (tmp_path / ".env").write_text(f"{VARIABLE}=from-dotenv\n")
    use(holding("from-keyring"))
    write_keys(file, json.dumps({VARIABLE: "from-file"}))
    variables = {VARIABLE: "from-variable", f"{VARIABLE}_FILE": str(key_file)}

    found = [make(**variables).find(VARIABLE)]
    del variables[VARIABLE]
    found.append(make(**variables).find(VARIABLE))
    found.append(make().find(VARIABLE))
    (tmp_path / ".env").unlink()
    found.append(make().find(VARIABLE))
    use(WorkingKeyring())
    found.append(make().find(VARIABLE))

    assert found == [
        FoundKey(
            key=Secret("from-variable"), source=KeySource.ENVIRONMENT, detail="TAVILY_API_KEY"
        ),
        FoundKey(
            key=Secret("from-named-file"),
            source=KeySource.ENVIRONMENT,
            detail=f"TAVILY_API_KEY_FILE ({key_file})",
        ),
        FoundKey(key=Secret("from-dotenv"), source=KeySource.DOTENV, detail=str(tmp_path / ".env")),
        FoundKey(
            key=Secret("from-keyring"), source=KeySource.KEYRING, detail="keyrings WorkingKeyring"
        ),
        FoundKey(key=Secret("from-file"), source=KeySource.FILE, detail=str(file)),
    ]


def test_an_empty_variable_counts_as_not_set(make: MakeKeys, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"{VARIABLE}=\n")
    use(holding(CANARY))

    found = make(**{VARIABLE: " ", f"{VARIABLE}_FILE": ""}).find(VARIABLE)

    assert found is not None
    assert found.source == KeySource.KEYRING


def test_space_around_a_key_is_no_part_of_it(make: MakeKeys) -> None:
    found = make(**{VARIABLE: f" {CANARY}\r\n"}).find(VARIABLE)

    assert found is not None
    assert found.key == Secret(CANARY)


def test_a_dotenv_file_is_read_as_it_stands_and_exported_nowhere(
    make: MakeKeys, tmp_path: Path
) -> None:
    text = f'\ufeffexport {VARIABLE}="a${{HOME}}b"  # mine\nnot a line\n'
    (tmp_path / ".env").write_text(text, encoding="utf-8")

    found = make().find(VARIABLE)

    assert found is not None
    assert found.key == Secret("a${HOME}b")
    assert VARIABLE not in os.environ


def test_by_default_the_machine_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    monkeypatch.setenv("EXA_API_KEY", "from-variable")
    (tmp_path / ".env").write_text("BRAVE_API_KEY=from-dotenv\n")
    write_keys(tmp_path / "keys.json", json.dumps({VARIABLE: "from-file"}))
    keys = Keys()

    found = [keys.find(variable) for variable in ("EXA_API_KEY", "BRAVE_API_KEY", VARIABLE)]

    assert [each and each.source for each in found] == [
        KeySource.ENVIRONMENT,
        KeySource.DOTENV,
        KeySource.FILE,
    ]


def test_a_dotenv_file_in_another_encoding_is_an_error(make: MakeKeys, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"{VARIABLE}={CANARY}\n", encoding="utf-16")

    with pytest.raises(KeyStoreError, match=r"\.env is not UTF-8 text$"):
        make().find(VARIABLE)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\n", "is empty"),
        (CANARY.encode() + b"\xff", "is not UTF-8 text"),
        (CANARY.encode() * 5000, "is too large to be a key"),
        (
            f"{CANARY}\n{CANARY}\n".encode(),
            "is not a key: it has a space, a line end or a special character inside",
        ),
    ],
    ids=["empty", "bytes", "large", "lines"],
)
def test_a_named_file_without_a_key_is_an_error(
    make: MakeKeys, tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)

    with pytest.raises(KeyStoreError) as caught:
        make(**{f"{VARIABLE}_FILE": str(path)}).find(VARIABLE)

    assert str(caught.value) == f"{VARIABLE}_FILE ({path}) {reason}"


def test_a_named_file_that_is_absent_is_an_error(make: MakeKeys, tmp_path: Path) -> None:
    path = tmp_path / "absent"

    with pytest.raises(KeyStoreError) as caught:
        make(**{f"{VARIABLE}_FILE": str(path)}).find(VARIABLE)

    assert str(caught.value) == (
        f"{VARIABLE}_FILE ({path}) cannot be read: No such file or directory"
    )


def test_saving_in_the_keyring_removes_an_older_copy_from_the_file(
    make: MakeKeys, file: Path
) -> None:
    write_keys(file, json.dumps({VARIABLE: "older", "EXA_API_KEY": "other"}))
    use(WorkingKeyring())

    make().save(VARIABLE, Secret(CANARY))

    assert saved(file) == {"EXA_API_KEY": "other"}


@pytest.mark.parametrize(
    "text",
    ["", " \n", f"{CANARY} x", f"{CANARY}\nx", f"{CANARY}\x00", f"“{CANARY}”", f"{CANARY}\u200b"],
)
def test_what_cannot_be_a_key_is_not_saved(make: MakeKeys, file: Path, text: str) -> None:
    backend = WorkingKeyring()
    use(backend)

    with pytest.raises(KeyStoreError, match=r"^the new TAVILY_API_KEY is (empty|not a key: .*)$"):
        make().save(VARIABLE, Secret(text))

    assert (backend.kept, file.exists()) == ({}, False)


def test_a_key_is_removed_from_wherever_it_was_saved(make: MakeKeys, file: Path) -> None:
    backend = holding(CANARY)
    use(backend)
    write_keys(file, json.dumps({VARIABLE: "older", "EXA_API_KEY": "other"}))

    removed = [make().remove(VARIABLE), make().remove(VARIABLE)]

    assert removed == [[KeySource.KEYRING, KeySource.FILE], []]
    assert (backend.kept, saved(file)) == ({}, {"EXA_API_KEY": "other"})


def test_a_removed_key_may_still_come_from_the_environment(make: MakeKeys) -> None:
    use(holding(CANARY))
    keys = make(**{VARIABLE: "from-variable"})

    removed = keys.remove(VARIABLE)
    left = keys.find(VARIABLE)

    assert removed == [KeySource.KEYRING]
    assert left is not None
    assert left.source == KeySource.ENVIRONMENT


def test_what_is_saved_is_known(make: MakeKeys, file: Path) -> None:
    use(holding(CANARY))
    write_keys(file, json.dumps({VARIABLE: CANARY, "EXA_API_KEY": CANARY}))

    known = make(BRAVE_API_KEY=CANARY).known([VARIABLE, "BRAVE_API_KEY"])

    assert known == {
        VARIABLE: [KeySource.KEYRING, KeySource.FILE],
        "EXA_API_KEY": [KeySource.FILE],
    }


def modules_after(script: str, home: Path) -> set[str]:
    finished = subprocess.run(
        [sys.executable, "-c", f"import sys\n{script}\nprint(*sys.modules)"],
        env={
            **os.environ,
            "GROUNDWIRE_HOME": str(home),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(finished.stdout.split())


def test_loading_the_module_loads_no_library(tmp_path: Path) -> None:
    loaded = modules_after("import groundwire.config.keys", tmp_path)

    heavy = {"keyring", "dotenv", "platformdirs", "pydantic", "pydantic_settings"}
    assert heavy & loaded == set()


def test_looking_everywhere_for_a_key_does_not_load_the_settings(tmp_path: Path) -> None:
    script = f"from groundwire.config.keys import Keys\nassert Keys().find('{VARIABLE}_X') is None"

    loaded = modules_after(script, tmp_path)

    assert {"groundwire.config.settings.schema", "pydantic", "pydantic_settings"} & loaded == set()
