"""A sign-in that has begun: what the browser keeps until the provider sends it back."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from groundwire.web.passwords import new_secret

LASTS = timedelta(minutes=15)
COOKIE = "groundwire_sso"
SECURE_COOKIE = "__Host-groundwire_sso"
_LONGEST = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAttempt:
    """One sign-in, in a cookie of the browser that began it: any server can go on with it.

    `state` ties the provider's answer to this browser, `nonce` its ID token to this attempt,
    and `verifier` proves to the provider that whoever brings the code began it (PKCE).
    `next_path` is where to go afterwards; `user_id` is whose account is connected, "" to sign in.
    """

    redirect_uri: str
    next_path: str = "/"
    user_id: str = ""
    state: str = field(default_factory=new_secret, repr=False)
    nonce: str = field(default_factory=new_secret, repr=False)
    verifier: str = field(default_factory=new_secret, repr=False)

    def encoded(self) -> str:
        """Return it as the value of a cookie."""
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode().rstrip("=")


def decoded(value: str) -> SignInAttempt | None:
    """Return the attempt of a cookie, None if invalid."""
    if len(value) > _LONGEST:
        return None
    try:
        found = json.loads(base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)))
        if not all(isinstance(each, str) for each in found.values()):
            return None
        return SignInAttempt(**found)
    except (ValueError, TypeError, AttributeError):
        return None


def own_path(wanted: str) -> str:
    """Return where to go after a sign-in: a path of this server, whatever was asked for."""
    is_path = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isascii()
    if not is_path or not wanted.isprintable() or "\\" in wanted or len(wanted) > 1_000:
        return "/"
    path = urlsplit(wanted).path
    return "/" if path.startswith(("/login", "/setup", "/sso")) else wanted
