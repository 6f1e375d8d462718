"""What a turn rests on: a session's messages along the branch that goes on."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.conversation import Agent, ChatMessage, MessageKind, Workspace
from groundwire.errors import NotFoundError
from groundwire.store.turn_contexts import TurnContext, answer_sent_as

WORKSPACE = Workspace(name="Personal")
AGENT = Agent(workspace_id=WORKSPACE.id, name="Assistant")


def _message(kind: MessageKind, id_: str, **fields: Any) -> ChatMessage:
    return ChatMessage(session_id="s", kind=kind, id=id_, **fields)


def _context() -> TurnContext:
    messages = (
        _message(MessageKind.USER, "q1", client_id="sent"),
        _message(MessageKind.AI_RESPONSE, "a1", parent_id="q1"),
        _message(MessageKind.AI_RESPONSE, "a2", parent_id="q1", client_id="tried again"),
        _message(MessageKind.USER, "q2", parent_id="a2"),
    )
    return TurnContext(agent=AGENT, workspace=WORKSPACE, messages=messages)


@pytest.mark.parametrize(
    ("parent", "found"), [("", ["q1", "a2", "q2"]), ("a1", ["q1", "a1"]), (None, [])]
)
def test_a_conversation_goes_on_along_one_branch(parent: str | None, found: list[str]) -> None:
    assert [each.id for each in _context().branch(parent)] == found


def test_a_turn_cannot_follow_a_message_of_another_session() -> None:
    with pytest.raises(NotFoundError, match="there is no message 'a9' in this session"):
        _context().branch("a9")


@pytest.mark.parametrize(
    ("client_id", "found"), [("sent", "a1"), ("tried again", "a2"), ("never sent", None)]
)
def test_a_request_sent_again_has_the_answer_that_it_began(
    client_id: str, found: str | None
) -> None:
    answer = answer_sent_as(_context().messages, client_id)

    assert (answer and answer.id) == found
