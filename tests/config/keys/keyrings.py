"""Keyrings that behave in all the ways that keyrings do."""

from __future__ import annotations

import keyring
from keyring.backend import KeyringBackend
from keyring.backends import chainer, fail, null
from keyring.compat.properties import classproperty
from keyring.errors import KeyringLocked, PasswordDeleteError, PasswordSetError

from tests.config.keys.machine import VARIABLE


class WorkingKeyring(KeyringBackend):
    """Keeps what it is given, in memory."""

    priority: float = 5
    viable = False  # Never chosen by the library itself, whatever else runs in this process.

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("there is none")


class ForgetfulKeyring(WorkingKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        self.kept.clear()
        return super().get_password(service, username)


class AlteringKeyring(WorkingKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        super().set_password(service, username, password[:4])


class ClingingKeyring(AlteringKeyring):
    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError(f"{self.kept[service, username]} stays")


class ReadOnlyKeyring(WorkingKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError(f"cannot write {service}, {username}, {password}")


class LockedKeyring(WorkingKeyring):
    asked = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        raise KeyringLocked(f"{self.kept.get((service, username))} is locked away")


class WeakKeyring(WorkingKeyring):
    priority = 0.5


class BrokenKeyring(WorkingKeyring):
    @classproperty
    def priority(self) -> float:
        raise RuntimeError("no message bus")


class ChainedKeyring(chainer.ChainerBackend):
    viable = False

    def __init__(self, *links: KeyringBackend) -> None:
        self.links = links

    @property
    def backends(self) -> list[KeyringBackend]:
        return list(self.links)


class NoKeyring(fail.Keyring):
    def __init__(self) -> None:
        pass


class SwitchedOffKeyring(null.Keyring):
    def __init__(self) -> None:
        pass


def use(backend: KeyringBackend) -> None:
    keyring.set_keyring(backend)


def holding(key: str) -> WorkingKeyring:
    backend = WorkingKeyring()
    backend.set_password("groundwire", VARIABLE, key)
    return backend
