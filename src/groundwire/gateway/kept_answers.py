"""Answers of the gateway that are kept, where the operator or the client asks for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.conversation import ChatMessage, MessageKind
from groundwire.errors import GroundwireError
from groundwire.gateway.model_names import store_of
from groundwire.redaction import redact, without_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.gateway.guest import Guest
    from groundwire.gateway.model_names import Target
    from groundwire.service.program import Groundwire

KEEP_HEADER = "x-groundwire-keep"
_LOG = logging.getLogger(__name__)


def wants_kept(program: Groundwire, headers: Mapping[str, str]) -> bool:
    """Tell whether an answer is to be kept; a header can say so for one request alone."""
    wish = headers.get(KEEP_HEADER, "").lower()
    return wish == "on" or (program.settings.gateway.keep and wish != "off")


async def keep_answer(
    program: Groundwire, guest: Guest, target: Target, *, question: str, answer: ChatMessage
) -> bool:
    """Keep a question and its answer in a session of their own, and tell whether that was done.

    A failure is only logged.
    """
    store = store_of(program)
    if store is None:
        return False
    try:
        agents = [target.agent] if target.agent else await store.agents.list(guest.workspace.id)
        if not agents:
            return False
        session = await program.new_session(agents[0], question, user_id=guest.user_id)
        asked = ChatMessage(
            session_id=session.id, kind=MessageKind.USER, content=without_keys(question)
        )
        record = target.choice.record
        kept = replace(
            answer,
            session_id=session.id,
            parent_id=asked.id,
            provider=record.name if record else target.choice.endpoint.name,
            model=target.model,
            raw_provider=record.id if record else target.choice.endpoint.name,
        )
        await store.messages.begin(asked, kept)
    except GroundwireError as error:
        _LOG.warning("an answer of the gateway was not kept: %s", redact(str(error)))
        return False
    return True
