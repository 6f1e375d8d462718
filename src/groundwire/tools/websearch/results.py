"""The one result of every `websearch` tool: its shape and its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.tools.fence import Ours, StrangersText, for_model, web_address
from groundwire.tools.tool import ToolOutput
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json
    from groundwire.tools.tool import Spent

INVALID_TOOL_ARGUMENTS = "INVALID_TOOL_ARGUMENTS"
INVALID_QUERY = "INVALID_QUERY"

OUTPUT_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "llmContent": {
            "type": "string",
            "description": "The answer as Markdown, with [n] markers and a list of sources.",
        },
        "returnDisplay": {"type": "string", "description": "One line on what happened."},
        "sources": {
            "type": "array",
            "description": "The sources in order: [1] is the first. Absent if there are none.",
            "items": {
                "type": "object",
                "properties": {
                    "web": {
                        "type": "object",
                        "properties": {"title": {"type": "string"}, "uri": {"type": "string"}},
                    }
                },
            },
        },
        "error": {
            "type": "object",
            "description": "Present if there is no answer.",
            "properties": {"message": {"type": "string"}, "type": {"type": "string"}},
            "required": ["message"],
        },
    },
    "required": ["llmContent", "returnDisplay"],
}


def answered(
    query: str, text: str, sources: Sequence[Json], *, spent: Spent | None = None
) -> ToolOutput:
    """Return an answer whose text has its markers and its list of sources already.

    Another model wrote it from what strangers wrote, so that all of it is a stranger's.
    """
    content = for_model(
        Ours(f'Web search results for "{query}":\n'), StrangersText(whole(text), "answer")
    )
    data: dict[str, object] = {
        "llmContent": content,
        "returnDisplay": Ours(f'Search results for "{query}" returned.'),
    }
    if sources:
        data["sources"] = [_source(each) for each in sources]
    return ToolOutput(text=content, data=data, spent=spent)


def nothing_found(query: str, *, spent: Spent | None = None) -> ToolOutput:
    """Return what is said when the search worked and there is no answer: no error."""
    content = Ours(f'No search results or information found for query: "{query}"')
    data = {"llmContent": content, "returnDisplay": Ours("No information found.")}
    return ToolOutput(text=content, data=data, spent=spent)


def failed(kind: str, message: str, *detail: str, spent: Spent | None = None) -> ToolOutput:
    """Return an error: `message` for a person, `detail` for whoever can do something about it.

    Both name what happened in our words; a piece of the detail that is not ours is fenced.
    """
    words = for_model(*detail, has_notice=False)
    content = for_model(Ours(f"Error: {message}\n\nDetails:"), words, has_notice=False)
    data = {
        "llmContent": content,
        "returnDisplay": Ours(message),
        "error": {"message": words, "type": Ours(kind)},
    }
    return ToolOutput(text=content, data=data, is_error=True, spent=spent)


def _source(chunk: Json) -> Json:
    """Return a source as a service gave it; its address stays one, all else is a stranger's."""
    if isinstance(chunk, str):
        return whole(chunk)
    if not isinstance(chunk, dict):
        return chunk
    return {
        name: web_address(value) if name == "uri" and isinstance(value, str) else _source(value)
        for name, value in chunk.items()
    }
