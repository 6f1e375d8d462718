"""A conversation as the Messages API takes it: alternating roles, whole pairs, no empty text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from groundwire.model import AssistantMessage, Json, Message, ToolResultMessage, UserMessage
from groundwire.wire.anthropic.documents import (
    SourceDocument,
    attachment_block,
    cited_document,
    documents_in,
)
from groundwire.wire.text import parsed

RAW_PROVIDER = "anthropic"

_Turn: TypeAlias = tuple[str, list[Json]]


def wire_messages(messages: Sequence[Message]) -> list[Json]:
    """Return messages as a request carries them."""
    turns = _with_whole_pairs([_turn(message) for message in messages])
    merged: list[Json] = []
    for role, blocks in _with_supported_citations(turns):
        if not blocks:
            continue
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].extend(blocks)
        else:
            merged.append({"role": role, "content": blocks})
    return merged


def replayable(blocks: Iterable[Json]) -> list[Json]:
    """Return a reply's blocks without those that the service would not take back."""
    return [
        block
        for block in blocks
        if not (block.get("type") == "text" and not block.get("text"))
        and not (block.get("type") == "thinking" and not block.get("signature"))
    ]


def _turn(message: Message) -> _Turn:
    match message:
        case UserMessage():
            attached = [attachment_block(attachment) for attachment in message.attachments]
            return "user", attached + _text_blocks(message.content)
        case ToolResultMessage():
            return "user", [_tool_result(message)]
        case AssistantMessage(raw_blocks=list() as blocks, raw_provider="anthropic"):
            return "assistant", replayable(blocks)
        case AssistantMessage():
            return "assistant", _text_blocks(message.content) + _tool_uses(message)


def _text_blocks(text: str) -> list[Json]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _tool_result(message: ToolResultMessage) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    if message.content:
        block["content"] = message.content
    if message.is_error:
        block["is_error"] = True
    return block


def _tool_uses(message: AssistantMessage) -> list[Json]:
    return [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": parsed_input(call.arguments),
        }
        for call in message.tool_calls
    ]


def parsed_input(arguments: str) -> Json:
    """Return a tool's input; a call without arguments, or with broken ones, has an empty one."""
    given = parsed(arguments)
    return given if isinstance(given, dict) else {}


def _with_whole_pairs(turns: list[_Turn]) -> list[_Turn]:
    """Leave out calls without a result and results without a call: each alone is refused.

    A call may wait for its result as long as nobody has said anything since, which is how an
    answer that paused goes on.
    """
    blocks = [block for _, content in turns for block in content]
    calls = {block["id"] for block in blocks if _is_call(block)}
    results = {block["tool_use_id"] for block in blocks if "tool_use_id" in block}
    last_said = max(
        (number for number, (role, content) in enumerate(turns) if _says(role, content)), default=-1
    )

    def is_whole(number: int, block: Json) -> bool:
        if _is_call(block):
            return block["id"] in results or number > last_said
        return "tool_use_id" not in block or block["tool_use_id"] in calls

    return [
        (role, [block for block in content if is_whole(number, block)])
        for number, (role, content) in enumerate(turns)
    ]


def _is_call(block: Json) -> bool:
    return str(block.get("type")).endswith("tool_use") and "id" in block


def _says(role: str, content: list[Json]) -> bool:
    return role == "user" and any(block["type"] != "tool_result" for block in content)


def _with_supported_citations(turns: list[_Turn]) -> list[_Turn]:
    """Leave out citations of what is not in the conversation any more, also refused."""
    blocks = [block for _, content in turns for block in content]
    documents = documents_in(blocks)
    urls = {
        hit.get("url")
        for block in blocks
        if block.get("type") == "web_search_tool_result" and isinstance(block["content"], list)
        for hit in block["content"]
    }
    return [
        (role, [_with_citations_of(block, urls, documents) for block in content])
        for role, content in turns
    ]


def _with_citations_of(block: Json, urls: set[str], documents: list[SourceDocument]) -> Json:
    # Documents have `citations` too: whether they may be cited.
    citations = block.get("citations") if block.get("type") == "text" else None
    if not citations:
        return block
    kept = [citation for citation in citations if _is_supported(citation, urls, documents)]
    return block if len(kept) == len(citations) else {**block, "citations": kept}


def _is_supported(citation: Json, urls: set[str], documents: list[SourceDocument]) -> bool:
    if "url" in citation:
        return citation["url"] in urls
    return "document_index" in citation and cited_document(citation, documents) is not None
