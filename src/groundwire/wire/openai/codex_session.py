"""The ChatGPT session that OpenCode keeps, read from its records. Nobody here renews it.

A refresh token is good once: whoever uses it logs the others out, so that is its owner's business.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from groundwire.errors import NoSessionError, SessionExpiredError
from groundwire.model import Secret
from groundwire.wire.text import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.model import Json

OWNER = "openai"
AUTH_CLAIM = "https://api.openai.com/auth"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSession:
    """What lets us in. `account_id` is "" and `expires_at` None where nothing tells them."""

    access: Secret
    account_id: str
    expires_at: datetime | None


def read_session(credentials: Json, now: datetime) -> CodexSession:
    """Return the session in OpenCode's credentials: `auth.json`, or rows of the newer table.

    Raises:
        NoSessionError: There is none.
        SessionExpiredError: There is one, but its time is over.
    """
    records = [record for record in _records(credentials) if record.get("type") == "oauth"]
    if not records:
        raise NoSessionError("codex", "OpenCode keeps none")
    record = max(records, key=lambda record: _milliseconds(record) or 0)
    access = record.get("access")
    if not isinstance(access, str) or not access:
        raise NoSessionError("codex", "OpenCode's record of it has no access token")
    expires_at = _expiry(record)
    if expires_at is not None and expires_at <= now:
        raise SessionExpiredError(expires_at)
    account_id = _recorded_account(record) or account_id_in(access)
    return CodexSession(access=Secret(access), account_id=account_id, expires_at=expires_at)


def account_id_in(token: str) -> str:
    """Return the account that an access token is for, "" if it does not say."""
    claims = _claims(token)
    inner = claims.get(AUTH_CLAIM)
    organizations = claims.get("organizations")
    first = organizations[0] if isinstance(organizations, list) and organizations else None
    places = (
        inner.get("chatgpt_account_id") if isinstance(inner, dict) else None,
        claims.get("chatgpt_account_id"),
        first.get("id") if isinstance(first, dict) else None,
    )
    return next((place for place in places if isinstance(place, str) and place), "")


def _records(credentials: Json) -> Iterator[Json]:
    """Yield OpenAI's records: under their name, in rows with one, or by themselves."""
    if isinstance(credentials, list):
        for row in credentials:
            yield from _records(row)
    elif isinstance(credentials, dict):
        if "type" in credentials:
            yield credentials
        elif isinstance(value := credentials.get("value"), dict):
            if credentials.get("integration_id", OWNER) == OWNER:
                yield value
        else:
            yield from (
                record
                for name, record in credentials.items()
                if name.rstrip("/") == OWNER and isinstance(record, dict)
            )


def _recorded_account(record: Json) -> str:
    metadata = record.get("metadata")
    told = record.get("accountId") or (
        metadata.get("accountID") if isinstance(metadata, dict) else None
    )
    return told if isinstance(told, str) else ""


def _milliseconds(record: Json) -> float | None:
    expires = record.get("expires")
    return expires if type(expires) in (int, float) and expires > 0 else None


def _expiry(record: Json) -> datetime | None:
    milliseconds = _milliseconds(record)
    if milliseconds is None:
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _claims(token: str) -> Json:
    """Return what a JWT says, unverified: the service verifies it, we only address the call."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        payload = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
    except ValueError:
        return {}
    claims = parsed(payload)
    return claims if isinstance(claims, dict) else {}
