"""Dynamic filtering: Claude writes code that calls the newer web tools and sifts what they find."""

from __future__ import annotations

from groundwire.sandbox.anthropic_checks import ADAPTIVE, MODELS
from groundwire.sandbox.anthropic_question import server_tool
from groundwire.sandbox.json import Json
from groundwire.sandbox.wire import Call

FIRST_VERSION = "20260209"
CALLER = "code_execution_20260120"
EXPIRES = "2026-11-01T12:30:00.000000Z"
DIRECT = {"type": "direct"}


def filtered_tools(body: Json) -> list[Json]:
    """Return the web tools that are called from code.

    Only newer models do that, with newer tools. A tool that must be called directly is not, and
    here neither is one that is asked for citations, since filtered text has none.
    """
    if not MODELS.get(body["model"], ADAPTIVE) >= ADAPTIVE:
        return []
    found = [server_tool(body, name) for name in ("web_search", "web_fetch")]
    return [tool for tool in found if tool is not None and _is_filtered(tool)]


def _is_filtered(tool: Json) -> bool:
    version = tool["type"].rpartition("_")[2]
    callers = tool.get("allowed_callers") or [CALLER]
    wants_citations = (tool.get("citations") or {}).get("enabled")
    return bool(version >= FIRST_VERSION and CALLER in callers and not wants_citations)


def wrapped(call: Call, name: str, blocks: list[Json]) -> list[Json]:
    """Return calls of a tool and their results as code makes them; as they are if none does."""
    tools = {tool["name"]: tool for tool in filtered_tools(call.body)}
    if not blocks or name not in tools:
        return blocks
    place = call.id("srvtoolu_01", "code", name)
    inner = [block | {"caller": {"type": CALLER, "tool_id": place}} for block in blocks]
    if tools[name].get("response_inclusion") == "excluded":
        inner = []
    asked = [block["input"] for block in blocks if block["type"] == "server_tool_use"]
    code = "\n".join(f"print(await {name}({arguments!r}))" for arguments in asked)
    opened = {"type": "server_tool_use", "id": place, "name": "code_execution"}
    result = {
        "type": "code_execution_result",
        "stdout": f"{len(asked)} calls of {name}\n",
        "stderr": "",
        "return_code": 0,
        "content": [],
        "abort_reason": None,
    }
    closed = {"type": "code_execution_tool_result", "tool_use_id": place, "content": result}
    return [{**opened, "input": {"code": code}, "caller": DIRECT}, *inner, closed]


def container(call: Call) -> Json:
    """Return where code has run, {} if none has."""
    if not filtered_tools(call.body):
        return {}
    place = {"id": call.id("container_01", length=22), "expires_at": EXPIRES}
    return {"container": place}
