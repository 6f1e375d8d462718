"""The operating system's keyring, used only if it protects and gives back what it is given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from groundwire.errors import KeyStoreError
from groundwire.model import Secret

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "groundwire"
"""The name under which the keyring has our keys; the user name is the variable."""

_Value = TypeVar("_Value")


class SystemKeyring:
    """The system's keyring; `problem` says why it is not used, `name` is "" if none may be."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.name = ""
        self._backend: KeyringBackend | None = None

    def get(self, variable: str) -> str | None:
        """Return what the keyring has, None if nothing or if it cannot be used."""
        if not self._is_open():
            return None
        value, self.problem = self._try(lambda backend: backend.get_password(SERVICE, variable))
        return value

    def keeps(self, variable: str, key: Secret) -> bool:
        """Say whether the keyring took a key and gives the same one back."""
        if not self._is_open():
            return False
        text = key.reveal()
        _, self.problem = self._try(lambda backend: backend.set_password(SERVICE, variable, text))
        if self.get(variable) == text:
            return True
        self.problem = self.problem or f"{self.name} does not give back what it was given"
        # What it holds instead would win over the key that now goes to the file.
        if self._has(variable) and not self._is_deleted(variable):
            raise KeyStoreError(
                f"{variable} was not saved: the keyring holds on to another one ({self.problem})"
            )
        return False

    def forget(self, variable: str) -> bool:
        """Remove a key and say whether there was one."""
        is_held = bool(self.get(variable))
        # A keyring without a name is one that we never use, so it has nothing of ours.
        if not self.name or (self.problem is None and not is_held):
            return False
        if self.problem is None and self._is_deleted(variable):
            return True
        reason = self.problem or f"{self.name} does not let go of it"
        raise KeyStoreError(f"{variable} may still be in the keyring: {reason}")

    def _has(self, variable: str) -> bool:
        # Asks even when there was a problem: a keyring may refuse to write and still read.
        return bool(self._try(lambda backend: backend.get_password(SERVICE, variable))[0])

    def _is_deleted(self, variable: str) -> bool:
        self._try(lambda backend: backend.delete_password(SERVICE, variable))
        return not self._has(variable)

    def _is_open(self) -> bool:
        if self._backend is None and self.problem is None:
            try:
                self._backend, self.problem = _usable_backend()
            except _failures() as error:
                # The message holds no key: none was written or read yet.
                self.problem = f"the keyring cannot be used: {error}"
            self.name = type(self._backend).name if self._backend else ""
        return self.problem is None

    def _try(
        self, question: Callable[[KeyringBackend], _Value]
    ) -> tuple[_Value | None, str | None]:
        """Return the answer, or why there is none."""
        if self._backend is None:
            return None, self.problem
        try:
            return question(self._backend), None
        except _failures() as error:
            # Only the kind of error: its words may repeat the key.
            return None, f"{self.name} failed ({type(error).__name__})"


def _usable_backend() -> tuple[KeyringBackend | None, str | None]:
    """Return the keyring that may hold keys, or why none may."""
    import keyring  # noqa: PLC0415 - slow to load, often not needed
    from keyring.backends import chainer, null  # noqa: PLC0415 - as above

    chosen = keyring.get_keyring()
    if isinstance(chosen, null.Keyring):
        return None, "the keyring is switched off"
    # A chain would pass a key on to the next of its links, protected or not.
    links = chosen.backends if isinstance(chosen, chainer.ChainerBackend) else [chosen]
    for backend in links:
        # The library recommends a backend from 1 on; those in plain text are below.
        if type(backend).priority >= 1:
            return backend, None
    weak = [type(backend).name for backend in links if type(backend).priority > 0]
    if weak:
        return None, f"{weak[0]} does not protect what it keeps"
    return None, "this machine has no keyring"


_FOREIGN_ERRORS = (
    ("keyring.errors", "KeyringError"),
    ("configparser", "Error"),
    ("secretstorage.exceptions", "SecretStorageException"),
    ("jeepney.wrappers", "DBusErrorResponse"),
    ("dbus.exceptions", "DBusException"),
    ("pywintypes", "error"),
)


def _failures() -> tuple[type[Exception], ...]:
    """Return what keyrings raise; an error that is not loaded cannot have been raised."""
    foreign = [getattr(sys.modules.get(module), name, None) for module, name in _FOREIGN_ERRORS]
    own = (OSError, RuntimeError, ImportError, AttributeError, LookupError, TypeError, ValueError)
    return (*own, EOFError, *(error for error in foreign if error is not None))
