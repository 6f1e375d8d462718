"""What a turn rests on: a session's messages along the branch that goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from groundwire.conversation import (
    Agent,
    ChatMessage,
    MessageKind,
    ProviderRecord,
    Session,
    Workspace,
)
from groundwire.errors import NotFoundError
from groundwire.store import PERSONAL, Store
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


@pytest.mark.parametrize("parent", [None, ""])
def test_a_session_without_messages_has_no_branch(parent: str | None) -> None:
    assert TurnContext(agent=AGENT, workspace=WORKSPACE).branch(parent) == ()


@pytest.mark.parametrize(
    ("parents", "found"), [({"a": "a"}, ["a"]), ({"a": "b", "b": "a"}, ["a", "b"])]
)
def test_messages_that_lead_back_to_themselves_are_there_once(
    parents: dict[str, str], found: list[str]
) -> None:
    messages = tuple(
        _message(MessageKind.USER, id_, parent_id=parent) for id_, parent in parents.items()
    )
    context = TurnContext(agent=AGENT, workspace=WORKSPACE, messages=messages)

    assert [each.id for each in context.branch("")] == found


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


async def test_a_turn_rests_on_its_agent_the_workspace_all_providers_and_its_session(
    store: Store, agent: Agent, session: Session
) -> None:
    first, second = [
        await store.providers.create(ProviderRecord(name=kind, type=kind))
        for kind in ("anthropic", "gemini")
    ]

    found = await store.turn_contexts.get(agent.id, session.id)

    assert found == TurnContext(
        agent=agent,
        workspace=await store.workspaces.get(PERSONAL),
        providers=(first, second),
        session=session,
    )
    assert await store.turn_contexts.get(agent.id, "") == replace(found, session=None)


async def test_a_turn_needs_an_agent_and_its_session_but_no_provider(
    store: Store, agent: Agent
) -> None:
    found = await store.turn_contexts.get(agent.id, "")

    assert (found.agent, found.providers, found.session) == (agent, (), None)
    with pytest.raises(NotFoundError, match="there is no session 's9'"):
        await store.turn_contexts.get(agent.id, "s9")
    with pytest.raises(NotFoundError, match="there is no agent 'a9'"):
        await store.turn_contexts.get("a9", "")


def test_a_request_sent_again_has_its_own_answer_and_nobody_elses() -> None:
    messages = (
        _message(MessageKind.USER, "q1", client_id="first"),
        _message(MessageKind.AI_RESPONSE, "a1", parent_id="q1"),
        _message(MessageKind.USER, "q2", parent_id="a1", client_id="second"),
        _message(MessageKind.USER, "edit", parent_id="q2"),
        _message(MessageKind.AI_RESPONSE, "a2", parent_id="q2"),
        _message(MessageKind.USER, "q3", parent_id="a2", client_id="third"),
    )

    found = [answer_sent_as(messages, name) for name in ("first", "second", "third")]

    assert [each and each.id for each in found] == ["a1", "a2", None]


async def test_a_turn_rests_on_the_workspace_of_its_agent_and_the_session_that_was_named(
    store: Store, agent: Agent, session: Session
) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))
    other = await store.agents.create(Agent(workspace_id=team.id, name="Other"))
    theirs = await store.sessions.create(Session(workspace_id=team.id, agent_id=other.id))

    found = [await store.turn_contexts.get(each.agent_id, each.id) for each in (session, theirs)]

    assert [(each.agent, each.workspace.id, each.session) for each in found] == [
        (agent, PERSONAL, session),
        (other, team.id, theirs),
    ]
