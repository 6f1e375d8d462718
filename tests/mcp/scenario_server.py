"""Our server with the tools that the official scenarios call: `python -m …scenario_server`."""

from __future__ import annotations

import asyncio
import sys

from groundwire.mcp.server import serve_http
from groundwire.model import Json
from groundwire.tools import Ours, Progress, Tool, ToolOutput

TEXT = "This is a simple text response for testing."


async def say(_: Json, progress: Progress) -> ToolOutput:
    for step in ("one", "two", "three"):
        await progress(step)
    return ToolOutput(text=Ours(TEXT), data={"text": Ours(TEXT)})


async def fail(_: Json, __: Progress) -> ToolOutput:
    error = Ours("This tool intentionally returns an error for testing")
    return ToolOutput(text=error, data={"text": error}, is_error=True)


RUNS = {"test_simple_text": say, "test_tool_with_progress": say, "test_error_handling": fail}
TOOLS = [
    Tool(
        name=name,
        title=name,
        description="For the official scenarios.",
        input_schema={"type": "object"},
        output_schema={"type": "object", "properties": {"text": {"type": "string"}}},
        run=run,
    )
    for name, run in RUNS.items()
]


def announce(url: str) -> None:
    """Say where we are, at once."""
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve_http(lambda: TOOLS, host="127.0.0.1", port=0, announce=announce))
