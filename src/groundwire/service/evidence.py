"""Gathers what is taken away of a session or an answer, and brings a bundle into a store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire import chat
from groundwire.conversation import MessageKind
from groundwire.errors import ConflictError, NotFoundError
from groundwire.evidence.dossier import Dossier
from groundwire.guard import DomainPolicy
from groundwire.store.scope import ALL

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.conversation import Agent, ChatMessage, Session
    from groundwire.store import Store

_SETTINGS = ("search_provider", "read_provider", "max_page_length", "chat", "checks", "search")
"""The tables that decide how an answer is made; none of them has a place for a secret."""


LAST = "last"
"""What a command calls the newest session, whose id nobody wants to type."""


async def newest_sessions(store: Store, *, text: str = "", limit: int = 20) -> list[Session]:
    """Return sessions of all workspaces, the newest first; with `text` those that say it."""
    spaces = await store.workspaces.list()
    pages = [
        await store.sessions.list(each.id, user_id=ALL, text=text, limit=limit) for each in spaces
    ]
    found = [session for page in pages for session in page.sessions]
    return sorted(found, key=lambda each: each.updated_at, reverse=True)[:limit]


async def newest_id(store: Store) -> str:
    """Return the id of the newest session.

    Raises:
        NotFoundError: There is no session yet.
    """
    newest = await newest_sessions(store, limit=1)
    if not newest:
        raise NotFoundError("there is no session yet: ask something first")
    return newest[0].id


async def dossier_of(store: Store, settings: Settings, key: str) -> Dossier:
    """Return everything of a session, or of one answer with its question, by its id or "last".

    Raises:
        NotFoundError: There is neither.
    """
    if key == LAST:
        key = await newest_id(store)
    try:
        session, wanted = await store.sessions.get(key), ""
    except NotFoundError:
        try:
            message = await store.messages.get(key)
        except NotFoundError as error:
            raise NotFoundError(
                f"there is no session and no answer {key!r}: `groundwire sessions` lists them"
            ) from error
        if message.kind is not MessageKind.AI_RESPONSE:
            raise NotFoundError(f"{key!r} is a question: name its answer, or the session") from None
        session, wanted = await store.sessions.get(message.session_id), message.id
    return await gathered(store, settings, session, wanted)


async def gathered(
    store: Store, settings: Settings, session: Session, answer_id: str = ""
) -> Dossier:
    """Return everything of a session, or of one of its answers."""
    workspace = await store.workspaces.get(session.workspace_id)
    policy = settings.domains.narrowed(DomainPolicy(allowed=workspace.web_allowed_domains))
    history = [chat.restored(each, policy) for each in await store.messages.history(session.id)]
    chosen = [each for each in history if not answer_id or _belongs(each, answer_id, history)]
    ids = [each.id for each in chosen if each.kind is MessageKind.AI_RESPONSE]
    kept = store.citation_checks
    return Dossier(
        session=session,
        messages=tuple(chosen),
        checks=tuple([each for key in ids for each in await kept.of_message(key)]),
        source_pages=tuple([each for key in ids for each in await kept.pages(key)]),
        snapshots=tuple([each for key in ids for each in await store.snapshots.of_message(key)]),
        settings=settings.model_dump(mode="json", include=set(_SETTINGS)),
    )


def _belongs(message: ChatMessage, answer_id: str, history: list[ChatMessage]) -> bool:
    """Tell whether a message is an answer, or its question."""
    parents = {each.parent_id for each in history if each.id == answer_id}
    return message.id == answer_id or message.id in parents


async def import_dossier(store: Store, dossier: Dossier, agent: Agent) -> Session:
    """Keep what a bundle has as a session of an agent, and return it; all values stay.

    Raises:
        ConflictError: A session or message of it is here already.
    """
    session = replace(
        dossier.session, workspace_id=agent.workspace_id, agent_id=agent.id, user_id=None
    )
    for message in dossier.messages:
        try:
            await store.messages.get(message.id)
        except NotFoundError:
            continue
        raise ConflictError(f"the message {message.id!r} is here already")
    await store.sessions.create(session)
    try:
        for message in dossier.messages:
            await store.messages.add(message)
        await store.citation_checks.save(dossier.checks, dossier.source_pages, dossier.snapshots)
        return await store.sessions.restore(session)
    except BaseException:
        # Whole or not at all.
        await store.sessions.delete(session.id)
        raise
