"""A conversation as a model gets it: whole pairs, within a budget."""

from __future__ import annotations

from groundwire.chat.history import ledger_of, model_messages
from groundwire.config.settings import Settings
from groundwire.conversation import ChatMessage, MessageKind, Round, TurnState
from groundwire.model import (
    AssistantMessage,
    Citation,
    Json,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

CALL = ToolCall(id="c1", name="web_search", arguments='{"query":"otters"}')


def _asked(text: str, **fields: Json) -> ChatMessage:
    return ChatMessage(session_id="s", kind=MessageKind.USER, content=text, **fields)


def _answered(text: str, **fields: Json) -> ChatMessage:
    return ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, plain_text=text, **fields)


def _told(history: list[ChatMessage], *, max_tokens: int = 1000) -> list[object]:
    return [*model_messages(history, maker="claude", dialect="anthropic", max_tokens=max_tokens)]


def test_another_providers_turn_is_plain_text() -> None:
    round_ = Round(text="Yes.", tool_calls=(CALL,), outputs=(("c1", "found", False),))

    told = _told([_asked("Is it?"), _answered("Yes.", rounds=(round_,), raw_provider="gemini")])

    assert told == [UserMessage(content="Is it?"), AssistantMessage(content="Yes.")]


def test_its_own_turn_is_told_with_its_blocks_and_whole_pairs() -> None:
    rounds = (
        Round(tool_calls=(CALL,), outputs=(("c1", "found", False),), raw_blocks=[{"a": 1}]),
        Round(text="Yes."),
    )

    told = _told([_asked("Is it?"), _answered("Yes.", rounds=rounds, raw_provider="claude")])

    assert told == [
        UserMessage(content="Is it?"),
        AssistantMessage(
            content="", tool_calls=(CALL,), raw_blocks=[{"a": 1}], raw_provider="anthropic"
        ),
        ToolResultMessage(tool_call_id="c1", content="found"),
        AssistantMessage(content="Yes."),
    ]


def test_half_a_pair_is_never_told() -> None:
    cut = Round(text="Let me look.", tool_calls=(CALL,))

    told = _told(
        [_asked("Is it?"), _answered("Let me look.", rounds=(cut,), raw_provider="claude")]
    )

    assert told == [UserMessage(content="Is it?"), AssistantMessage(content="Let me look.")]


def test_a_long_conversation_loses_tool_outputs_first() -> None:
    long = Round(text="Yes.", tool_calls=(CALL,), outputs=(("c1", "x" * 5000, False),))

    told = _told(
        [_asked("Is it?"), _answered("Yes.", rounds=(long,), raw_provider="claude")],
        max_tokens=1000,
    )

    assert told == [UserMessage(content="Is it?"), AssistantMessage(content="Yes.")]


def test_old_turns_shrink_to_excerpts_that_keep_their_sources() -> None:
    source = Citation(url="https://a.org/otter", title="Otter")
    history = [
        _asked("How do otters sleep? " + "Please. " * 300),
        _answered("In kelp. " * 300, citations=(source,)),
        _asked("And eat?"),
        _answered("Shellfish."),
    ]

    told = _told(history, max_tokens=100)

    first, second, *rest = told
    assert isinstance(first, UserMessage)
    assert first.content.startswith("Earlier in this conversation, shortened:\nUser: How do otters")
    assert "  source: Otter https://a.org/otter" in first.content
    assert len(first.content) < 1000
    assert isinstance(second, AssistantMessage)
    assert rest == [UserMessage(content="And eat?"), AssistantMessage(content="Shellfish.")]


def test_a_conversation_remembers_which_pages_have_which_number() -> None:
    known = {
        "2": Citation(url="https://b.org/", title="B"),
        "1": Citation(url="https://a.org/", title="A"),
    }
    history = [_asked("See https://c.org/x"), _answered("Yes.", state=TurnState(known=known))]

    ledger = ledger_of(history, Settings())

    assert ledger.number("https://b.org/", "B") == 2
    assert ledger.number("https://new.org/", "New") == 3
    assert ledger.admit("https://a.org/") == "https://a.org/"
    assert ledger.admit("https://c.org/x") == "https://c.org/x"
    assert ledger.admit("https://d.org/") is None


def test_a_very_long_conversation_stays_within_bounds_and_keeps_the_newest_sources() -> None:
    history = []
    for number in range(1000):
        source = Citation(url=f"https://a.org/{number}", title="Otter")
        history += [_asked("Why? " * 100), _answered("So. " * 100, citations=(source,))]

    told = model_messages(history, maker="claude", dialect="anthropic", max_tokens=1000)

    assert sum(len(each.content) for each in told) < 9_000
    assert "https://a.org/990" in told[0].content


def test_blocks_count_as_much_as_they_are_long() -> None:
    long = Round(text="Yes.", raw_blocks=[{"encrypted_content": "x" * 5000}])

    told = _told([_asked("Is it?"), _answered("Yes.", rounds=(long,), raw_provider="claude")])

    assert told == [UserMessage(content="Is it?"), AssistantMessage(content="Yes.")]


def test_a_reply_that_failed_before_it_said_anything_is_not_told() -> None:
    rounds = (
        Round(text="Let me look.", tool_calls=(CALL,), outputs=(("c1", "x", False),)),
        Round(),
    )

    told = _told(
        [
            _asked("Is it?"),
            _answered("Let me look.", rounds=rounds, raw_provider="claude"),
            _asked("Well?"),
            _answered("", rounds=(Round(),), raw_provider="claude"),
        ]
    )

    assert told == [
        UserMessage(content="Is it?"),
        AssistantMessage(content="Let me look.", tool_calls=(CALL,)),
        ToolResultMessage(tool_call_id="c1", content="x"),
        UserMessage(content="Well?"),
    ]
