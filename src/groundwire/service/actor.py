"""Who has something done, and the one check of what only the owner may do."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.errors import ForbiddenError


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Somebody who has something done; `name` is how the audit calls them.

    The owner alone changes providers and their addresses, and is told addresses.
    """

    name: str
    is_owner: bool


OWNER = Actor(name="owner", is_owner=True)
"""Whoever uses the library or the command line: the program, its keys and its store are theirs."""


def check_owner(actor: Actor) -> None:
    """Let only the owner pass: the same check for a route and for a tool that does the same.

    Raises:
        ForbiddenError: It is somebody else.
    """
    if not actor.is_owner:
        raise ForbiddenError("only the owner of this server may do this")
