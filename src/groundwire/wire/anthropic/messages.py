"""A conversation as the Messages API takes it: alternating roles, whole pairs, no empty text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from groundwire.model import AssistantMessage, Json, Message, ToolResultMessage, UserMessage
from groundwire.wire.anthropic.blocks import (
    SourceDocument,
    attachment_block,
    cited_document,
    documents_in,
    parsed_input,
)

RAW_PROVIDER = "anthropic"

_Turn: TypeAlias = tuple[str, list[Json]]


def wire_messages(messages: Sequence[Message]) -> list[Json]:
    """Return messages as a request carries them."""
    merged: list[Json] = []
    for role, blocks in _with_whole_pairs([_turn(message) for message in messages]):
        if not blocks:
            continue
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].extend(blocks)
        else:
            merged.append({"role": role, "content": blocks})
    _drop_unsupported_citations(merged)
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
            attached = map(attachment_block, message.attachments)
            return "user", [*attached, *_text_blocks(message.content)]
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


def _with_whole_pairs(turns: list[_Turn]) -> list[_Turn]:
    """Leave out calls without a result and results without a call: each alone is refused.

    A call may wait for its result as long as nobody has said anything since, which is how an
    answer that paused goes on.
    """
    calls: set[str] = set()
    results: set[str] = set()
    last_said = -1
    for number, (role, content) in enumerate(turns):
        for block in content:
            if _is_call(block):
                calls.add(block["id"])
            if "tool_use_id" in block:
                results.add(block["tool_use_id"])
            if role == "user" and block["type"] != "tool_result":
                last_said = number
    whole: list[_Turn] = []
    for number, (role, content) in enumerate(turns):
        kept = []
        for block in content:
            if _is_call(block):
                is_whole = block["id"] in results or number > last_said
            else:
                is_whole = "tool_use_id" not in block or block["tool_use_id"] in calls
            if is_whole:
                kept.append(block)
        whole.append((role, kept))
    return whole


def _is_call(block: Json) -> bool:
    return str(block.get("type")).endswith("tool_use") and "id" in block


def _drop_unsupported_citations(turns: list[Json]) -> None:
    """Leave out citations of what is not in the conversation any more, also refused."""
    documents: list[SourceDocument] = []
    urls: set[str] = set()
    for turn in turns:
        documents += documents_in(turn["content"])
        for block in turn["content"]:
            if block.get("type") == "web_search_tool_result" and isinstance(block["content"], list):
                urls.update(hit.get("url") for hit in block["content"])
    for turn in turns:
        for place, block in enumerate(turn["content"]):
            # Documents have `citations` too: whether they may be cited.
            cited = block.get("citations") if block.get("type") == "text" else None
            if cited:
                kept = [each for each in cited if _is_supported(each, urls, documents)]
                turn["content"][place] = {**block, "citations": kept}


def _is_supported(citation: Json, urls: set[str], documents: list[SourceDocument]) -> bool:
    if "url" in citation:
        return citation["url"] in urls
    return "document_index" in citation and cited_document(citation, documents) is not None
