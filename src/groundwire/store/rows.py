"""Between the nouns and the rows of the tables, both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Table

from groundwire import citations
from groundwire.catalog import ThinkingChoice
from groundwire.conversation import (
    ChatMessage,
    ChecksState,
    Choices,
    Round,
    SearchChoice,
    Status,
    ToolRun,
    TurnState,
)
from groundwire.model import Attachment, Citation, Evidence, Json, SearchResult, ToolCall, Usage
from groundwire.store import tables
from groundwire.store.columns import read_json, write_json

T = TypeVar("T")
Row: TypeAlias = Mapping[Any, Any]

_NOT_OF_A_NOUN = frozenset({"sequence", "owner", "checks_owner", "last_sequence"})
OPEN_CHECKS = (ChecksState.PENDING, ChecksState.AGAIN)
"""The states in which somebody has to compare citations."""

_COUNTS = tuple(each.name for each in fields(Usage) if each.name != "cost_usd")
_OF_USAGE = frozenset({*_COUNTS, "provider_cost_usd"})
FIXED = frozenset({"id", "session_id", "kind", "parent_id", "client_id", "created_at"})
_ITSELF = tuple(
    column.name
    for column in tables.messages.columns
    if column.name not in _OF_USAGE | _NOT_OF_A_NOUN | {"citations", "answer"}
)


def columns_of(noun: object, table: Table) -> dict[str, Any]:
    """Return the row of a noun whose fields are the columns of a table."""
    names = (column.name for column in table.columns)
    return {name: getattr(noun, name) for name in names if name not in _NOT_OF_A_NOUN}


def noun_of(kind: Callable[..., T], row: Row) -> T:
    """Return the noun of a row; a column that an older schema lacks has the noun's default."""
    return kind(**{name: value for name, value in row.items() if name not in _NOT_OF_A_NOUN})


def citations_from_json(text: str | None) -> tuple[Citation, ...] | None:
    """Return the citations of a JSON array, None if it is malformed; unknown keys are ignored."""
    return _read(lambda entries: tuple(map(_citation, entries)), read_json(text))


def _citation(entry: Json) -> Citation:
    return Citation(
        url=str(entry["url"]),
        title=entry.get("title") or "",
        domain=entry.get("domain") or "",
        quote=entry.get("quote") or "",
        start=entry.get("start"),
        end=entry.get("end"),
        evidence=Evidence(entry.get("evidence", Evidence.CITED)),
    )


def message_row(message: ChatMessage, owner: str) -> dict[str, Any]:
    """Return the row of a message, parts aside; what is still to be done is its owner's."""
    usage, cited = message.usage or Usage(), message.citations
    return {
        **{name: getattr(message, name) for name in _ITSELF},
        **{name: getattr(usage, name) for name in _COUNTS},
        "provider_cost_usd": usage.cost_usd,
        "citations": None if cited is None else write_json(cited),
        "answer": _answer_json(message),
        "owner": owner if message.status == Status.STREAMING else None,
        "checks_owner": owner if message.checks_state in OPEN_CHECKS else None,
    }


def message_of(
    row: Row, parts: dict[str, tuple[Any, ...]], *, is_light: bool = False
) -> ChatMessage:
    """Return the message of a row, with the parts of it that were read.

    A light one can be shown; its turn cannot go on.
    """
    itself: dict[str, Any] = {name: row[name] for name in _ITSELF}
    return ChatMessage(
        **itself | parts | _answer_fields(row["answer"], is_light=is_light),
        usage=_usage(row),
        citations=citations_from_json(row["citations"]),
    )


def _usage(row: Row) -> Usage | None:
    """Return what was used; a report that says nothing is none."""
    usage = Usage(**{name: row[name] for name in _COUNTS}, cost_usd=row["provider_cost_usd"])
    return None if usage == Usage() else usage


