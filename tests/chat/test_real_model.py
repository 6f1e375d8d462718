"""A turn with a real model on a server that others wrote, over the three protocols it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import groundwire
from groundwire import Keys, Settings
from groundwire.conversation import SearchMode, Status
from tests.adapters.test_real_model import SURFACES, base_url
from tests.chat.talking import Told

__all__ = ["base_url"]

pytestmark = pytest.mark.slow

QUESTION = "What is the capital of France? Answer in one short sentence."


@pytest.mark.parametrize("search", ["off", "auto"])
@pytest.mark.parametrize("surface", SURFACES)
async def test_a_real_model_answers_a_turn_that_is_kept(
    base_url: str, tmp_path: Path, surface: str, search: str
) -> None:
    settings = Settings.model_validate(
        {
            "providers": {surface: {"base_url": base_url, "model": "smollm2"}},
            "chat": {"seconds": 240},
        }
    )
    keys = Keys(environment={}, dotenv=tmp_path / ".env", file=tmp_path / "keys.json")
    database = str(tmp_path / "talk.sqlite3")

    async with groundwire.open(settings=settings, keys=keys, database=database) as program:
        exact = replace(await program.agent(), temperature=0)
        await program.store.agents.update(exact)
        told = Told(
            events=[event async for event in program.ask(QUESTION, provider=surface, search=search)]
        )
        kept = await program.store.messages.get(told.started.message_id)

    assert told.started.mode is (SearchMode.OFF if search == "off" else SearchMode.CLIENT)
    assert told.message.status is Status.COMPLETE, told.message.error
    assert kept == told.message
    assert kept.content
    if search == "off":
        assert "Paris" in kept.content
