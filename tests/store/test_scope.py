"""No query means everyone by an absent value."""

from __future__ import annotations

import inspect
from dataclasses import replace

from groundwire.conversation import Session
from groundwire.store import ALL, PERSONAL, Store

# A parameter of these names says whose something is.
_WHOSE = ("user_id", "workspace_id", "session_id", "provider_id", "agent_id")
_KINDS = (
    "agents",
    "audit",
    "citation_checks",
    "feedback",
    "identities",
    "library_sources",
    "memberships",
    "messages",
    "models",
    "providers",
    "quota_uses",
    "sessions",
    "snapshots",
    "tokens",
    "turn_contexts",
    "usage",
    "users",
    "web_sessions",
    "workspaces",
)


def _queries(store: Store) -> list[tuple[str, inspect.Parameter]]:
    """Return every parameter of every public method of what is kept, by the method's name."""
    return [
        (f"{kind}.{name}", parameter)
        for kind in _KINDS
        for name, method in inspect.getmembers(getattr(store, kind), inspect.ismethod)
        if not name.startswith("_")
        for parameter in inspect.signature(method).parameters.values()
    ]


async def test_every_kind_that_is_kept_is_looked_at(store: Store) -> None:
    kinds = {name for name in vars(store) if not name.startswith("_")}

    assert kinds == {*_KINDS}


async def test_whose_something_is_has_no_default(store: Store) -> None:
    scoped = [(name, each) for name, each in _queries(store) if each.name in _WHOSE]

    left_out = [
        f"{name}({each.name})"
        for name, each in scoped
        if each.default is not inspect.Parameter.empty
    ]

    assert {"sessions.list", "audit.list", "usage.report"} <= {name for name, _ in scoped}
    assert left_out == []


async def test_sessions_of_nobody_are_not_everyones(store: Store, session: Session) -> None:
    theirs = await store.sessions.create(replace(session, id="theirs", user_id="user-a"))

    nobodys = await store.sessions.list(PERSONAL, user_id=None)
    owned = await store.sessions.list(PERSONAL, user_id="user-a")
    everyones = await store.sessions.list(PERSONAL, user_id=ALL)

    assert (nobodys.sessions, owned.sessions) == ((session,), (theirs,))
    assert {each.id for each in everyones.sessions} == {session.id, theirs.id}
