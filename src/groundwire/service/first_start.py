"""What a store has at its first start."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from groundwire.conversation import Agent
from groundwire.errors import ConflictError

if TYPE_CHECKING:
    from groundwire.store import Store

ASSISTANT = "assistant"
SETUP = "setup"
"""The ids of the two agents that every store has at first; the assistant answers by default."""


async def first_start(store: Store) -> None:
    """Make the two built-in agents where the first workspace has no agent.

    That is the personal one, or the oldest where that was deleted or never made.
    """
    from groundwire.store import PERSONAL  # noqa: PLC0415 - a database only where one is used

    spaces = [each.id for each in await store.workspaces.list()]
    home = PERSONAL if PERSONAL in spaces else spaces[0]
    if await store.agents.list(home):
        return
    for agent in _built_in(home):
        with suppress(ConflictError):  # Another process made it in the same moment.
            await store.agents.create(agent)


def _built_in(workspace_id: str) -> tuple[Agent, Agent]:
    assistant = Agent(
        id=ASSISTANT,
        workspace_id=workspace_id,
        name="Assistant",
        description="Answers with sources from the web.",
        is_built_in=True,
        web_search_enabled=True,
    )
    setup = Agent(
        id=SETUP,
        workspace_id=workspace_id,
        name="Setup",
        description="Adds providers and models; asks before it changes anything.",
        system_prompt="You help to set up providers of models. Never ask for a key: keys are "
        "entered in Settings or with `groundwire keys set`, not in a conversation.",
        is_built_in=True,
    )
    return assistant, setup
