"""How a conversation looks in a request to Anthropic."""

import base64
import json

import pytest

from groundwire.errors import SettingsError, UnsupportedError
from groundwire.model import (
    AssistantMessage,
    Attachment,
    Json,
    Message,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.anthropic import provider
from groundwire.wire.contract import Access, Question

ASK = (UserMessage(content="Do otters hold hands?"),)
ASKED: Json = {"role": "user", "content": [{"type": "text", "text": "Do otters hold hands?"}]}

CALL: Json = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {"query": "q"},
}
RESULT: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [
        {
            "type": "web_search_result",
            "url": "https://example.org/otter",
            "title": "Otter",
            "page_age": None,
            "encrypted_content": "T3R0ZXI=",
        }
    ],
}
CITED: Json = {
    "type": "text",
    "text": "Otters hold hands.",
    "citations": [
        {
            "type": "web_search_result_location",
            "url": "https://example.org/otter",
            "title": "Otter",
            "cited_text": "Otters hold hands.",
            "encrypted_index": "T25l",
        }
    ],
}


def _messages(*messages: Message) -> Json:
    question = Question(model="claude-haiku-4-5", messages=messages)
    request = provider.answer_request(question, Access(base_url="https://api.anthropic.com/v1"))
    return json.loads(request.body or b"")["messages"]


def _raw(*blocks: Json) -> AssistantMessage:
    return AssistantMessage(content="…", raw_blocks=list(blocks), raw_provider="anthropic")


def _file(mime_type: str, data: bytes, name: str = "") -> Attachment:
    encoded = base64.b64encode(data).decode()
    return Attachment(type="file", mime_type=mime_type, base64_data=encoded, file_name=name)


def test_tool_results_follow_their_calls_in_one_message() -> None:
    calls = (
        ToolCall(id="toolu_1", name="add", arguments='{"a": 1}'),
        ToolCall(id="toolu_2", name="now", arguments=""),
    )

    messages = _messages(
        *ASK,
        AssistantMessage(content="I add.", tool_calls=calls),
        ToolResultMessage(tool_call_id="toolu_1", content="3"),
        ToolResultMessage(tool_call_id="toolu_2", content="no clock", is_error=True),
        UserMessage(content="And then?"),
    )

    assert messages == [
        ASKED,
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I add."},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "3"},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "content": "no clock",
                    "is_error": True,
                },
                {"type": "text", "text": "And then?"},
            ],
        },
    ]


def test_attachments_come_before_the_words_about_them() -> None:
    attachments = (
        Attachment(type="image", mime_type="image/jpg", base64_data="anBn"),
        _file("application/pdf", b"pdf", "otters.pdf"),
        _file("text/markdown; charset=utf-8", "# Ötter".encode()),
    )

    messages = _messages(UserMessage(content="What is this?", attachments=attachments))

    assert messages == [
        {
            "role": "user",
            "content": [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/jpeg", "data": "anBn"},
                },
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"},
                    "title": "otters.pdf",
                    "citations": {"enabled": True},
                },
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "# Ötter"},
                    "title": "attachment",
                    "citations": {"enabled": True},
                },
                {"type": "text", "text": "What is this?"},
            ],
        }
    ]


def test_an_attachment_that_claude_cannot_read_is_refused_here() -> None:
    message = UserMessage(content="Play it.", attachments=(_file("audio/mpeg", b"mp3"),))

    with pytest.raises(UnsupportedError, match="audio/mpeg"):
        _messages(message)


def test_a_text_attachment_must_be_base64() -> None:
    broken = Attachment(type="file", mime_type="text/plain", base64_data="%", file_name="a.txt")

    with pytest.raises(SettingsError, match=r"a\.txt"):
        _messages(UserMessage(content="Read it.", attachments=(broken,)))


def test_claudes_own_blocks_are_sent_back_unchanged() -> None:
    thought = {"type": "thinking", "thinking": "", "signature": "c2ln"}

    messages = _messages(*ASK, _raw(thought, CALL, RESULT, CITED), UserMessage(content="Sure?"))

    assert messages[1] == {"role": "assistant", "content": [thought, CALL, RESULT, CITED]}


def test_blocks_of_another_provider_are_not_sent() -> None:
    other = AssistantMessage(content="Yes.", raw_blocks=[{"a": 1}], raw_provider="gemini")

    messages = _messages(*ASK, other)

    assert messages[1] == {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}


def test_empty_text_and_unsigned_thoughts_are_not_sent() -> None:
    empty = {"type": "text", "text": ""}
    unsigned = {"type": "thinking", "thinking": "Hm."}

    messages = _messages(*ASK, _raw(empty, unsigned), UserMessage(content=" "))

    assert messages == [ASKED]


def test_half_a_pair_is_not_sent_and_its_neighbours_are_joined() -> None:
    answer = {"type": "text", "text": "I cannot tell."}

    without_result = _messages(*ASK, _raw(CALL), UserMessage(content="And?"))
    without_call = _messages(*ASK, _raw(RESULT, answer))

    assert without_result == [
        {"role": "user", "content": [*ASKED["content"], {"type": "text", "text": "And?"}]}
    ]
    assert without_call == [ASKED, {"role": "assistant", "content": [answer]}]


def test_a_call_that_is_still_running_is_sent() -> None:
    mine = {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}
    result = ToolResultMessage(tool_call_id="toolu_1", content="4")

    paused = _messages(*ASK, _raw(CALL))
    beside_ours = _messages(*ASK, _raw(CALL, mine), result)

    assert paused[1]["content"] == [CALL]
    assert beside_ours[1]["content"] == [CALL, mine]


def test_citations_of_what_is_gone_are_not_sent() -> None:
    document = {"type": "char_location", "document_index": 0, "document_title": "Gone"}
    both = {**CITED, "citations": [*CITED["citations"], document]}

    alone = _messages(*ASK, _raw(both))
    together = _messages(*ASK, _raw(CALL, RESULT, both))

    assert alone[1]["content"] == [{**CITED, "citations": []}]
    assert together[1]["content"] == [CALL, RESULT, CITED]
