"""Who asks a gateway, and how they are let in."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from groundwire.conversation import EVERYWHERE, Workspace
from groundwire.service.actor import OWNER, Actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Somebody who is let in. `key` is under what their own short-lived memory is kept.

    `workspace` says where they may search; `user_id` is whose the answers are that are kept.
    """

    key: str
    actor: Actor
    workspace: Workspace
    user_id: str | None = None


class NotAdmittedError(Exception):
    """Nobody who is known. `status` is 401, or 403 for a key that may not do this."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Admit: TypeAlias = Callable[["Scope", str], Awaitable[Guest]]
"""Returns who a request is from, by the key that it shows, "" for none; raises NotAdmittedError."""


def shown_key(headers: Mapping[str, str]) -> str:
    """Return the key that a client shows: as a bearer token or as `x-api-key`, "" for none.

    Raises:
        NotAdmittedError: It shows two that differ.
    """
    scheme, _, given = headers.get("authorization", "").partition(" ")
    bearer = given.strip() if scheme.lower() == "bearer" else ""
    plain = headers.get("x-api-key", "").strip()
    if bearer and plain and not hmac.compare_digest(bearer.encode(), plain.encode()):
        raise NotAdmittedError(401, "Authorization and x-api-key show different keys: send one.")
    return bearer or plain


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenAdmission:
    """Lets in whoever shows one of some tokens; anybody, where there are none."""

    tokens: Sequence[str] = field(default=(), repr=False)

    async def __call__(self, scope: Scope, key: str) -> Guest:  # noqa: ARG002 - as `Admit`
        """Return who asks.

        Raises:
            NotAdmittedError: The token is invalid or has expired.
        """
        known = [each for each in self.tokens if hmac.compare_digest(each.encode(), key.encode())]
        if self.tokens and not known:
            raise NotAdmittedError(401, "Invalid token: use one of gateway.tokens.")
        name = hashlib.sha256(key.encode()).hexdigest()[:12] if known else "anyone"
        # The settings are all that such a gateway has, and so is their library.
        workspace = Workspace(
            id="gateway", name="Gateway", web_allowed_domains=EVERYWHERE, has_first_library=True
        )
        return Guest(
            key=name,
            actor=Actor(name=f"token {name}", is_owner=not self.tokens) if known else OWNER,
            workspace=workspace,
            # Quotas count by token; nothing else is anybody's here.
            user_id=f"token {name}" if known else None,
        )
