"""Who signs in or comes with a token, what they may do, what they changed and what was used."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum

from groundwire.model import Json
from groundwire.system.determinism import new_id, now


class Role(StrEnum):
    """What a user may do in a workspace."""

    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who signs in. The password is kept as an argon2 hash, "" if there is none."""

    id: str = field(default_factory=new_id)
    name: str
    password_hash: str = field(default="", repr=False)
    is_owner: bool = False
    created_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """What a user may do in one workspace.

    `from_groups` says that their groups at the single sign-on gave it, and not somebody here.
    """

    user_id: str
    workspace_id: str
    role: Role = Role.MEMBER
    from_groups: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """A browser that is signed in: only the hash of its id is kept."""

    id_hash: str = field(repr=False)
    user_id: str
    created_at: datetime = field(default_factory=now)
    last_seen_at: datetime = field(default_factory=now)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A token of a program: only its hash is kept. It is valid for one workspace and one role.

    `user_id` is who made it, None if that was before there were users. Tokens made by earlier
    versions may have no `expires_at`: they end all the same, see `ends_at`.
    """

    id: str = field(default_factory=new_id)
    user_id: str | None = None
    workspace_id: str
    role: Role = Role.MEMBER
    name: str = ""
    token_hash: str = field(repr=False)
    created_at: datetime = field(default_factory=now)
    last_used_at: datetime | None = None
    expires_at: datetime | None = None

    def ends_at(self, longest: timedelta) -> datetime:
        """Return when it stops working, where no token lives longer than `longest`."""
        latest = self.created_at + longest
        return latest if self.expires_at is None else min(self.expires_at, latest)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A change of settings: who made it, to what, and how it was before and after.

    `actor` is a user's name, or how a program came in. None before means made, None after means
    removed. Secrets are left out of both when it is kept.
    """

    id: str = field(default_factory=new_id)
    at: datetime = field(default_factory=now)
    actor: str
    action: str
    subject: str
    workspace_id: str | None = None
    before: Json = None
    after: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLine:
    """What the answers of one day, provider and model used, in sum.

    `searches` are the provider's own; those that we ran are `client_searches`. `pages_read` is the
    sum of the answers'. `cost_usd` is None where no answer's cost is known, and `cost_is_partial`
    says that some answer cost more than is known.
    """

    day: date
    provider: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int
    searches: int
    client_searches: int
    pages_read: int
    cost_usd: float | None
    cost_is_partial: bool = False
