"""A file of keys in plain JSON that only its owner can read, for machines without a keyring."""

from __future__ import annotations

import json
import os
import shlex
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundwire.errors import KeyStoreError
from groundwire.model import Secret
from groundwire.system.files import private_folder, replace_file

if sys.platform != "win32":
    import fcntl


class KeyFile:
    """A JSON file of variables and keys that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # Replacing a symbolic link would cut it.

    def read(self) -> dict[str, str]:
        """Return what the file has; nothing if there is none."""
        try:
            with self.path.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                content = file.read()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise KeyStoreError(f"{self.path} cannot be read: {error.strerror}") from error
        if os.name == "posix" and mode & 0o077:
            command = f"chmod 600 {shlex.quote(str(self.path))}"
            raise KeyStoreError(f"{self.path} is open to others (mode {mode:o}): run `{command}`")
        return self._parsed(content)

    def change(self, variable: str, key: Secret | None) -> None:
        """Set one key, or remove it, and leave the others as they are."""
        if key is None and variable not in self.read():
            return
        try:
            private_folder(self.path.parent)
            with self._lock():
                keys = {name: old for name, old in self.read().items() if name != variable}
                keys |= {variable: key.reveal()} if key else {}
                replace_file(self.path, json.dumps(keys, indent=2, sort_keys=True) + "\n")
        except OSError as error:
            raise KeyStoreError(f"{self.path} cannot be written: {error.strerror}") from error

    def _parsed(self, content: bytes) -> dict[str, str]:
        place = ""
        try:
            keys = json.loads(content)
        except json.JSONDecodeError as error:
            place, keys = f" (at line {error.lineno})", None
        except (ValueError, RecursionError):
            keys = None
        if isinstance(keys, dict) and all(isinstance(key, str) for key in keys.values()):
            return keys
        raise KeyStoreError(f"{self.path} is not a file of keys{place}: correct it or delete it")

    @contextmanager
    def _lock(self) -> Iterator[None]:
        # A file of its own, never deleted: the file of keys is replaced, and a lock on it too.
        descriptor = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform != "win32":
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
