"""The keys of one person on one machine, and the order of the places they are looked for in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from groundwire.config.keys.key_file import KeyFile
from groundwire.config.keys.system_keyring import SERVICE, SystemKeyring
from groundwire.config.settings.location import home
from groundwire.errors import KeyStoreError
from groundwire.model import Secret

_MOST_BYTES = 65_536  # No key comes near it; a wrong path such as /dev/zero never ends.


class KeySource(StrEnum):
    """Where a key is, in the order in which we look."""

    ENVIRONMENT = "environment"
    DOTENV = "dotenv"
    KEYRING = "keyring"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKey:
    """A key and where it was; `detail` names the variable, the file or the kind of keyring."""

    key: Secret
    source: KeySource
    detail: str


class Keys:
    """The keys of one person on one machine.

    A keyring that fails once is left alone by this object from then on, so that a person who
    dismisses a request to unlock it is not asked again for every provider.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] | None = None,
        dotenv: Path = Path(".env"),
        file: Path | None = None,
    ) -> None:
        self._environment = os.environ if environment is None else environment
        self._dotenv = dotenv
        self._chosen_file = file
        self._keyring = SystemKeyring()

    def find(self, variable: str) -> FoundKey | None:
        """Return the key of a variable from the first place that has it.

        Raises:
            KeyStoreError: A place that should have it cannot be read, or what it has is no key.
        """
        places = (self._in_environment, self._in_dotenv, self._in_keyring, self._in_file)
        return next((found for place in places if (found := place(variable))), None)

    def save(self, variable: str, key: Secret) -> KeySource:
        """Keep a key and return where, after it was read back.

        When the answer is FILE, `keyring_problem` says why. A key from the environment still
        wins over the saved one: `find` shows it.

        Raises:
            KeyStoreError: This is no key, or no place kept it.
        """
        key = _clean(key.reveal(), f"the new {variable}")
        self._file.read()  # A file that cannot be used is reported before anything changes.
        if self._keyring.keeps(variable, key):
            self._file.change(variable, None)  # Remove the older copy in plain text.
            return KeySource.KEYRING
        self._file.change(variable, key)
        if self._file.read().get(variable) != key.reveal():
            raise KeyStoreError(f"{self._file.path} did not keep {variable}; check the disk")
        return KeySource.FILE

    def remove(self, variable: str) -> list[KeySource]:
        """Forget a saved key and return where it was; empty if nowhere.

        Ask `find` afterwards: the environment or `.env` may still give one, and those are not
        ours to change.

        Raises:
            KeyStoreError: The keyring or the file has it and does not let go.
        """
        was_in_file = variable in self._file.read()
        self._file.change(variable, None)
        was_in_keyring = self._keyring.forget(variable)
        places = ((KeySource.KEYRING, was_in_keyring), (KeySource.FILE, was_in_file))
        return [source for source, was_there in places if was_there]

    def known(self, variables: Iterable[str] = ()) -> dict[str, list[KeySource]]:
        """Return what is saved and where: all of the file, and of the keyring what is named.

        No keyring can be asked for all that it holds, so the caller names the variables.
        """
        saved = {name: [KeySource.KEYRING] for name in variables if self._keyring.get(name)}
        for name in self._file.read():
            saved.setdefault(name, []).append(KeySource.FILE)
        return saved

    def keyring_problem(self) -> str | None:
        """Return why the system's keyring is not used, or None; a locked one may ask its owner."""
        self._keyring.get(SERVICE)
        return self._keyring.problem

    @cached_property
    def _file(self) -> KeyFile:
        return KeyFile(self._chosen_file or home(self._environment) / "keys.json")

    def _in_environment(self, variable: str) -> FoundKey | None:
        text = self._environment.get(variable)
        found = _found(variable, text, KeySource.ENVIRONMENT, variable)
        path = self._environment.get(f"{variable}_FILE")
        if found or not path:
            return found
        # An empty variable counts as not set; an empty file is an error.
        detail = f"{variable}_FILE ({path})"
        key = _clean(_read_text(Path(path), detail), detail)
        return FoundKey(key=key, source=KeySource.ENVIRONMENT, detail=detail)

    def _in_dotenv(self, variable: str) -> FoundKey | None:
        detail = str(self._dotenv.absolute())
        try:
            if not self._dotenv.exists():
                return None
            from dotenv import dotenv_values  # noqa: PLC0415 - only when there is a file

            # Not interpolated: a key with a $ in it is that key.
            values = dotenv_values(self._dotenv, interpolate=False, encoding="utf-8-sig")
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError:
            reason = "is not UTF-8 text"
        else:
            return _found(variable, values.get(variable), KeySource.DOTENV, detail)
        raise KeyStoreError(f"{detail} {reason}")

    def _in_keyring(self, variable: str) -> FoundKey | None:
        text = self._keyring.get(variable)
        return _found(variable, text, KeySource.KEYRING, self._keyring.name)

    def _in_file(self, variable: str) -> FoundKey | None:
        text = self._file.read().get(variable)
        return _found(variable, text, KeySource.FILE, str(self._file.path))


def _found(variable: str, text: str | None, source: KeySource, detail: str) -> FoundKey | None:
    if text is None or not text.strip():
        return None
    key = _clean(text, f"{variable} ({source}, {detail})")
    return FoundKey(key=key, source=source, detail=detail)


def _clean(text: str, where: str) -> Secret:
    """Return a key without the space around it that copying and files add."""
    key = text.strip()
    if not key:
        raise KeyStoreError(f"{where} is empty")
    # What else a clipboard holds (line ends, typographic quotes, zero-width spaces) breaks
    # the header that the key is sent in, far away from here.
    if not all("!" <= character <= "~" for character in key):
        raise KeyStoreError(
            f"{where} is not a key: it has a space, a line end or a special character inside"
        )
    return Secret(key)


def _read_text(path: Path, where: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) <= _MOST_BYTES:
            return content.decode("utf-8-sig")
        reason = "is too large to be a key"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        reason = "is not UTF-8 text"
    raise KeyStoreError(f"{where} {reason}")
