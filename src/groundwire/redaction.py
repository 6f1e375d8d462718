"""Keeps keys out of everything a person or a log can see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

HIDDEN = "[hidden]"
SHORTEST_HIDDEN = 6

# Keys that a service or a library may repeat although we never sent them there.
_KEY_SHAPES = re.compile(
    r"\b(?:sk|tvly|pplx|jina|exa|fc|xai|gsk)[-_][A-Za-z0-9_\-*]{6,}"
    r"|\bAIza[A-Za-z0-9_\-]{10,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"
    r"|\bBearer\s+[A-Za-z0-9._\-~+/=]{8,}"
)
_QUERY_VALUES = re.compile(
    r"(?i)([?&](?:[a-z_\-]*(?:key|token|secret|password|signature)|sig)=)[^&#\s\"']+"
)
_USERINFO = re.compile(r"(?i)\b([a-z][a-z0-9+.\-]*://)[^/\s@\"']+@")


class Secret:
    """A key that no repr, log line or traceback shows."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key itself, to be put into a request and nowhere else."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not written anywhere")


def redact_bytes(body: bytes, secret: Secret | None) -> bytes:
    """Return a body without the given key."""
    if not secret or len(secret.reveal()) < SHORTEST_HIDDEN:
        return body
    return body.replace(secret.reveal().encode(), HIDDEN.encode())


def without_keys(text: str) -> str:
    """Return a text of a person with what is shaped like a key hidden, and nothing else."""
    return _KEY_SHAPES.sub(HIDDEN, text)


def redact(text: str, secrets: Iterable[Secret | None] = ()) -> str:
    """Return the text without the given keys and without anything shaped like one."""
    for secret in secrets:
        # A shorter one is a word of its own, in a test or a sandbox, and hiding it would hide much.
        if secret and len(secret.reveal()) >= SHORTEST_HIDDEN:
            text = text.replace(secret.reveal(), HIDDEN)
    text = without_keys(text)
    text = _QUERY_VALUES.sub(rf"\1{HIDDEN}", text)
    return _USERINFO.sub(rf"\1{HIDDEN}@", text)
