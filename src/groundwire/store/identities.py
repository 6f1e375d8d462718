"""People at an OpenID Connect provider, and the users that they are here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from groundwire.conversation import Membership, Role, User, now
from groundwire.errors import ConflictError
from groundwire.store import tables
from groundwire.store.repository import Rows, upsert
from groundwire.store.rows import columns_of, noun_of

_IDENTITIES = tables.identities.c
_MEMBERSHIPS = tables.memberships.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Somebody at an OpenID Connect provider, and who that is here.

    `email` is "" unless the provider verified it; it is shown and compared with nothing.
    """

    issuer: str
    subject: str
    user_id: str
    email: str = ""
    created_at: datetime = field(default_factory=now)
    signed_in_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOn:
    """What a sign-in came to: the user, and the roles that their groups gave before and now.

    `user` is None where nobody is known by this identity and nobody was to be made. `has_access`
    is whether they are in a workspace, or the owner.
    """

    user: User | None = None
    is_new: bool = False
    has_access: bool = False
    before: Mapping[str, Role] = field(default_factory=dict)
    after: Mapping[str, Role] = field(default_factory=dict)


class Identities(Rows[Identity]):
    """Keeps who somebody at a provider is here, by issuer and subject and by nothing else."""

    table = tables.identities
    kind = Identity

    async def of_user(self, user_id: str) -> tuple[Identity, ...]:
        """Return the identities of a user."""
        return await self._select(_IDENTITIES.user_id == user_id, order=_IDENTITIES.created_at)

    async def link(self, identity: Identity) -> None:
        """Let a user sign in with an identity.

        Raises:
            ConflictError: It is another user's.
        """

        def work(connection: Connection) -> None:
            known = _user_of(connection, identity.issuer, identity.subject)
            if known is None:
                connection.execute(insert(self.table).values(_row(identity)))
            elif known.id != identity.user_id:
                raise ConflictError("this account is connected to another user here already")

        await self._database.write(work)

    async def sign_on(
        self,
        identity: Identity,
        *,
        names: Sequence[str],
        roles: Mapping[str, Role],
        may_create: bool,
    ) -> SignOn:
        """Find or make the user of an identity and bring the roles of their groups up to date.

        A new user gets the first of `names` that is free. Their id is the one in `identity`.

        Raises:
            ConflictError: Another sign-in was faster, or every name is taken.
        """

        def work(connection: Connection) -> SignOn:
            user = _user_of(connection, identity.issuer, identity.subject)
            is_new = user is None
            if user is None:
                if not may_create:
                    return SignOn()
                user = _made(connection, identity, names)
            else:
                _note_sign_in(connection, identity)
            before, has_access = _give_roles(connection, user, roles)
            return SignOn(
                user=user, is_new=is_new, has_access=has_access, before=before, after=roles
            )

        return await self._database.write(work)


def _user_of(connection: Connection, issuer: str, subject: str) -> User | None:
    query = (
        select(tables.users)
        .join(tables.identities, _IDENTITIES.user_id == tables.users.c.id)
        .where(_IDENTITIES.issuer == issuer, _IDENTITIES.subject == subject)
    )
    found = connection.execute(query).mappings().first()
    return noun_of(User, found) if found else None


def _made(connection: Connection, identity: Identity, names: Sequence[str]) -> User:
    """Make a user with a name that nobody has: a name is no proof of who somebody is."""
    query = select(tables.users.c.name).where(tables.users.c.name.in_(names))
    taken = set(connection.execute(query).scalars())
    free = next((name for name in names if name not in taken), None)
    if free is None:
        raise ConflictError(f"the name {names[0]!r} is taken: ask an admin to free it")
    user = User(id=identity.user_id, name=free)
    connection.execute(insert(tables.users).values(columns_of(user, tables.users)))
    connection.execute(insert(tables.identities).values(_row(identity)))
    return user


def _note_sign_in(connection: Connection, identity: Identity) -> None:
    known = (_IDENTITIES.issuer == identity.issuer) & (_IDENTITIES.subject == identity.subject)
    changed = update(tables.identities).where(known)
    connection.execute(changed.values(email=identity.email, signed_in_at=now()))


def _give_roles(
    connection: Connection, user: User, roles: Mapping[str, Role]
) -> tuple[dict[str, Role], bool]:
    """Replace what groups gave before; a role that somebody here gave stays as it is."""
    query = select(tables.memberships).where(_MEMBERSHIPS.user_id == user.id)
    held = [noun_of(Membership, row) for row in connection.execute(query).mappings()]
    by_hand = {each.workspace_id for each in held if not each.from_groups}
    before = {each.workspace_id: each.role for each in held if each.from_groups}
    if gone := before.keys() - roles.keys():
        stale = delete(tables.memberships).where(
            _MEMBERSHIPS.user_id == user.id, _MEMBERSHIPS.workspace_id.in_(gone)
        )
        connection.execute(stale)
    given = [
        Membership(user_id=user.id, workspace_id=key, role=role, from_groups=True)
        for key, role in roles.items()
        if key not in by_hand and before.get(key) != role
    ]
    if given:
        rows = [columns_of(each, tables.memberships) for each in given]
        connection.execute(upsert(connection.dialect.name, tables.memberships), rows)
    return before, user.is_owner or bool(by_hand or roles)


def _row(identity: Identity) -> dict[str, object]:
    return columns_of(identity, tables.identities)
