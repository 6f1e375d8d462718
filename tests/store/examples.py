"""Nouns with every field set, as a conversation leaves them."""

from __future__ import annotations

from typing import Any

from groundwire.catalog import ThinkingChoice
from groundwire.citations import Folded, Marked, Marker, Removed, Source, Support
from groundwire.conversation import (
    ChatMessage,
    ChecksState,
    Choices,
    MessageKind,
    Round,
    SearchChoice,
    SearchMode,
    Status,
    ToolRun,
    TurnState,
)
from groundwire.model import Attachment, Citation, Evidence, SearchResult, ToolCall, Usage
from groundwire.store.columns import read_json, write_json
from groundwire.store.rows import message_row

OTTER = Citation(
    url="https://example.org/otter",
    title="Otter",
    quote="Otters hold hands.",
    start=0,
    end=18,
    evidence=Evidence.CITED,
)
SEARCH = ToolRun(
    id="call-1",
    name="web_search",
    mode=SearchMode.CLIENT,
    status="done",
    arguments='{"query": "otters"}',
    query="otters",
    service="duckduckgo",
    results=(SearchResult(url=OTTER.url, title="Otter", snippet="They do.", published="2026"),),
    output="1. Otter",
    seconds=0.25,
)
READ = ToolRun(id="call-2", name="open_page", url=OTTER.url, title="Otter", status="done")
FIRST_ROUND = Round(
    tool_calls=(ToolCall(id="call-1", name="web_search", arguments='{"query": "otters"}'),),
    outputs=(("call-1", "1. Otter", False),),
    raw_blocks=[{"type": "tool_use", "id": "call-1", "input": {"query": "otters"}}],
)
SECOND_ROUND = Round(text="Otters hold hands.", raw_blocks=None)

FOUND = Citation(url="https://b.example/", title="B", evidence=Evidence.FOUND)
MARKED = Marked(
    text="Otters hold hands.[1] No.[removed][7?]",
    sources=(
        Source(
            number=1,
            url=OTTER.url,
            title="Otter",
            domain="example.org",
            evidence=Evidence.CITED,
            quotes=("Otters hold hands.",),
            spans=((0, 18),),
            is_marked=True,
        ),
    ),
    changes=(
        Marker(
            start=18,
            numbers=(1,),
            supports=(Support(number=1, start=0, end=18, quote="Otters hold hands."),),
        ),
        Marker(start=25, struck=("https://x.example/",), unknown=("7",), replaced="[7]"),
    ),
    removed=(Removed(url="https://x.example/", title="X", domain="x.example"),),
    folded=(Folded(start=22, end=25, domains=("x.example",)),),
)
STATE = TurnState(
    choices=Choices(
        search=SearchChoice.CLIENT, domains=("example.org",), thinking=ThinkingChoice.LOW
    ),
    reason="client search is chosen for this message",
    citations=(OTTER,),
    known={"1": FOUND},
    pages=(FOUND,),
)


def question(session_id: str, content: str = "Do otters hold hands?") -> ChatMessage:
    return ChatMessage(session_id=session_id, kind=MessageKind.USER, content=content)


def beginning(session_id: str) -> ChatMessage:
    return ChatMessage(session_id=session_id, kind=MessageKind.AI_RESPONSE, status=Status.STREAMING)


def answer(session_id: str) -> ChatMessage:
    return ChatMessage(
        session_id=session_id,
        kind=MessageKind.AI_RESPONSE,
        content="Otters hold hands.[1]",
        parent_id="the question",
        status=Status.COMPLETE,
        attachments=(
            Attachment(type="image", mime_type="image/png", base64_data="aGk=", file_name="a.png"),
        ),
        thinking="Let me look.",
        citations=(OTTER,),
        marked=MARKED,
        suggestions="<p>Otters near me</p>",
        state=STATE,
        plain_text="Otters hold hands.",
        rounds=(FIRST_ROUND, SECOND_ROUND),
        raw_provider="anthropic",
        tool_runs=(SEARCH, READ),
        provider="anthropic",
        model="claude",
        mode=SearchMode.CLIENT,
        usage=Usage(input_tokens=100, output_tokens=20, searches=1, cost_usd=0.01),
        cost_usd=0.012,
        stop_reason="end_turn",
        error_code="rate_limit",
        error="asked too often",
        checks_state=ChecksState.DONE,
    )


def kept(message: ChatMessage) -> dict[str, Any]:
    """Return the row of a message as the database gives it back."""
    row = message_row(message, "me")
    return {**row, "answer": read_json(write_json(row["answer"]))}
