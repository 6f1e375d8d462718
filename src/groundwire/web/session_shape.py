"""A session as the API tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.web.shapes import SessionShape

if TYPE_CHECKING:
    from groundwire.conversation import Session
    from groundwire.web.site import Site


def session_shape(site: Site, session: Session) -> SessionShape:
    """Return a session, with whether an answer is being made in it here."""
    return SessionShape(
        id=session.id,
        title=session.title,
        agent_id=session.agent_id,
        created_at=session.created_at,
        updated_at=session.updated_at,
        is_running=site.runs.is_running(session.id),
    )
