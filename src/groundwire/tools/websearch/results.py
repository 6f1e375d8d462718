"""The one result of every `websearch` tool: its shape and its words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundwire.parsing import whole
from groundwire.tools.tool import ToolOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json

INVALID_TOOL_ARGUMENTS = "INVALID_TOOL_ARGUMENTS"
INVALID_QUERY = "INVALID_QUERY"

OUTPUT_SCHEMA: Json = {
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


def answered(query: str, text: str, sources: Sequence[Json]) -> ToolOutput:
    """Return an answer whose text has its markers and its list of sources already."""
    content = f'Web search results for "{query}":\n\n{text}'
    data: dict[str, Json] = {
        "llmContent": content,
        "returnDisplay": f'Search results for "{query}" returned.',
    }
    if sources:
        data["sources"] = list(sources)
    data = _encodable(data)
    return ToolOutput(text=data["llmContent"], data=data)


def nothing_found(query: str) -> ToolOutput:
    """Return what is said when the search worked and there is no answer: no error."""
    content = f'No search results or information found for query: "{query}"'
    return ToolOutput(
        text=content, data={"llmContent": content, "returnDisplay": "No information found."}
    )


def failed(kind: str, message: str, detail: str) -> ToolOutput:
    """Return an error: `message` for a person, `detail` for whoever can do something about it."""
    content = f"Error: {message}\n\nDetails: {detail}"
    data = {
        "llmContent": content,
        "returnDisplay": message,
        "error": {"message": detail, "type": kind},
    }
    return ToolOutput(text=content, data=data, is_error=True)


def _encodable(data: dict[str, Json]) -> dict[str, Json]:
    """Return data that UTF-8 can carry, whatever halves of characters a service has sent."""
    repaired: dict[str, Json] = json.loads(whole(json.dumps(data, ensure_ascii=False)))
    return repaired
