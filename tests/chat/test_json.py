"""Events as JSON: encoded once, and the same for a page, a program and the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import get_args

import orjson
import pytest

from groundwire.chat import ChatEvent, encode, event_fields
from groundwire.chat import events as told
from groundwire.checks import CitationCheck, PageIndex, check_claim, to_json
from groundwire.cli.output import print_json
from groundwire.conversation import SearchMode
from groundwire.model import Json, Usage
from groundwire.web.frames import frames
from tests.store.examples import MARKED, SEARCH, answer

MESSAGE = answer("s")
CHECKED = CitationCheck(
    number=1,
    position=3,
    claim="450 otters hold hands.",
    url="https://example.org/otter",
    check=check_claim("450 otters hold hands.", PageIndex("Otters hold hands. " * 10)),
    checked_at=datetime(2026, 11, 17, tzinfo=UTC),
    page_hash="cafe",
)
EXAMPLES: tuple[ChatEvent, ...] = (
    told.TurnStarted(
        session_id="s",
        question_id="q",
        message_id="m",
        provider="p",
        model="o",
        mode=SearchMode.HOSTED,
        reason="it is so",
    ),
    told.TextShown('a\n"b"\u2028🦦'),
    told.ThinkingShown("hm"),
    told.SourceNumbered(source=MARKED.sources[0]),
    told.MarkerShown(position=3, numbers=(1, 2), unknown=("7",), struck=("https://x.example/",)),
    told.CitationChecked(message_id="m", citation=CHECKED),
    told.PassageFolded(start=1, end=2, domains=("x.example",), reason="not allowed"),
    told.WebSearchStarted(query=None, mode=SearchMode.CLIENT, service="tavily"),
    told.ToolUpdate(run=SEARCH),
    told.SourcesRemoved(urls=("https://x.example/",), where="results", reason="so", domains=("x",)),
    told.UsageReported(usage=Usage(input_tokens=1, cost_usd=0.5), cost_usd=0.25),
    told.Noticed(message="skipped", code="skipped"),
    told.SuggestionsShown(html="<p>"),
    told.BudgetReached(budget="seconds", message="over"),
    told.ApprovalRequested(message_id="m", runs=(SEARCH,)),
    told.TurnFailed(message="no", code="no", retry_after_seconds=2.5),
    told.TurnEnded(message=MESSAGE),
)
each_event = pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: event.type)
# What a program is not told of the fields of a run and of a message, and what it is told besides.
OF_A_RUN = {"output"}
OF_A_MESSAGE = {"rounds", "raw_provider", "plain_text", "marked", "suggestions", "state"}
BESIDES = {"reason", "answer"}


def _expected(event: ChatEvent) -> Json:
    """Return what orjson itself makes of an event, without what is not told."""
    plain = orjson.loads(orjson.dumps(event))
    if isinstance(event, told.CitationChecked):
        plain["citation"] = to_json(event.citation)
    runs = [*plain.get("runs", ()), *([plain["run"]] if "run" in plain else ())]
    if "message" in plain and isinstance(event, told.TurnEnded):
        message = plain["message"]
        runs += message["tool_runs"]
        for name in OF_A_MESSAGE:
            del message[name]
        for each in message["attachments"]:
            del each["base64_data"]
    for run in runs:
        for name in OF_A_RUN:
            del run[name]
    return plain


def test_there_is_an_example_of_every_event() -> None:
    assert [type(event) for event in EXAMPLES] == [*get_args(ChatEvent)]


@each_event
def test_an_event_is_encoded_as_its_fields_are(event: ChatEvent) -> None:
    found = orjson.loads(encode(event))

    if isinstance(event, told.TurnEnded):
        besides = {name: found["message"].pop(name) for name in BESIDES}
        assert besides["reason"] == "client search is chosen for this message"
        assert besides["answer"]["text"] == MARKED.text
        assert besides["answer"]["suggestions"] == MESSAGE.suggestions
    assert found == _expected(event)


@each_event
def test_the_command_line_prints_the_same_in_ascii(
    event: ChatEvent, capsys: pytest.CaptureFixture[str]
) -> None:
    print_json({"type": event.type, **event_fields(event)})

    line = capsys.readouterr().out
    assert line.isascii()
    assert json.loads(line) == {"type": event.type, **orjson.loads(encode(event))}


@each_event
def test_a_page_gets_the_same_as_a_frame(event: ChatEvent) -> None:
    [number, kind, data] = frames([event], 7).removesuffix(b"\n\n").split(b"\n")

    assert (number, kind) == (b"id: 7", f"event: {event.type}".encode())
    # A page is told costs in words as well: it has no rule of its own for them.
    if isinstance(event, told.TurnEnded):
        message = orjson.loads(data.removeprefix(b"data: "))["message"]
        known = orjson.loads(encode(event))["message"]
        assert message.keys() == {*known, "cost_text"}
    elif isinstance(event, told.UsageReported):
        usage = orjson.loads(data.removeprefix(b"data: "))
        assert usage == {**orjson.loads(encode(event)), "cost_text": usage["cost_text"]}
    elif isinstance(event, told.CitationChecked):
        # And where it can look at the page that was compared.
        told_page = orjson.loads(data.removeprefix(b"data: "))
        assert told_page["citation"].pop("source_url") == "/sources/m/1?position=3#passage"
        live = told_page["citation"].pop("live_url")
        assert live is None or live.startswith(f"{event.citation.url}#:~:text=")
        assert told_page == orjson.loads(encode(event))
    else:
        assert data == b"data: " + encode(event)
