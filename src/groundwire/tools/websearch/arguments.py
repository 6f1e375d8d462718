"""What a model may hand to a `websearch` tool, and what it is told when it hands over more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.tools.fence import Ours
from groundwire.tools.websearch.results import INVALID_QUERY, INVALID_TOOL_ARGUMENTS, failed
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.tools.tool import ToolOutput

QUERY = {"type": "string", "minLength": 1, "description": "What to find out, in plain words."}


def input_schema(providers: Sequence[str] = ()) -> dict[str, object]:
    """Return the schema of a tool's arguments; with providers there is a choice of them."""
    properties: dict[str, object] = {"query": QUERY}
    if providers:
        about = "Who searches and answers."
        properties["provider"] = {"type": "string", "enum": [*providers], "description": about}
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def refusal(tool: str, arguments: object, allowed: Sequence[str]) -> ToolOutput | None:
    """Return what is wrong with a tool's arguments, None if they can be used."""
    names = " and ".join(f"'{name}'" for name in allowed)
    fields = f"a single {names} field" if len(allowed) == 1 else f"the fields {names}"
    message = f"{tool} only accepts {fields}."
    if not isinstance(arguments, dict):
        detail = f"The arguments are not an object with {names}."
        return failed(INVALID_TOOL_ARGUMENTS, message, Ours(detail))
    if unknown := [str(name) for name in arguments if name not in allowed]:
        detail = f"Unknown argument(s): {', '.join(unknown)}, only {names} supported."
        return failed(INVALID_TOOL_ARGUMENTS, message, Ours(detail))
    if not query_in(arguments):
        detail = "Call it again with 'query' set to a text that says what to find out."
        return failed(INVALID_QUERY, "The 'query' must not be empty.", Ours(detail))
    return None


def wrong_provider(tool: str, providers: Sequence[str]) -> ToolOutput:
    """Return the error for a model that chose no provider, or one that is not available."""
    detail = f"Set 'provider' to one of: {', '.join(providers)}."
    return failed(INVALID_TOOL_ARGUMENTS, f"{tool} needs a known 'provider'.", Ours(detail))


def query_in(arguments: object) -> str:
    """Return the query without the space around it, "" if there is none."""
    query = arguments.get("query") if isinstance(arguments, dict) else None
    return whole(query).strip() if isinstance(query, str) else ""
