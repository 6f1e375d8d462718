"""The tools of a request as Responses repeats them: with every default filled in."""

from __future__ import annotations

from groundwire.sandbox.json import Json

# A caller who says nothing of his place is taken to be in the United States.
_NOWHERE = {"city": None, "country": None, "region": None, "timezone": None}
_PLACE_LEFT_OUT = _NOWHERE | {"country": "US"}


def echoed(tools: Json) -> list[Json]:
    """Return the tools as every response object shows them."""
    return [_echo(tool) for tool in tools or ()]


def _echo(tool: Json) -> Json:
    kind = tool.get("type", "")
    if kind == "function":
        return _function(tool)
    return _search(tool, kind) if kind.startswith("web_search") else tool


def _function(tool: Json) -> Json:
    """Return a function; one that says nothing else is strict, and then closed."""
    is_strict = tool.get("strict", True) is not False
    parameters = tool.get("parameters")
    if is_strict and isinstance(parameters, dict):
        parameters = parameters | {"additionalProperties": False}
    return {
        "type": "function",
        "description": tool.get("description"),
        "name": tool.get("name"),
        "parameters": parameters,
        "strict": is_strict,
    }


def _search(tool: Json, kind: str) -> Json:
    place = tool.get("user_location")
    told = _PLACE_LEFT_OUT if place is None else _NOWHERE | place
    # The older tool knows no filters.
    filters = {} if kind.startswith("web_search_preview") else {"filters": tool.get("filters")}
    return {
        **tool,
        **filters,
        "search_context_size": tool.get("search_context_size") or "medium",
        "user_location": {"type": "approximate"} | told,
    }
