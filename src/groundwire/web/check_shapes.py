"""The shapes of what citations came to, and of a session with all of it."""

from __future__ import annotations

from typing import Any

from groundwire.web.shapes import MessageShape, SessionShape, Shape


class ChecksShape(Shape):
    """What the citations of an answer came to; `pending` are still to be compared.

    docs/web.md has what is in a check.
    """

    state: str
    pending: int
    checks: list[dict[str, Any]]
    summary: str


class SourcePageShape(Shape):
    """A page that an answer cites, as it was read, and what its claims came to."""

    number: int
    url: str
    title: str
    read_at: str
    page_hash: str
    text: str
    checks: list[dict[str, Any]]


class ConversationShape(Shape):
    """A session with all of its messages, in order."""

    session: SessionShape
    messages: list[MessageShape]
    checks: dict[str, ChecksShape]
    leaf_id: str | None
