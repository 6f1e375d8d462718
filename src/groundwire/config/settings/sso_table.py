"""The table `sso`: single sign-on with OpenID Connect."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from groundwire import guard
from groundwire.config.settings.table import Table

_ROLES = ("member", "admin")


def _check_issuer(address: str) -> str:
    parts = urlsplit(address)
    is_safe = parts.scheme == "https" or guard.is_loopback(parts.hostname or "")
    if address and not (parts.hostname and is_safe and address.startswith(("http://", "https://"))):
        raise ValueError("expected an https:// URL (http:// on this machine alone)")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("an issuer has no user, password, ? or #")
    return address.rstrip("/")


def _check_grant(text: str) -> str:
    workspace, _, role = text.rpartition(":")
    if not workspace.strip() or role not in _ROLES:
        raise ValueError("expected WORKSPACE:member or WORKSPACE:admin")
    return text


_Issuer: TypeAlias = Annotated[str, AfterValidator(_check_issuer)]
_Grant: TypeAlias = Annotated[str, AfterValidator(_check_grant)]
_Scope: TypeAlias = Annotated[str, Field(pattern="^[!#-\\[\\]-~]+$")]


class SsoSettings(Table):
    """Single sign-on with OpenID Connect."""

    issuer: _Issuer = Field(
        default="",
        description="The address of the OpenID Connect provider, as in the `issuer` of its "
        "discovery document; empty means no single sign-on.",
    )
    client_id: str = Field(default="", description="What the provider calls this server.")
    name: str = Field(
        default="single sign-on",
        min_length=1,
        max_length=60,
        description="What the button on the login page continues with.",
    )
    scopes: list[_Scope] = Field(
        default=["openid", "profile", "email"],
        description="What the provider is asked for; `openid` is always among it.",
    )
    group_claim: str = Field(
        default="groups",
        min_length=1,
        description="The claim with a user's groups; dots lead into tables, as in "
        "`realm_access.roles`.",
    )
    groups: dict[str, _Grant | list[_Grant]] = Field(
        default={},
        description="Which workspaces a group gives access to: each group with "
        '`"WORKSPACE:member"` or `"WORKSPACE:admin"`, or a list of them, a workspace by its name '
        "or id; the group `*` is everybody who may sign in.",
    )
    email_domains: list[str] = Field(
        default=[],
        description="Only who has a verified e-mail address in one of these domains may sign in; "
        "empty lets in everybody whom the provider lets in.",
    )
    creates_users: bool = Field(
        default=True,
        description="Whether somebody who signs in for the first time becomes a user; otherwise "
        "only users who connected their account in Settings can sign in with it.",
    )
    session_hours: float = Field(
        default=12,
        gt=0,
        le=720,
        allow_inf_nan=False,
        description="Hours after which a browser has to sign in with the provider again, which "
        "brings groups up to date.",
    )
    ends_provider_session: bool = Field(
        default=False,
        description="Whether signing out here also signs out at the provider, where it offers "
        "that.",
    )
