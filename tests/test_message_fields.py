"""The fields of a message are those of `ChatMessage`: store and API have each, or say why not."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, replace

import pytest

from groundwire import chat
from groundwire.conversation import ChatMessage, Round, Status, ToolRun
from groundwire.model import Attachment, Json, Usage
from groundwire.store import tables
from groundwire.store.rows import PARTS, message_of
from groundwire.web.shapes import MessageShape, message_json
from tests.store.examples import answer, kept

WHOLE = replace(
    answer("s"), client_id="c", status=Status.FAILED, cost_is_partial=True, pages_read=1
)
# Of a message: what is only for providers, and what a page gets in another form.
NOT_SHOWN = {"rounds", "raw_provider", "plain_text", "state", "marked", "suggestions"}
SHOWN_BESIDES = {"answer", "reason"}
# Of a row: its place, and who makes it.
NOT_OF_A_MESSAGE = {"checks_owner", "sequence", "owner"}
IN_ONE_COLUMN = {"marked", "suggestions", "state"}


def _names(noun: type) -> set[str]:
    return {each.name for each in fields(noun)}


def _has_default(field: Field[Json], value: Json) -> bool:
    if field.default is not MISSING:
        return bool(value == field.default)
    return field.default_factory is not MISSING and bool(value == field.default_factory())


def test_the_example_has_every_field_set() -> None:
    optional = [each for each in fields(ChatMessage) if each.name not in ("session_id", "kind")]

    assert [each.name for each in optional if _has_default(each, getattr(WHOLE, each.name))] == []


def test_a_message_is_the_same_when_it_comes_back_from_its_row() -> None:
    parts = {part.field: getattr(WHOLE, part.field) for part in PARTS}

    assert message_of(kept(WHOLE), parts) == WHOLE


def test_every_column_of_a_message_is_a_field_of_it() -> None:
    columns = {column.name for column in tables.messages.columns}
    of_usage = (_names(Usage) - {"cost_usd"}) | {"provider_cost_usd"}

    in_columns = _names(ChatMessage) - IN_ONE_COLUMN - {part.field for part in PARTS} - {"usage"}

    assert columns == in_columns | {"answer"} | of_usage | NOT_OF_A_MESSAGE


@pytest.mark.parametrize(
    ("table", "noun", "renamed"),
    [
        (tables.tool_calls, ToolRun, {}),
        (tables.rounds, Round, {"raw_blocks": "raw_content_blocks"}),
        (tables.attachments, Attachment, {}),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_every_column_of_a_part_is_a_field_of_it(
    table: Json, noun: type, renamed: dict[str, str]
) -> None:
    columns = {column.name for column in table.columns} - {"message_id", "position"}

    assert columns == {renamed.get(name, name) for name in _names(noun)}


def test_the_api_shows_every_field_that_is_not_for_providers_alone() -> None:
    shown = _names(ChatMessage) - NOT_SHOWN | SHOWN_BESIDES

    assert chat.message_fields(WHOLE).keys() == shown
    # A page has no rule of its own for costs: it is told them in words.
    assert set(MessageShape.model_fields) == shown | {"cost_text"}
    assert message_json(WHOLE).keys() == shown | {"cost_text"}
