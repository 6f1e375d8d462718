"""Answers that OpenAI once gave, replayed through the tools: cited once, and in one place."""

from __future__ import annotations

import re

import pytest

from groundwire.client import Client
from groundwire.sandbox import SandboxServer
from tests.fences import open_fences
from tests.shared import SHARED, shared
from tests.tools.runs import Searcher

# Recordings of hosted searches that ended well; the others are refusals or have no answer.
NAMES = sorted(
    path.name
    for path in SHARED.glob("recordings/openai_responses/web_search*.*")
    if path.suffix in {".json", ".sse"}
    and not path.name.endswith(".meta.json")
    and "url_citation" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", NAMES)
async def test_every_marker_has_its_source_and_no_link_is_left_beside_it(name: str) -> None:
    folder = shared("recordings")
    async with (
        SandboxServer(recordings=folder, replay=f"openai_responses/{name}") as sandbox,
        Client() as client,
    ):
        searcher = Searcher(sandbox=sandbox, client=client)

        result = await searcher.run("websearch", {"query": "x", "provider": "openai-responses"})

    result = open_fences(result)
    text, _, listed = result["llmContent"].partition("\n\nSources:\n")
    numbers = {int(number) for number in re.findall(r"\[(\d+)\](?!\()", text)}
    uris = [source["web"]["uri"] for source in result["sources"]]
    assert numbers
    assert numbers <= {*range(1, len(uris) + 1)}
    assert [line.rpartition(" (")[2] for line in listed.splitlines()] == [f"{u})" for u in uris]
    assert not [uri for uri in uris if f"]({uri})" in text]
