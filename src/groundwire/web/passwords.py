"""Passwords, ids of sessions and tokens: of each only a hash is kept."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

TOKEN_PREFIX = "gw_"  # noqa: S105 - how a token is known, and no token
_HASHER = PasswordHasher()
# Each needs 64 MB for a moment. A browser that signed in before does not queue behind a crowd.
_AT_ONCE = asyncio.Semaphore(3)
_KNOWN_AT_ONCE = asyncio.Semaphore(1)


async def hash_password(password: str) -> str:
    """Return what is kept of a password."""
    async with _AT_ONCE:
        return await asyncio.to_thread(_HASHER.hash, password)


async def is_right(password: str, kept: str, *, is_known: bool) -> bool:
    """Tell whether a password is the one; it takes as long where there is none to compare with."""
    async with _KNOWN_AT_ONCE if is_known else _AT_ONCE:
        return await asyncio.to_thread(_is_right, password, kept)


def new_secret() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def new_token() -> str:
    """Return a token for a program."""
    return f"{TOKEN_PREFIX}{new_secret()}"


def hash_of(secret: str) -> str:
    """Return what is kept of a random secret; unlike a password it needs no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _is_right(password: str, kept: str) -> bool:
    try:
        _HASHER.verify(kept or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return bool(kept)


def _nobodys_hash() -> str:
    """Return a hash that no password has: to look in vain must take as long as to find.

    It is made up and not computed, which would cost every start of a server a fifth of a second.
    """
    cost = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    salt, hashed = (
        base64.b64encode(secrets.token_bytes(size)).decode().rstrip("=")
        for size in (_HASHER.salt_len, _HASHER.hash_len)
    )
    return f"$argon2id$v=19${cost}${salt}${hashed}"
