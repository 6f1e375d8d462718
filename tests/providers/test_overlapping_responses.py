"""Output items of a Responses reply that overlap: nothing is said twice, nothing is lost."""

from random import Random

import pytest

from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from groundwire.model import Citation, Json
from groundwire.wire.openai.responses_replies import ResponsesDecoder
from tests.providers.openai_wire import COMPLETED, feed
from tests.providers.overlaps import content, mixed, told_by
from tests.security.fuzzing import chances, fuzz

SITE = "https://otters.example"


def decoder() -> ResponsesDecoder:
    return ResponsesDecoder("openai-responses")


def event(kind: str, index: int, **fields: Json) -> Json:
    return {"type": f"response.{kind}", "output_index": index, **fields}


def added(index: int, item: Json) -> Json:
    return event("output_item.added", index, item=item)


def done(index: int, item: Json) -> Json:
    return event("output_item.done", index, item=item)


def words(text: str, chance: Random) -> list[str]:
    cuts = sorted(chance.sample(range(1, len(text)), k=min(3, len(text) - 1)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def message(index: int, chance: Random) -> tuple[Json, list[Json]]:
    """Return a message and its events; its parts overlap too."""
    parts, lists = [], []
    names: Json = {"item_id": f"msg_{index}"}
    for number in range(chance.choice((1, 1, 2))):
        text = f"Claim {index}.{number} is 🦦 so. "
        note = {
            "type": "url_citation",
            "url": f"{SITE}/{index}/{number}",
            "title": "T",
            "start_index": 6,
            "end_index": 12,
        }
        parts.append({"type": "output_text", "text": text, "annotations": [note]})
        place = {**names, "content_index": number}
        pieces = [event("output_text.delta", index, **place, delta=w) for w in words(text, chance)]
        cited = event("output_text.annotation.added", index, **place, annotation=note)
        pieces.insert(chance.randrange(len(pieces) + 1), cited)
        pieces.append(event("output_text.done", index, **place, text=text))
        lists.append([*pieces, event("content_part.done", index, **place, part=parts[-1])])
    item = {"type": "message", "id": f"msg_{index}", "role": "assistant", "content": parts}
    begun = [
        event("content_part.added", index, **names, content_index=number, part=part)
        for number, part in enumerate(parts)
    ]
    return item, [
        added(index, {**item, "content": []}),
        *begun,
        *mixed(lists, chance),
        done(index, item),
    ]


def reasoning(index: int, chance: Random) -> tuple[Json, list[Json]]:
    lists, summary = [], []
    for number in range(chance.choice((0, 1, 2))):
        text = f"Thought {index}.{number}: hm."
        summary.append({"type": "summary_text", "text": text})
        place = {"item_id": f"rs_{index}", "summary_index": number}
        pieces = [
            event("reasoning_summary_text.delta", index, **place, delta=word)
            for word in words(text, chance)
        ]
        begun = event("reasoning_summary_part.added", index, **place, part=summary[-1])
        ended = event("reasoning_summary_text.done", index, **place, text=text)
        lists.append([begun, *pieces, ended])
    item = {"type": "reasoning", "id": f"rs_{index}", "summary": summary, "encrypted_content": "x"}
    bare = {**item, "summary": []}
    return item, [added(index, bare), *mixed(lists, chance), done(index, item)]


def call(index: int, chance: Random) -> tuple[Json, list[Json]]:
    arguments = f'{{"city": "Oslo {index}"}}'
    item = {
        "type": "function_call",
        "id": f"fc_{index}",
        "call_id": f"call_{index}",
        "name": "weather",
        "arguments": arguments,
    }
    pieces = [
        event("function_call_arguments.delta", index, item_id=f"fc_{index}", delta=word)
        for word in words(arguments, chance)
    ]
    return item, [added(index, {**item, "arguments": ""}), *pieces, done(index, item)]


def search(index: int, chance: Random) -> tuple[Json, list[Json]]:  # noqa: ARG001 - as the others
    sources = [{"type": "url", "url": f"{SITE}/{index}/0"}]
    action = {"type": "search", "query": f"otters {index}", "sources": sources}
    item = {"type": "web_search_call", "id": f"ws_{index}", "status": "completed", "action": action}
    begun = {**item, "status": "in_progress", "action": {"type": "search"}}
    searching = event("web_search_call.searching", index, item_id=f"ws_{index}")
    return item, [added(index, begun), searching, done(index, item)]


def reply(chance: Random) -> tuple[list[list[Json]], Json]:
    """Return the events of each item of a reply, and its end."""
    makers = chance.choices((message, message, reasoning, call, search), k=chance.randint(2, 5))
    made = [make(index, chance) for index, make in enumerate(makers)]
    response = {
        "status": "completed",
        "output": [item for item, _ in made],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }
    end = {"type": "response.completed", "response": response}
    return [events for _, events in made], end


@fuzz(150, chance=chances)
def test_items_that_overlap_say_what_they_say_one_after_the_other(chance: Random) -> None:
    lists, end = reply(chance)

    in_turn = told_by(decoder(), [*(each for events in lists for each in events), end])
    overlapping = told_by(decoder(), [*mixed(lists, chance), end])
    whole = decoder().feed_body(end["response"])

    assert content(overlapping) == content(in_turn) == content(whole)
    texts = [part["text"] for item in end["response"]["output"] for part in item.get("content", ())]
    assert content(in_turn)["text"] == "".join(texts)


def without(kinds: tuple[str, ...], events: list[Json]) -> list[Json]:
    return [each for each in events if not each["type"].endswith(kinds)]


GAPS = {
    "pieces": (".delta",),
    "pieces and parts": (".delta", "text.done", "part.done", "part.added"),
    "all but the items": (".delta", "text.done", "part.done", "part.added", "annotation.added"),
    "beginnings": ("item.added", "part.added"),
    "ends of items": ("item.done",),
    "ends": (".done",),
    "ends of parts": ("text.done", "part.done"),
    "citations": ("annotation.added",),
    "items": ("item.added", "item.done"),
}


@pytest.mark.parametrize("missing", GAPS)
@fuzz(25, chance=chances)
def test_what_one_telling_leaves_out_is_taken_from_the_next(missing: str, chance: Random) -> None:
    lists, end = reply(chance)
    whole = content(decoder().feed_body(end["response"]))

    in_turn = [each for events in lists for each in without(GAPS[missing], events)]
    if missing in ("items", "beginnings"):  # A piece of a call that has no name is damage.
        in_turn = [each for each in in_turn if "arguments" not in each["type"]]

    assert content(told_by(decoder(), [*in_turn, end])) == whole


@fuzz(50, chance=chances)
def test_what_is_told_twice_is_said_once(chance: Random) -> None:
    lists, end = reply(chance)
    once = mixed(lists, chance)
    ends = [each for each in once if each["type"].endswith(".done")]

    twice = [*once, *chance.sample(ends, k=len(ends) // 2), end, end]

    assert content(told_by(decoder(), twice)) == content(told_by(decoder(), [*once, end]))


def renamed(events: list[Json], chance: Random) -> list[Json]:
    """Return events with a new id in each, as a proxy that encrypts them sends."""
    told = []
    for each in events:
        name = {"item_id": f"enc_{chance.random()}"} if "item_id" in each else {}
        item = {"item": {**each["item"], "id": f"enc_{chance.random()}"}} if "item" in each else {}
        told.append({**each, **name, **item})
    return told


def with_one_number(events: list[Json], chance: Random) -> list[Json]:  # noqa: ARG001
    """Return events of which all name the same item number, as some servers do."""
    return [{**each, "output_index": 0} for each in events]


def without_numbers(events: list[Json], chance: Random) -> list[Json]:  # noqa: ARG001
    """Return events that do not number their items."""
    return [{k: v for k, v in each.items() if k != "output_index"} for each in events]


@pytest.mark.parametrize("change", [renamed, with_one_number, without_numbers])
@fuzz(40, chance=chances)
def test_one_of_the_two_names_of_an_item_is_enough(change: Json, chance: Random) -> None:
    lists, end = reply(chance)
    sound = mixed(lists, chance)

    told = content(told_by(decoder(), [*change(sound, chance), end]))

    assert told == content(told_by(decoder(), [*sound, end]))


def test_an_item_that_ends_before_an_older_one_repeats_no_thinking() -> None:
    thought = {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": "Look."}],
        "encrypted_content": "x",
    }
    asked = {
        "type": "function_call",
        "id": "fc",
        "call_id": "c",
        "name": "look",
        "arguments": "{}",
    }
    place = {"item_id": "rs", "summary_index": 0}

    events = feed(
        decoder(),
        [
            added(0, {**thought, "summary": []}),
            event("reasoning_summary_text.delta", 0, **place, delta="Look."),
            added(1, {**asked, "arguments": ""}),
            event("function_call_arguments.delta", 1, item_id="fc", delta="{}"),
            done(1, asked),
            done(0, thought),
            COMPLETED,
        ],
    )

    assert events == [
        ThinkingDelta("Look."),
        ToolCallStart("c", "look"),
        ToolCallDelta("c", "{}"),
        ToolCallEnd("c"),
        RawBlocks([thought, asked]),
        Done("completed"),
    ]


def two_messages() -> list[Json]:
    texts = ("First. ", "Second.")
    items = [
        {"type": "message", "id": f"m{at}", "content": [{"type": "output_text", "text": text}]}
        for at, text in enumerate(texts)
    ]
    place = {"content_index": 0}
    note = {"type": "url_citation", "url": SITE, "title": "T", "start_index": 0, "end_index": 6}
    return [
        added(0, items[0]),
        added(1, items[1]),
        event("output_text.delta", 0, item_id="m0", **place, delta="Fir"),
        event("output_text.delta", 1, item_id="m1", **place, delta="Second."),
        event("output_text.annotation.added", 1, item_id="m1", **place, annotation=note),
        event("output_text.delta", 0, item_id="m0", **place, delta="st. "),
        done(1, items[1]),
        done(0, items[0]),
    ]


def test_text_of_a_later_message_waits_for_the_earlier_and_so_does_its_citation() -> None:
    events = feed(decoder(), [*two_messages(), COMPLETED])

    assert events == [
        TextDelta("Fir"),
        TextDelta("st. "),
        TextDelta("Second."),
        Citations((Citation(url=SITE, title="T", start=7, end=13),)),
        Done("completed"),
    ]


@pytest.mark.parametrize("ending", [None, {"type": "error", "message": "no"}])
def test_text_that_waits_is_told_when_the_reply_breaks_off(ending: Json) -> None:
    stream = [*two_messages()[:-2], *([ending] if ending else [])]

    events = told_by(decoder(), stream)

    assert [each.text for each in events if isinstance(each, TextDelta)] == [
        "Fir",
        "st. ",
        "Second.",
    ]
    assert isinstance(events[-1], Error)
