"""`groundwire tool`: any tool that a model can call, from the shell."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.tools import Tool, ToolOutput

T = TypeVar("T")

_LISTED = ("name", "title", "description", "input_schema", "output_schema")


@click.command()
@click.argument("name", required=False)
@click.argument("arguments", default="{}")
@json_option
@click.pass_context
def tool(context: click.Context, name: str | None, arguments: str, as_json: bool) -> None:
    """Run the tool NAME and print its JSON.

    ARGUMENTS is a JSON object, such as '{"query": "…"}'; - reads it from standard input. Without
    NAME the tools are listed that can be used with what is configured, with --json completely. The
    exit code is 1 if the result is an error.
    """
    if name is None:
        _list(as_json=as_json)
        return
    output = _run(name, _parsed(arguments))
    print_json(output.data)
    if output.is_error:
        context.exit(1)


def _parsed(text: str) -> object:
    import json
    import sys

    try:
        return json.loads(sys.stdin.buffer.read() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"not valid JSON: {error}", param_hint="ARGUMENTS") from error


def _run(name: str, arguments: object) -> ToolOutput:
    import asyncio

    from groundwire.tools import say_nothing

    async def run(tools: tuple[Tool, ...]) -> ToolOutput:
        chosen = next((each for each in tools if each.name == name), None)
        if chosen is None:
            known = ", ".join(each.name for each in tools)
            raise click.BadParameter(f"there is no {name!r}, only {known}", param_hint="NAME")
        return await chosen.run(arguments, say_nothing)

    return asyncio.run(_with_tools(run, typed=arguments))


def _list(*, as_json: bool) -> None:
    import asyncio

    from groundwire.tools import offered_now

    async def everything(tools: tuple[Tool, ...]) -> list[Tool]:
        return await asyncio.to_thread(offered_now, tools)

    tools = asyncio.run(_with_tools(everything))
    if not any(tool.name.startswith("websearch") for tool in tools):
        click.echo(
            "no provider that searches and answers by itself is configured: "
            "`groundwire setup` adds one, and its tools are then listed here",
            err=True,
        )
    if not as_json:
        print_table([(tool.name, tool.title) for tool in tools], ("NAME", "TITLE"))
        return
    print_json([{field: getattr(tool, field) for field in _LISTED} for tool in tools])


async def _with_tools(
    use: Callable[[tuple[Tool, ...]], Awaitable[T]], *, typed: object = None
) -> T:
    """Return what is made of the tools while there is a client for them.

    A person typed the arguments, so every URL in them may be opened.
    """
    import json

    from groundwire import service
    from groundwire.cli.search_context import opened

    async with opened() as (keys, search_context):
        ledger = service.ledger(search_context.settings)
        ledger.begin_turn(json.dumps(typed, ensure_ascii=False))
        return await use(service.tools(keys, search_context, ledger))
