"""Between rows and nouns: RFC-031's AgentMapperTest and MessageMapperTest."""

from __future__ import annotations

import json

import pytest

from groundwire.conversation import Agent
from groundwire.model import Citation, Evidence
from groundwire.store import tables
from groundwire.store.rows import (
    citations_from_json,
    citations_json,
    columns_of,
    message_of,
    message_row,
    noun_of,
)
from tests.store.examples import OTTER, answer


@pytest.mark.parametrize("is_on", [True, False])
def test_agent_mapper_maps_web_search_enabled_between_row_and_agent(is_on: bool) -> None:
    agent = Agent(workspace_id="w", name="Finder", web_search_enabled=is_on)

    row = columns_of(agent, tables.agents)

    assert row["web_search_enabled"] is is_on
    assert noun_of(Agent, row) == agent


def test_agent_mapper_reads_false_where_the_column_is_missing() -> None:
    row = columns_of(Agent(workspace_id="w", name="Finder"), tables.agents)
    del row["web_search_enabled"]

    assert noun_of(Agent, row).web_search_enabled is False


def test_message_mapper_writes_citations_as_a_json_array() -> None:
    written = citations_json((OTTER,))

    assert json.loads(written or "") == [
        {
            "url": "https://example.org/otter",
            "title": "Otter",
            "domain": "example.org",
            "quote": "Otters hold hands.",
            "start": 0,
            "end": 18,
            "evidence": "cited",
        }
    ]


def test_message_mapper_reads_citations_from_a_json_array() -> None:
    written = citations_json((OTTER, Citation(url="https://b.org", evidence=Evidence.READ)))

    assert citations_from_json(written) == (
        OTTER,
        Citation(url="https://b.org", evidence=Evidence.READ),
    )


def test_message_mapper_reads_the_seeds_shape_and_ignores_unknown_keys() -> None:
    written = '[{"url": "https://a.org/x", "title": "A", "domain": "a.org", "rank": 3}]'

    assert citations_from_json(written) == (
        Citation(url="https://a.org/x", title="A", domain="a.org"),
    )


def test_message_mapper_keeps_no_citations_and_an_empty_list_apart() -> None:
    assert citations_json(None) is None
    assert citations_from_json(None) is None
    assert citations_json(()) == "[]"
    assert citations_from_json("[]") == ()


@pytest.mark.parametrize(
    "malformed",
    [
        "",
        "[",
        "nonsense",
        "null",
        "7",
        '"text"',
        '{"url": "u"}',
        "[1]",
        "[null]",
        '[{"title": "no url"}]',
        '[{"url": "u", "evidence": "hearsay"}]',
    ],
)
def test_message_mapper_reads_malformed_json_as_none(malformed: str) -> None:
    assert citations_from_json(malformed) is None


def test_message_mapper_brings_back_what_it_was_given() -> None:
    message = answer("s")

    parts = {name: getattr(message, name) for name in ("rounds", "tool_runs", "attachments")}

    assert message_of(message_row(message), parts) == message
