"""Content blocks of a client's Messages request: words, files, and what its tools gave back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from groundwire.model import Attachment, ToolResultMessage
from groundwire.wire.inbound import InboundError, list_in, object_in, text_in

if TYPE_CHECKING:
    from groundwire.model import Json


def text_parts(
    blocks: Json, where: str, tools: Mapping[str, Mapping[str, Json]] | None = None
) -> list[str]:
    """Return the texts of blocks that are words; `tools` are those that a block may refer to.

    Raises:
        InboundError: One is something that no model of another service could be given.
    """
    if not isinstance(blocks, list):
        raise InboundError(f"{where} must be a text or a list of blocks", param=where)
    found: list[str] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        match kind:
            case "text":
                found.append(text_in(block, "text"))
            case "search_result":
                found.append(_search_result(block, where))
            case "tool_reference":
                found.append(_tool_reference(text_in(block, "tool_name"), tools or {}))
            case _:
                raise InboundError(f"{where}: blocks of type {kind!r} are not taken", param=where)
    return [text for text in found if text]


def attachment_of(block: Json, where: str) -> Attachment:
    """Return an image or a document.

    Raises:
        InboundError: It is not sent along, but only named.
    """
    source = object_in(block, "source")
    kind = text_in(block, "type")
    if source.get("type") == "text":
        return _text_file(text_in(source, "data"), text_in(block, "title"))
    if source.get("type") != "base64":
        raise InboundError(
            f"{where}: send the {kind} itself, as base64: one by {source.get('type')!r} is not "
            "fetched",
            param=where,
        )
    return Attachment(
        type="image" if kind == "image" else "file",
        mime_type=text_in(source, "media_type"),
        base64_data=text_in(source, "data"),
        file_name=text_in(block, "title"),
    )


def tool_result(
    block: Json, where: str, tools: Mapping[str, Mapping[str, Json]]
) -> tuple[ToolResultMessage, list[Attachment]]:
    """Return what a tool gave back as text, and the pictures in it, which go beside it."""
    content = block.get("content")
    texts: Iterable[str] = [content] if isinstance(content, str) else []
    pictures: list[Attachment] = []
    if isinstance(content, list):
        files = [each for each in content if _is_file(each)]
        pictures = [attachment_of(each, where) for each in files]
        texts = text_parts([each for each in content if not _is_file(each)], where, tools)
        if files:
            texts = [*texts, "(What it shows is attached to the next message.)"]
    message = ToolResultMessage(
        tool_call_id=text_in(block, "tool_use_id"),
        content="\n".join(texts),
        is_error=block.get("is_error") is True,
    )
    return message, pictures


def _is_file(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") in ("image", "document")


def _tool_reference(name: str, tools: Mapping[str, Mapping[str, Json]]) -> str:
    """Return a tool that a client's tool search has found, as Anthropic's models are shown it."""
    told = {key: tools.get(name, {}).get(key) for key in ("description", "input_schema")}
    about = json.dumps({"name": name, **told}, ensure_ascii=False)
    return f"The tool {name} can be called from now on: {about}"


def _search_result(block: Json, where: str) -> str:
    inner = "\n".join(text_parts(list_in(block, "content"), where))
    return f"{text_in(block, 'title')}\n{text_in(block, 'source')}\n{inner}"


def _text_file(text: str, name: str) -> Attachment:
    import base64  # noqa: PLC0415 - only for the rare document that is sent as text

    data = base64.b64encode(text.encode()).decode()
    return Attachment(type="file", mime_type="text/plain", base64_data=data, file_name=name)
