"""Gemini: how a conversation is told again."""

from groundwire.model import (
    AssistantMessage,
    Attachment,
    Json,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from tests.providers.gemini_wire import contents_for


def test_files_go_inline_before_the_words_about_them() -> None:
    image = Attachment(type="image", mime_type="image/png", base64_data="aW1n")
    paper = Attachment(type="file", mime_type="application/pdf", base64_data="cGRm")

    contents = contents_for(
        UserMessage(content="Compare.", attachments=(image, paper)),
        UserMessage(content="", attachments=(image,)),
    )

    assert contents == [
        {
            "role": "user",
            "parts": [
                {"inlineData": {"mimeType": "image/png", "data": "aW1n"}},
                {"inlineData": {"mimeType": "application/pdf", "data": "cGRm"}},
                {"text": "Compare."},
                {"inlineData": {"mimeType": "image/png", "data": "aW1n"}},
            ],
        }
    ]


def _result(call_id: str, name: str, response: Json) -> Json:
    return {"functionResponse": {"id": call_id, "name": name, "response": response}}


def test_roles_take_turns_and_results_in_a_row_become_one_content() -> None:
    contents = contents_for(
        UserMessage(content="Look twice."),
        AssistantMessage(
            content="Looking.",
            tool_calls=(
                ToolCall(id="c1", name="look", arguments='{"at": "sea"}'),
                ToolCall(id="c2", name="rest", arguments=""),
                ToolCall(id="c3", name="look", arguments="[1]"),
            ),
        ),
        ToolResultMessage(tool_call_id="c1", content='{"seen": 2}'),
        ToolResultMessage(tool_call_id="c2", content="rested"),
        ToolResultMessage(tool_call_id="c3", content="no such place", is_error=True),
        ToolResultMessage(tool_call_id="lost", content="orphan"),
        *(AssistantMessage(content=said) for said in ("", "Two", " otters.")),
    )

    assert contents == [
        {"role": "user", "parts": [{"text": "Look twice."}]},
        {
            "role": "model",
            "parts": [
                {"text": "Looking."},
                {"functionCall": {"id": "c1", "name": "look", "args": {"at": "sea"}}},
                {"functionCall": {"id": "c2", "name": "rest", "args": {}}},
                {"functionCall": {"id": "c3", "name": "look", "args": {"input": "[1]"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                _result("c1", "look", {"seen": 2}),
                _result("c2", "rest", {"output": "rested"}),
                _result("c3", "look", {"error": "no such place"}),
                {"text": "orphan"},
            ],
        },
        {"role": "model", "parts": [{"text": "Two"}, {"text": " otters."}]},
    ]


def test_raw_parts_go_back_unchanged_and_a_call_without_id_gets_a_result_without_one() -> None:
    raw = [
        {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "wire-7", "name": "look", "args": {}}},
        {"toolCall": {"id": "s1", "toolType": "GOOGLE_SEARCH_WEB"}, "thoughtSignature": "dHdv"},
    ]
    message = AssistantMessage(
        content="",
        tool_calls=(ToolCall(id="call_look_1_1", name="look"), ToolCall(id="wire-7", name="look")),
        raw_blocks=raw,
        raw_provider="gemini",
    )

    contents = contents_for(
        message,
        ToolResultMessage(tool_call_id="call_look_1_1", content="{}"),
        ToolResultMessage(tool_call_id="wire-7", content="{}"),
        model="gemini-3-flash",
    )

    assert contents == [
        {"role": "model", "parts": raw},
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look", "response": {}}},
                {"functionResponse": {"id": "wire-7", "name": "look", "response": {}}},
            ],
        },
    ]


def test_the_calls_of_another_model_are_sent_with_the_signature_for_strangers() -> None:
    message = AssistantMessage(
        content="Hm.",
        tool_calls=(ToolCall(id="t1", name="look"), ToolCall(id="t2", name="look")),
        raw_blocks=[{"type": "tool_use"}],
        raw_provider="anthropic",
    )

    contents = contents_for(message, model="gemini-3-flash")

    assert contents == [
        {
            "role": "model",
            "parts": [
                {"text": "Hm."},
                {
                    "functionCall": {"id": "t1", "name": "look", "args": {}},
                    "thoughtSignature": "skip_thought_signature_validator",
                },
                {"functionCall": {"id": "t2", "name": "look", "args": {}}},
            ],
        }
    ]
