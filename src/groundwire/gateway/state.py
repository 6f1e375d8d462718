"""What we put into a client's hands and want back unchanged: small, signed, for us alone to read.

A stranger who could write it would name pages as found by our search that no search has found.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from typing import TYPE_CHECKING

import orjson

from groundwire.system.files import home, private_folder, replace_file

if TYPE_CHECKING:
    from groundwire.config.keys import Keys

KEY_NAME = "GROUNDWIRE_GATEWAY_KEY"
"""The variable, or kept key, that servers on several machines share."""
KEY_FILE = "gateway.key"
_SIGNATURE_BYTES = 16


class Signer:
    """Signs with one key. What was signed with another reads as nothing."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign(self, value: object, url: str) -> str:
        """Return what is to be known of a page as text that only we can have made."""
        data = orjson.dumps(value)
        return base64.urlsafe_b64encode(self._signature(data, url) + data).decode()

    def read(self, text: str, url: str) -> object:
        """Return what we signed, None if it is not ours or was said of another page."""
        try:
            raw = base64.urlsafe_b64decode(text.encode())
        except ValueError:
            return None
        signature, data = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._signature(data, url)):
            return None
        return orjson.loads(data)

    def _signature(self, data: bytes, url: str) -> bytes:
        # JSON has no zero byte, so that no text can be moved from one to the other.
        signed = data + b"\0" + url.encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, signed, hashlib.sha256)[:_SIGNATURE_BYTES]


def signing_key(keys: Keys) -> bytes:
    """Return the key that all processes of this machine share, made at first use.

    Where it cannot be kept it is good for this process: what was signed before reads as nothing.
    """
    if found := keys.find(KEY_NAME):
        return found.key.reveal().encode()
    path = home(os.environ) / KEY_FILE
    try:
        private_folder(path.parent)
        if not path.exists():
            replace_file(path, secrets.token_hex(32))
        return path.read_text(encoding="utf-8").strip().encode()
    except OSError:
        return secrets.token_bytes(32)
