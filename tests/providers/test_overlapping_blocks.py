"""Blocks, steps, calls and answers that overlap on the other wires: the same promise."""

import json
from random import Random

import pytest

from groundwire.events import RawBlocks, TextDelta, ThinkingDelta, ToolCallDelta, ToolCallStart
from groundwire.model import Json
from groundwire.providers.gemini import Gemini
from groundwire.wire.anthropic.replies import MessagesDecoder
from groundwire.wire.openai.chat_replies import ChatDecoder
from tests.providers.anthropic_wire import START, closing, ending, growing, opening
from tests.providers.openai_wire import chunk
from tests.providers.overlaps import content, mixed, told_by
from tests.security.fuzzing import chances, fuzz

SITE = "https://otters.example"


def words(text: str, chance: Random) -> list[str]:
    cuts = sorted(chance.sample(range(1, len(text)), k=min(3, len(text) - 1)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def text_block(index: int, chance: Random) -> list[Json]:
    cited = {
        "type": "web_search_result_location",
        "url": f"{SITE}/{index}",
        "title": "T",
        "cited_text": "so",
        "encrypted_index": "x",
    }
    pieces = [
        growing(index, "text_delta", text=word)
        for word in words(f"Claim {index} 🦦 is so. ", chance)
    ]
    pieces.insert(
        chance.randrange(len(pieces) + 1), growing(index, "citations_delta", citation=cited)
    )
    return [opening(index, {"type": "text", "text": "", "citations": []}), *pieces, closing(index)]


def thinking_block(index: int, chance: Random) -> list[Json]:
    pieces = [
        growing(index, "thinking_delta", thinking=word)
        for word in words(f"Thought {index}. ", chance)
    ]
    signed = growing(index, "signature_delta", signature=f"s{index}")
    return [
        opening(index, {"type": "thinking", "thinking": "", "signature": ""}),
        *pieces,
        signed,
        closing(index),
    ]


def tool_block(index: int, chance: Random) -> list[Json]:
    block = {"type": "tool_use", "id": f"toolu_{index}", "name": "weather", "input": {}}
    pieces = [
        growing(index, "input_json_delta", partial_json=word)
        for word in words(f'{{"city": "Oslo {index}"}}', chance)
    ]
    return [opening(index, block), *pieces, closing(index)]


def search_block(index: int, chance: Random) -> list[Json]:
    block = {"type": "server_tool_use", "id": f"srv_{index}", "name": "web_search", "input": {}}
    pieces = [
        growing(index, "input_json_delta", partial_json=word)
        for word in words(f'{{"query": "otters {index}"}}', chance)
    ]
    return [opening(index, block), *pieces, closing(index)]


@fuzz(120, chance=chances)
def test_blocks_of_claude_that_overlap_say_what_they_say_in_turn(chance: Random) -> None:
    makers = chance.choices(
        (text_block, text_block, thinking_block, tool_block, search_block), k=chance.randint(2, 5)
    )
    lists = [make(index, chance) for index, make in enumerate(makers)]
    end = ending("end_turn", output_tokens=3)

    in_turn = [each for events in lists for each in events]
    overlapping = mixed(lists, chance)

    assert content(told_by(MessagesDecoder(), [START, *overlapping, *end])) == content(
        told_by(MessagesDecoder(), [START, *in_turn, *end])
    )


def test_text_of_a_later_block_waits_until_the_earlier_is_closed_or_cut_off() -> None:
    stream = [
        START,
        opening(0, {"type": "text", "text": ""}),
        growing(0, "text_delta", text="Fir"),
        opening(1, {"type": "text", "text": ""}),
        growing(1, "text_delta", text="Second."),
        growing(0, "text_delta", text="st. "),
    ]

    closed = told_by(MessagesDecoder(), [*stream, closing(1), closing(0), *ending("end_turn")])
    cut = told_by(MessagesDecoder(), stream)

    for events in (closed, cut):
        texts = [event.text for event in events if isinstance(event, TextDelta)]
        assert texts == ["Fir", "st. ", "Second."]


def step(index: int, chance: Random) -> list[Json]:
    """Return the events of one step of an interaction."""
    place = {"event_type": "step.delta", "index": index}
    kind = chance.choice(("model_output", "model_output", "thought", "function_call"))
    begun: Json = {"type": kind}
    match kind:
        case "model_output":
            note = {"type": "url_citation", "url": f"{SITE}/{index}", "title": "T"}
            span = {"start_index": 6, "end_index": 7}
            deltas: list[Json] = [
                {"type": "text", "text": word} for word in words(f"Öland {index}. ", chance)
            ]
            deltas.append({"type": "text_annotation_delta", "annotations": [{**note, **span}]})
        case "thought":
            summary = {"type": "text", "text": f"Thought {index}. "}
            deltas = [{"type": "thought_summary", "content": summary}]
        case _:
            begun |= {"id": f"f{index}", "name": "weather", "arguments": {}}
            deltas = [
                {"type": "arguments_delta", "arguments": word}
                for word in words(f'{{"city": "Oslo {index}"}}', chance)
            ]
    return [
        {"event_type": "step.start", "index": index, "step": begun},
        *({**place, "delta": delta} for delta in deltas),
        {"event_type": "step.stop", "index": index},
    ]


@fuzz(100, chance=chances)
def test_steps_of_an_interaction_that_overlap_say_what_they_say_in_turn(chance: Random) -> None:
    lists = [step(index, chance) for index in range(chance.randint(2, 5))]
    end = {"event_type": "interaction.completed", "interaction": {"status": "completed"}}

    in_turn = [each for events in lists for each in events]
    overlapping = mixed(lists, chance)

    assert content(told_by(Gemini().answer_decoder(), [*overlapping, end])) == content(
        told_by(Gemini().answer_decoder(), [*in_turn, end])
    )


def call(index: int, chance: Random) -> list[Json]:
    """Return the deltas of one call in Chat Completions."""
    first, *rest = words(f'{{"city": "Oslo {index}"}}', chance)
    begun = {"name": "weather", "arguments": first}
    return [
        {"index": index, "id": f"call_{index}", "type": "function", "function": begun},
        *({"index": index, "function": {"arguments": word}} for word in rest),
    ]


@fuzz(60, chance=chances)
def test_calls_in_chat_completions_that_overlap_are_told_apart(chance: Random) -> None:
    lists = [call(index, chance) for index in range(chance.randint(2, 4))]
    end = [chunk({}, "tool_calls"), "[DONE]"]

    in_turn = [chunk({"tool_calls": [each]}) for deltas in lists for each in deltas]
    overlapping = [chunk({"tool_calls": [each]}) for each in mixed(lists, chance)]

    said = [told_by_chat([*stream, *end]) for stream in (overlapping, in_turn)]
    assert content(said[0]) == content(said[1])


def told_by_chat(objects: list[Json]) -> list[Json]:
    decoder = ChatDecoder("openai")
    texts = [each if isinstance(each, str) else json.dumps(each) for each in objects]
    return [event for text in texts for event in decoder.feed_data(text)] + [*decoder.finish()]


def test_a_whole_message_at_the_end_of_a_chat_repeats_nothing() -> None:
    function = {"name": "weather", "arguments": '{"city": "Oslo"}'}
    message = {
        "role": "assistant",
        "content": "Yes.",
        "reasoning": "Hm.",
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    begun = {"index": 0, "id": "c", "function": {**function, "arguments": '{"city": '}}
    pieces = [
        chunk({"reasoning": "Hm."}),
        chunk({"content": "Yes."}),
        chunk({"tool_calls": [begun]}),
    ]
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}

    streamed = told_by_chat([*pieces, whole, "[DONE]"])

    assert content(streamed) == content(told_by_chat([whole, "[DONE]"]))


@pytest.mark.parametrize("others_first", [True, False])
def test_another_answer_to_the_same_question_is_not_mixed_in(*, others_first: bool) -> None:
    def candidate(index: int, text: str) -> Json:
        return {"index": index, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"}

    both = [candidate(0, "Yes."), candidate(1, "No.")]
    chunks = [
        {"candidates": both[::-1] if others_first else both},
        {"candidates": [candidate(1, "Never.")]},
        {"candidates": [candidate(0, " Yes!")]},
    ]

    events = told_by(Gemini().answer_decoder(), chunks)

    assert content(events)["text"] == "Yes. Yes!"


def test_thinking_that_waits_is_not_lost_and_goes_back_in_order() -> None:
    events = told_by(
        MessagesDecoder(),
        [
            START,
            *thinking_block(0, Random(1))[:-1],
            *thinking_block(1, Random(1)),
            closing(0),
            *ending("end_turn"),
        ],
    )

    thought = "".join(event.text for event in events if isinstance(event, ThinkingDelta))
    [raw] = [event.blocks for event in events if isinstance(event, RawBlocks)]
    assert thought == "Thought 0. Thought 1. "
    assert [block["signature"] for block in raw] == ["s0", "s1"]


# --- Calls of Gemini whose arguments arrive in pieces.


def piece(path: str, **value: Json) -> Json:
    return {"jsonPath": path, **value}


def calling(*calls: Json) -> list[Json]:
    """Return a stream with a part for each piece of a call."""
    parts = [{"functionCall": each} for each in calls]
    chunks = [{"candidates": [{"index": 0, "content": {"parts": [part]}}]} for part in parts]
    return [*chunks, {"candidates": [{"index": 0, "finishReason": "STOP"}]}]


def calls_in(stream: list[Json]) -> list[tuple[str, Json]]:
    told = content(told_by(Gemini(now=lambda: 1).answer_decoder(), stream))
    assert told["ended"].keys() == told["names"].keys()
    assert not told["warned"]
    return [(name, told["arguments"][id_]) for id_, name in told["names"].items()]


LAST_PIECES: dict[str, list[Json]] = {
    "an empty call": [{"partialArgs": [piece("$.n", numberValue=5.0)], "willContinue": True}, {}],
    "no word of going on": [{"partialArgs": [piece("$.n", numberValue=5.0)]}],
    "both": [{"partialArgs": [piece("$.n", numberValue=5.0)]}, {}],
    "a plain no": [{"partialArgs": [piece("$.n", numberValue=5.0)], "willContinue": False}],
    "the end of the reply": [
        {"partialArgs": [piece("$.n", numberValue=5.0)], "willContinue": True}
    ],
}


@pytest.mark.parametrize("ending", LAST_PIECES)
def test_arguments_that_arrive_in_pieces_are_one_call(ending: str) -> None:
    stream = calling(
        {"name": "book", "willContinue": True},
        {
            "partialArgs": [piece("$.city", stringValue="New ", willContinue=True)],
            "willContinue": True,
        },
        {
            "partialArgs": [
                piece("$.city", stringValue="York", willContinue=True),
                piece("$.city", stringValue=""),
                piece("$.guests[0].name", stringValue="Ö"),
                piece("$.guests[0].age", numberValue=3.5),
                piece("$.guests[1]['last name']", stringValue="d'Or"),
                piece('$["is it\\"so"]', boolValue=False),
                piece("$.none", nullValue="NULL_VALUE"),
            ],
            "willContinue": True,
        },
        *LAST_PIECES[ending],
    )

    assert calls_in(stream) == [
        (
            "book",
            {
                "city": "New York",
                "guests": [{"name": "Ö", "age": 3.5}, {"last name": "d'Or"}],
                'is it"so': False,
                "none": None,
                "n": 5,
            },
        )
    ]


def test_calls_in_pieces_are_told_apart_by_id_or_by_name() -> None:
    named = calling(
        {"id": "a", "name": "look", "willContinue": True},
        {"id": "b", "name": "look", "willContinue": True},
        {"id": "a", "name": "look", "partialArgs": [piece("$.at", stringValue="sea")]},
        {"id": "b", "name": "look", "partialArgs": [piece("$.at", stringValue="sky")]},
        {"name": "plain", "args": {"x": 1}},
    )
    unnamed = calling(
        {"name": "look", "partialArgs": [piece("$.at", stringValue="sea")], "willContinue": True},
        {},
        {"name": "look", "partialArgs": [piece("$.at", stringValue="sky")], "willContinue": True},
        {"partialArgs": [piece("$.at", stringValue="!")]},
        {},
        {"name": "rest"},
    )

    assert calls_in(named) == [
        ("look", {"at": "sea"}),
        ("look", {"at": "sky"}),
        ("plain", {"x": 1}),
    ]
    assert calls_in(unnamed) == [("look", {"at": "sea"}), ("look", {"at": "sky!"}), ("rest", {})]


def test_a_call_in_pieces_goes_back_as_one_part_with_its_signature() -> None:
    parts: list[Json] = [
        {
            "functionCall": {"id": "a", "name": "look", "willContinue": True},
            "thoughtSignature": "s",
        },
        {"functionCall": {"id": "a", "partialArgs": [piece("$.at", stringValue="sea")]}},
        {"functionCall": {}},
    ]
    chunks = [{"candidates": [{"index": 0, "content": {"parts": [part]}}]} for part in parts]

    events = told_by(
        Gemini().answer_decoder(), [*chunks, {"candidates": [{"finishReason": "STOP"}]}]
    )

    [raw] = [event.blocks for event in events if isinstance(event, RawBlocks)]
    call = {"id": "a", "name": "look", "args": {"at": "sea"}}
    assert raw == [{"functionCall": call, "thoughtSignature": "s"}]


WRONG_PATHS = ("at", "$", "$[0]", "$.at[x]", "$.at.", "$.at[0].b", "$.at.b", "$" + ".a" * 70, 7)


@pytest.mark.parametrize("path", WRONG_PATHS)
def test_a_path_that_leads_nowhere_costs_only_its_piece(path: Json) -> None:
    stream = calling(
        {"name": "look", "partialArgs": [piece("$.at", stringValue="sea")], "willContinue": True},
        {"partialArgs": [piece(path, stringValue="x")], "willContinue": True},
        {},
    )

    events = told_by(Gemini(now=lambda: 1).answer_decoder(), stream)

    told = content(events)
    assert list(told["arguments"].values()) == [{"at": "sea"}]
    assert list(told["warned"]) == ["skipped malformed content of gemini"]


def test_a_far_entry_of_a_list_takes_no_room() -> None:
    stream = calling(
        {
            "name": "look",
            "partialArgs": [
                piece("$.at[999999999]", stringValue="b"),
                piece("$.at[3]", stringValue="a"),
            ],
        }
    )

    assert calls_in(stream) == [("look", {"at": ["a", "b"]})]


def test_a_call_that_is_cut_off_is_not_complete() -> None:
    stream = calling(
        {"name": "look", "partialArgs": [piece("$.at", stringValue="se")], "willContinue": True}
    )[:-1]

    events = told_by(Gemini().answer_decoder(), stream)

    assert [
        type(event) for event in events if isinstance(event, ToolCallStart | ToolCallDelta)
    ] == [ToolCallStart]
    assert not content(events)["ended"]
