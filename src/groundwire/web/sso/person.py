"""A person as the provider describes them, and the roles that their groups give."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.conversation import Role, Workspace
from groundwire.web.sso.refusal import SignInRefusedError

if TYPE_CHECKING:
    from groundwire.config.settings import SsoSettings

EVERYBODY = "*"
_MOST_NAMES = 50
_LONGEST_NAME = 100
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody at a provider. `email` is "" unless the provider says that it verified it."""

    issuer: str
    subject: str
    name: str
    email: str
    groups: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Return what they may be called here, best first: a name may be somebody else's."""
        first = [self.name, *([self.email] if self.email else [])]
        return [*first, *(f"{self.name} {count}" for count in range(2, _MOST_NAMES))]


def person_of(claims: Mapping[str, Any], settings: SsoSettings) -> Person:
    """Return who claims are about.

    Raises:
        SignInRefusedError: They may not sign in here, or what they may do is not said.
    """
    is_verified = claims.get("email_verified") is True
    email = _word(claims.get("email")) if is_verified else ""
    _check_domain(email, settings)
    said = (_word(claims.get(name)) for name in ("preferred_username", "name", "nickname"))
    name = next((each for each in said if each), "") or email or f"user {claims['sub'][:20]}"
    return Person(
        issuer=claims["iss"],
        subject=claims["sub"],
        name=name,
        email=email,
        groups=_groups(claims, settings),
    )


def roles_of(
    person: Person, settings: SsoSettings, workspaces: Sequence[Workspace]
) -> dict[str, Role]:
    """Return the roles that a person's groups give, by workspace id; the higher one wins.

    A workspace of the settings that is not there, or whose name several have, gives nobody access.
    """
    roles: dict[str, Role] = {}
    for group in (*person.groups, EVERYBODY):
        granted = settings.groups.get(group, [])
        for grant in [granted] if isinstance(granted, str) else granted:
            name, _, role = grant.rpartition(":")
            found = _workspace(name.strip(), workspaces)
            if found is not None and roles.get(found) is not Role.ADMIN:
                roles[found] = Role(role)
    return roles


def _workspace(name: str, workspaces: Sequence[Workspace]) -> str | None:
    found = [each.id for each in workspaces if each.id == name]
    found = found or [each.id for each in workspaces if each.name == name]
    if len(found) == 1:
        return found[0]
    _LOG.warning("sso.groups names %r: %d workspaces are called so", name, len(found))
    return None


def _check_domain(email: str, settings: SsoSettings) -> None:
    allowed = [each.lower().lstrip("@") for each in settings.email_domains]
    if allowed and email.rpartition("@")[2].lower() not in allowed:
        raise SignInRefusedError(
            403,
            "only people with a verified e-mail address of certain domains may sign in here: use "
            "your other account, or ask the owner of this server",
            code="wrong_email_domain",
        )


def _groups(claims: Mapping[str, Any], settings: SsoSettings) -> tuple[str, ...]:
    found: Any = claims
    if settings.group_claim in claims:
        found = claims[settings.group_claim]
    else:
        for part in settings.group_claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    elsewhere = claims.get("_claim_names")
    if found is None and isinstance(elsewhere, Mapping) and settings.group_claim in elsewhere:
        # Microsoft Entra sends an address in place of more than 200 groups.
        raise SignInRefusedError(
            403,
            "you are in more groups than the sign-in service sends: ask its administrator to send "
            "only those of this application",
            code="too_many_groups",
        )
    listed = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    return tuple(each for each in listed if isinstance(each, str) and each != EVERYBODY)


def _word(value: object) -> str:
    """Return a claim as one line that can be kept and shown, "" if invalid."""
    if not isinstance(value, str):
        return ""
    words = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return words[:_LONGEST_NAME].strip()
