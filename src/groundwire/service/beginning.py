"""What a store has at its first start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.conversation import Agent

if TYPE_CHECKING:
    from groundwire.store import Store

ASSISTANT = "assistant"
SETUP = "setup"
"""The ids of the two agents that every store has at first."""


async def first_start(store: Store) -> None:
    """Make the two agents of the personal workspace where there is none."""
    from groundwire.store import PERSONAL  # noqa: PLC0415 - a database only where one is used

    if await store.agents.list(PERSONAL):
        return
    await store.agents.create(
        Agent(
            id=ASSISTANT,
            workspace_id=PERSONAL,
            name="Assistant",
            description="Answers with sources from the web.",
            is_built_in=True,
            web_search_enabled=True,
        )
    )
    await store.agents.create(
        Agent(
            id=SETUP,
            workspace_id=PERSONAL,
            name="Setup",
            description="Adds providers and models; asks before it changes anything.",
            system_prompt="You help to set up providers of models. Never ask for a key: keys are "
            "entered in Settings or with `groundwire keys set`, not in a conversation.",
            is_built_in=True,
        )
    )