def _answer_json(message: ChatMessage) -> Json:
    """Return what shows an answer and what its turn goes on with, None if there is neither."""
    marked, state = message.marked, message.state
    if marked is None and state is None and not message.suggestions:
        return None
    shown = {} if marked is None else citations.to_json(marked)
    answer = {**shown, "suggestions": message.suggestions}
    if state is not None:
        choices = state.choices
        answer["state"] = {
            "citations": state.citations,
            "known": state.known,
            "pages": state.pages,
            "asked": choices
            and {
                "search": choices.search.value,
                "domains": choices.domains,
                "thinking": choices.thinking or "",
                "reason": state.reason,
            },
        }
    return answer


def _answer_fields(answer: Json, *, is_light: bool) -> dict[str, Any]:
    """Return the fields that an answer's JSON stands for; what is malformed is left out."""
    if not isinstance(answer, dict):
        return {}
    marked = _read(citations.from_json, answer if "text" in answer else None)
    state = answer.get("state")
    if is_light and marked is not None and isinstance(state, dict):
        state = {"asked": state.get("asked")}
    return {
        "marked": marked,
        "suggestions": str(answer.get("suggestions") or ""),
        "state": _read(_state, state),
    }


def _state(state: Json) -> TurnState:
    asked = state.get("asked")
    choices = asked and Choices(
        search=SearchChoice(asked.get("search", SearchChoice.AUTO)),
        domains=tuple(asked.get("domains", ())),
        thinking=ThinkingChoice(asked["thinking"]) if asked.get("thinking") else None,
    )
    return TurnState(
        choices=choices,
        reason=asked.get("reason", "") if asked else "",
        citations=tuple(map(_citation, state.get("citations", ()))),
        known={id_: _citation(page) for id_, page in (state.get("known") or {}).items()},
        pages=tuple(map(_citation, state.get("pages", ()))),
    )


def _read(make: Callable[[Json], T], entry: Json) -> T | None:
    """Return the noun of an entry, None where there is none or it is malformed."""
    try:
        return None if entry is None else make(entry)
    except (TypeError, KeyError, ValueError, AttributeError):
        return None


@dataclass(frozen=True, slots=True)
class MessagePart:
    """What a message has several of, in a table of their own: large, and seldom changed."""

    field: str
    table: Table
    row: Callable[[Any], dict[str, Any]]
    noun: Callable[[Row], Any]


def _tool_row(run: ToolRun) -> dict[str, Any]:
    row = {field: getattr(run, field) for field in _TOOL_FIELDS}
    return {**row, "results": run.results or None}


def _tool_run(row: Row) -> ToolRun:
    results = tuple(SearchResult(**result) for result in _entries(row["results"]))
    return ToolRun(**{field: row[field] for field in _TOOL_FIELDS}, results=results)


def _round_row(each: Round) -> dict[str, Any]:
    return {
        "text": each.text,
        "tool_calls": each.tool_calls or None,
        "outputs": each.outputs or None,
        "raw_content_blocks": each.raw_blocks,
    }


def _round(row: Row) -> Round:
    return Round(
        text=row["text"],
        tool_calls=tuple(ToolCall(**call) for call in _entries(row["tool_calls"])),
        outputs=tuple((call, output, failed) for call, output, failed in _entries(row["outputs"])),
        raw_blocks=row["raw_content_blocks"],
    )


def _attachment(row: Row) -> Attachment:
    return Attachment(**{field: row[field] for field in _ATTACHMENT_FIELDS})


def _attachment_row(attachment: Attachment) -> dict[str, Any]:
    return {field: getattr(attachment, field) for field in _ATTACHMENT_FIELDS}


def _entries(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else ()


def _own_columns(table: Table, *others: str) -> tuple[str, ...]:
    left_out = {"message_id", "position", *others}
    return tuple(column.name for column in table.columns if column.name not in left_out)


_TOOL_FIELDS = _own_columns(tables.tool_calls, "results")
_ATTACHMENT_FIELDS = _own_columns(tables.attachments)

TOOL_RUNS = MessagePart("tool_runs", tables.tool_calls, _tool_row, _tool_run)
ROUNDS = MessagePart("rounds", tables.rounds, _round_row, _round)
ATTACHMENTS = MessagePart("attachments", tables.attachments, _attachment_row, _attachment)
PARTS = (TOOL_RUNS, ROUNDS, ATTACHMENTS)
