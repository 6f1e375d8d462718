"""Messages of the Messages API: alternating roles, whole pairs, content blocks, documents.

A citation of a document names no URL, only the document's number among all of the conversation.
The number alone is not trusted: a quote is looked up in the document that it is said to be from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from groundwire.errors import UnsupportedError
from groundwire.model import (
    AssistantMessage,
    Attachment,
    Json,
    Message,
    ToolResultMessage,
    UserMessage,
)
from groundwire.wire.attachments import UNNAMED, is_text, plain_type, text_of
from groundwire.wire.contract import ANY_TOOL, OWN_SEARCH
from groundwire.wire.decoder import TextPart, checked_text
from groundwire.wire.text import parsed

RAW_PROVIDER = "anthropic"
SEARCH_NAME = "web_search"

_Turn: TypeAlias = tuple[str, list[Json]]
_IMAGE_TYPES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
# Blocks whose pieces are words, in a field that is called like the block.
SPOKEN = frozenset({"text", "thinking"})
_CITATION_TEXTS = ("url", "source", "title", "cited_text", "document_title")


def wire_messages(messages: Sequence[Message]) -> list[Json]:
    """Return messages as a request carries them."""
    turns = [_turn(message) for message in messages]
    # Before a model has said anything there are no calls and citations that could be half.
    has_replies = any(not isinstance(message, UserMessage) for message in messages)
    merged: list[Json] = []
    for role, blocks in _with_whole_pairs(turns) if has_replies else turns:
        if not blocks:
            continue
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].extend(blocks)
        else:
            merged.append({"role": role, "content": blocks})
    if has_replies:
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
    text = message.content
    words: list[Json] = [{"type": "text", "text": text}] if text.strip() else []
    match message:
        case UserMessage():
            return "user", [*map(attachment_block, message.attachments), *words]
        case ToolResultMessage():
            return "user", [_tool_result(message)]
        case AssistantMessage(raw_blocks=list() as blocks, raw_provider="anthropic"):
            return "assistant", replayable(blocks)
        case AssistantMessage():
            return "assistant", words + _tool_uses(message)


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


class ContentBlock(TextPart):
    """One content block; `pieces` are its text, its thinking or the JSON of its input."""

    __slots__ = ("citations", "is_announced", "kind", "raw", "settled")

    def __init__(self, index: int, raw: Json) -> None:
        super().__init__((index,))
        self.kind = checked_text(raw["type"])
        self.raw = raw.copy()
        self.settled = -1
        cited = raw.get("citations")
        self.citations = list(filter(is_citation, cited)) if cited else []
        self.is_announced = False

    def settle(self) -> Json:
        """Put what has arrived into the raw block and return it."""
        if self.citations and self.kind in SPOKEN:
            self.raw["citations"] = self.citations
        whole = self.text
        if self.settled != len(whole):
            self.settled = len(whole)
            if self.kind in SPOKEN:
                self.raw[self.kind] = whole
            elif whole:
                self.raw["input"] = parsed_input(whole)
        return self.raw


def is_citation(value: Json) -> bool:
    """Tell whether the texts of a citation are texts."""
    if not isinstance(value, dict):
        return False
    for name in _CITATION_TEXTS:  # noqa: SIM110 - all() costs twice as much, at every citation
        if not isinstance(value.get(name) or "", str):
            return False
    return True


def tool_choice(wish: str) -> Json:
    """Return how the service is told that a tool must be called."""
    if wish == ANY_TOOL:
        return {"type": "any"}
    return {"type": "tool", "name": SEARCH_NAME if wish == OWN_SEARCH else wish}


def parsed_input(arguments: str) -> Json:
    """Return a tool's input; a call without arguments, or with broken ones, has an empty one."""
    given = parsed(arguments)
    return given if isinstance(given, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A document that may be cited. `url` is "" if it was attached, `text` is "" if it is a PDF."""

    url: str = ""
    title: str = ""
    text: str = field(default="", repr=False)

    def has(self, quote: str, title: str) -> bool:
        """Tell whether a quote is from here; where there is no text, the title must do."""
        return quote in self.text if self.text else title == self.title


def documents_in(blocks: Iterable[Json]) -> list[SourceDocument]:
    """Return the documents among content blocks, in the order in which citations count them."""
    found = []
    for block in blocks:
        if block.get("type") == "document":
            found.append(_document(block, url=""))
        elif block.get("type") == "web_fetch_tool_result":
            page = block.get("content")
            if isinstance(page, dict) and isinstance(page.get("content"), dict):
                found.append(_document(page["content"], url=page.get("url") or ""))
    return found


def cited_document(citation: Json, documents: Sequence[SourceDocument]) -> SourceDocument | None:
    """Return the document that a citation is about, None if it is ambiguous or unknown."""
    quote = citation.get("cited_text") or ""
    title = citation.get("document_title") or ""
    index = citation.get("document_index")
    if (
        isinstance(index, int)
        and 0 <= index < len(documents)
        and documents[index].has(quote, title)
    ):
        return documents[index]
    # The number also counts documents of earlier turns, which a decoder may not know of.
    fitting = [document for document in documents if document.has(quote, title)]
    is_clear = len({document.url for document in fitting}) == 1
    return fitting[0] if is_clear else None


def attachment_block(attachment: Attachment) -> Json:
    """Return an image or a document as a content block.

    Raises:
        UnsupportedError: Claude cannot read files of this type.
        SettingsError: The data is not base64.
    """
    mime_type = plain_type(attachment).replace("/jpg", "/jpeg")
    if mime_type in _IMAGE_TYPES:
        return {"type": "image", "source": _base64(mime_type, attachment)}
    if mime_type == "application/pdf":
        source = _base64(mime_type, attachment)
    elif is_text(attachment):
        source = {"type": "text", "media_type": "text/plain", "data": text_of(attachment)}
    else:
        raise UnsupportedError("anthropic", f"read attachments of type {mime_type!r}")
    return {
        "type": "document",
        "source": source,
        # Fetched PDFs have no title, so one without a URL must have one to be told from them.
        "title": attachment.file_name or UNNAMED,
        # The service wants citations on for all documents of a request or for none.
        "citations": {"enabled": True},
    }


def _document(block: Json, *, url: str) -> SourceDocument:
    source = block.get("source") or {}
    text = source.get("data") if source.get("type") == "text" else ""
    return SourceDocument(url=url, title=block.get("title") or "", text=text or "")


def _base64(mime_type: str, attachment: Attachment) -> Json:
    return {"type": "base64", "media_type": mime_type, "data": attachment.base64_data}
