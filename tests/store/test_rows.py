"""Between rows and nouns: RFC-031's AgentMapperTest and MessageMapperTest."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from groundwire.catalog import ThinkingChoice
from groundwire.citations import Marked
from groundwire.conversation import (
    Agent,
    ChatMessage,
    ChecksState,
    Choices,
    MessageKind,
    Round,
    SearchChoice,
    Status,
    ToolRun,
    TurnState,
)
from groundwire.model import Attachment, Citation, Evidence, Json
from groundwire.store import tables
from groundwire.store.columns import read_json, write_json
from groundwire.store.rows import (
    PARTS,
    citations_from_json,
    columns_of,
    message_of,
    message_row,
    noun_of,
)
from tests.store.examples import FOUND, MARKED, OTTER, STATE, answer, kept


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
    written = write_json((OTTER,))

    assert json.loads(written) == [
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
    written = write_json((OTTER, Citation(url="https://b.org", evidence=Evidence.READ)))

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
    written = [
        message_row(ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, citations=cited), "")
        for cited in (None, ())
    ]

    assert [row["citations"] for row in written] == [None, "[]"]
    assert [citations_from_json(row["citations"]) for row in written] == [None, ()]


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

    assert message_of(kept(message), parts) == message


OTTER_JSON = {
    "url": "https://example.org/otter",
    "title": "Otter",
    "domain": "example.org",
    "quote": "Otters hold hands.",
    "start": 0,
    "end": 18,
    "evidence": "cited",
}
FOUND_JSON = {
    "url": "https://b.example/",
    "title": "B",
    "domain": "b.example",
    "quote": "",
    "start": None,
    "end": None,
    "evidence": "found",
}
ASKED_JSON = {
    "search": "client",
    "domains": ["example.org"],
    "thinking": "low",
    "reason": "client search is chosen for this message",
}
# As every version since revision 0010 keeps it.
STATE_JSON = {
    "citations": [OTTER_JSON],
    "known": {"1": FOUND_JSON},
    "pages": [FOUND_JSON],
    "asked": ASKED_JSON,
}
ANSWER_JSON = {
    "text": "Otters hold hands.[1] No.[removed][7?]",
    "markers": [
        {
            "start": 18,
            "end": 21,
            "numbers": [1],
            "struck": [],
            "unknown": [],
            "supports": [{"number": 1, "start": 0, "end": 18, "quote": "Otters hold hands."}],
        },
        {
            "start": 25,
            "end": 38,
            "numbers": [],
            "struck": ["https://x.example/"],
            "unknown": ["7"],
            "supports": [],
        },
    ],
    "sources": [
        {
            "number": 1,
            "url": "https://example.org/otter",
            "title": "Otter",
            "domain": "example.org",
            "evidence": "cited",
            "quotes": ["Otters hold hands."],
            "spans": [[0, 18]],
        }
    ],
    "removed": [{"url": "https://x.example/", "title": "X", "domain": "x.example"}],
    "folded": [{"start": 22, "end": 25, "domains": ["x.example"]}],
    "unknown": [{"id": "7", "written": "[7]", "position": 25}],
    "suggestions": "<p>Otters near me</p>",
    "state": STATE_JSON,
}


def read(answer_json: Json) -> ChatMessage:
    """Return an answer that is kept with this JSON."""
    return message_of({**message_row(answer("s"), "me"), "answer": answer_json}, {})


def test_an_answer_and_its_state_are_one_json_value_in_the_database() -> None:
    written = json.loads(write_json(message_row(answer("s"), "me")["answer"]))

    assert written == ANSWER_JSON
    found = read(written)
    assert (found.marked, found.state) == (MARKED, STATE)
    assert found.suggestions == "<p>Otters near me</p>"


def test_a_light_answer_says_why_and_leaves_out_what_its_turn_goes_on_with() -> None:
    light = message_of(kept(answer("s")), {}, is_light=True)

    assert light.marked == MARKED
    assert light.state == TurnState(choices=STATE.choices, reason=STATE.reason)


def test_a_light_answer_without_markers_keeps_what_they_are_made_from() -> None:
    light = message_of(kept(replace(answer("s"), marked=None)), {}, is_light=True)

    assert light.state == STATE


def test_a_state_without_its_empty_fields_is_read_as_the_same() -> None:
    short = {name: value for name, value in FOUND_JSON.items() if value not in ("", None)}
    state = {**STATE_JSON, "known": {"1": short}, "pages": [short]}

    assert read({**ANSWER_JSON, "state": state}).state == STATE


def test_a_message_that_shows_nothing_and_goes_on_with_nothing_has_no_answer() -> None:
    empty = replace(answer("s"), marked=None, suggestions="", state=None)

    assert message_row(empty, "me")["answer"] is None
    found = read(None)
    assert (found.marked, found.suggestions, found.state) == (None, "", None)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({}, TurnState()),
        ({"known": {"1": FOUND_JSON}}, TurnState(known={"1": FOUND})),
        ({**STATE_JSON, "asked": None}, replace(STATE, choices=None, reason="")),
        ({"asked": {"search": "off"}}, TurnState(choices=Choices(search=SearchChoice.OFF))),
        ({"asked": {"search": "by magic"}}, None),
        ({"citations": ["x"]}, None),
        ("x", None),
    ],
)
def test_a_state_that_an_older_version_kept_is_read_as_far_as_it_is_one(
    state: Json, expected: TurnState | None
) -> None:
    assert read({"suggestions": "", "state": state}).state == expected


def test_an_answer_of_before_there_were_folds_is_shown() -> None:
    older = {name: ANSWER_JSON[name] for name in ("text", "markers", "sources")}

    found = read(older)

    assert found.marked
    assert (found.marked.sources, found.marked.folded) == (MARKED.sources, ())
    assert (found.suggestions, found.state) == ("", None)


@pytest.mark.parametrize("marked", [None, MARKED])
@pytest.mark.parametrize("suggestions", ["", "<p>Otters near me</p>"])
@pytest.mark.parametrize("state", [None, TurnState(), STATE])
def test_every_part_of_an_answer_is_kept_without_the_others(
    marked: Marked | None, suggestions: str, state: TurnState | None
) -> None:
    given = replace(answer("s"), marked=marked, suggestions=suggestions, state=state)

    row = kept(given)

    found = message_of(row, {})
    assert (found.marked, found.suggestions, found.state) == (marked, suggestions, state)
    assert (row["answer"] is None) == (marked is None and not suggestions and state is None)
    light = message_of(row, {}, is_light=True)
    assert (light.marked, light.suggestions) == (marked, suggestions)
    is_short = state is not None and marked is not None
    short = TurnState(choices=state.choices, reason=state.reason) if state else None
    assert light.state == (short if is_short else state)


@pytest.mark.parametrize(
    "choices",
    [
        Choices(),
        Choices(search=SearchChoice.OFF),
        Choices(domains=("a.org", "b.org")),
        Choices(thinking=ThinkingChoice.HIGH),
        None,
    ],
)
def test_what_was_asked_for_comes_back_with_the_state(choices: Choices | None) -> None:
    state = TurnState(choices=choices, citations=(FOUND,))

    found = message_of(kept(replace(answer("s"), state=state)), {})

    assert found.state == state


@pytest.mark.parametrize(
    ("entry", "citation"),
    [
        ({"url": "https://a.org/x"}, Citation(url="https://a.org/x")),
        (
            {"url": "https://a.org/x", "title": None, "domain": None, "quote": None},
            Citation(url="https://a.org/x"),
        ),
        (
            {"url": "https://a.org/x", "title": "A", "domain": "b.org", "quote": "So."},
            Citation(url="https://a.org/x", title="A", domain="b.org", quote="So."),
        ),
        (
            {"url": "https://a.org/x", "start": 0, "end": 4, "evidence": "read"},
            Citation(url="https://a.org/x", start=0, end=4, evidence=Evidence.READ),
        ),
    ],
)
def test_every_field_of_a_citation_may_be_left_out_but_its_url(
    entry: Json, citation: Citation
) -> None:
    assert citations_from_json(json.dumps([entry])) == (citation,)


@pytest.mark.parametrize(
    ("status", "checks", "owners"),
    [
        (Status.STREAMING, ChecksState.NONE, ("me", None)),
        (Status.STREAMING, ChecksState.PENDING, ("me", "me")),
        (Status.COMPLETE, ChecksState.PENDING, (None, "me")),
        (Status.COMPLETE, ChecksState.AGAIN, (None, "me")),
        (Status.COMPLETE, ChecksState.DONE, (None, None)),
        (Status.AWAITING_APPROVAL, ChecksState.NONE, (None, None)),
        (Status.INTERRUPTED, ChecksState.NONE, (None, None)),
    ],
)
def test_what_is_still_to_be_done_of_a_message_is_its_owners(
    status: Status, checks: ChecksState, owners: tuple[str | None, str | None]
) -> None:
    row = message_row(replace(answer("s"), status=status, checks_state=checks), "me")

    assert (row["owner"], row["checks_owner"]) == owners


def test_parts_of_messages_come_back_from_their_rows() -> None:
    whole = answer("s")
    for part in PARTS:
        for each in (*getattr(whole, part.field), _BARE[part.field]):
            row = part.row(each)
            as_kept = {name: read_json(write_json(row[name])) for name in row if name in _JSON}
            assert part.noun({**row, **as_kept}) == each


_BARE: dict[str, object] = {
    "tool_runs": ToolRun(id="x", name="y"),
    "rounds": Round(),
    "attachments": Attachment(type="", mime_type="", base64_data="", file_name=""),
}
_JSON = ("results", "tool_calls", "outputs", "raw_content_blocks")


def test_what_a_part_has_nothing_of_is_kept_as_nothing() -> None:
    rows = [part.row(_BARE[part.field]) for part in PARTS]

    assert [{name: row[name] for name in _JSON if name in row} for row in rows] == [
        {"results": None},
        {"tool_calls": None, "outputs": None, "raw_content_blocks": None},
        {},
    ]
