"""A program's own functions as tools: type hints become the schema, the docstring its words."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import TypeAlias, cast

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import to_json

from groundwire.errors import ConfigError
from groundwire.tools.fence import Ours, for_model
from groundwire.tools.tool import Progress, Tool, ToolOutput
from groundwire.tools.web_contract import without_prose
from groundwire.wire.text import whole

Function: TypeAlias = "Callable[..., object]"

RESERVED = frozenset({"web_search", "web_fetch", "open_page", "check_claim"})
"""Names of tools that we or a provider may offer beside a program's own."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")  # What every provider takes.


def own_tools(given: Sequence[Tool | Function]) -> tuple[Tool, ...]:
    """Return what a program offers as tools; functions, synchronous or not, become some.

    Raises:
        ConfigError: One cannot be offered; the message says what it lacks.
    """
    if isinstance(given, Tool) or callable(given):
        raise ConfigError("tools is a list: tools=[function]")
    own = [each if isinstance(each, Tool) else tool_of(each) for each in given]
    check_names(own)
    return tuple(own)


def check_names(own: Sequence[Tool], others: Sequence[Tool] = ()) -> None:
    """Check that every tool can be told from the rest by its name.

    Raises:
        ConfigError: A name is taken, or no provider would accept it.
    """
    taken = RESERVED | {tool.name for tool in others}
    for tool in own:
        if not _NAME.fullmatch(tool.name):
            raise ConfigError(
                f"{tool.name!r} cannot be a tool's name: letters, digits, _ and -, at most 64"
            )
        if tool.name in taken:
            raise ConfigError(f"there is a tool {tool.name!r} already: give yours another name")
        taken |= {tool.name}


def tool_of(function: Function) -> Tool:
    """Return a function as a tool that a model may call.

    Raises:
        ConfigError: It has no name, docstring or type hints, or they fit no JSON.
    """
    name = getattr(function, "__name__", "")
    if not name or name == "<lambda>" or not inspect.isroutine(function):
        raise ConfigError(f"{function!r} cannot be a tool: offer a function with a name")
    description = inspect.getdoc(function) or ""
    if not description:
        raise ConfigError(f"{name} cannot be a tool: its docstring must say what it is for")
    call = _checked(function, name)

    async def run(arguments: object, progress: Progress) -> ToolOutput:  # noqa: ARG001 - a tool gets it
        try:
            if inspect.iscoroutinefunction(function):
                made = call.validate_python(arguments)
                return _output(await cast("Awaitable[object]", made))
            return _output(await _in_thread(lambda: call.validate_python(arguments)))
        except ValidationError as error:
            return _called_wrongly(name, error)

    return Tool(
        name=name,
        title=name.replace("_", " ").capitalize(),
        description=description,
        input_schema=without_prose(call.json_schema()),
        output_schema={"type": "object"},
        run=run,
    )


async def _in_thread(work: Callable[[], object]) -> object:
    """Run something that blocks in a thread of its own.

    Not in the loop's pool, where a slow tool would make others wait, and where a program that
    ends would have to wait for it too.
    """
    loop = asyncio.get_running_loop()
    result: asyncio.Future[object] = loop.create_future()
    context = copy_context()

    def run() -> None:
        done: Future[object] = Future()
        try:
            done.set_result(context.run(work))
        except BaseException as error:  # noqa: BLE001 - it is raised where the tool was called
            done.set_exception(error)
        with suppress(RuntimeError):  # The loop is closed: the turn has ended.
            loop.call_soon_threadsafe(_hand_over, done, result)

    Thread(target=run, name="groundwire-tool", daemon=True).start()
    return await result


def _hand_over(done: Future[object], result: asyncio.Future[object]) -> None:
    if result.done():
        return
    error = done.exception()
    if error is None:
        result.set_result(done.result())
    elif isinstance(error, StopIteration):
        result.set_exception(RuntimeError("it raised StopIteration"))  # No future takes that.
    else:
        result.set_exception(error)


def _checked(function: Function, name: str) -> TypeAdapter[object]:
    """Return what checks a model's arguments by a function's type hints, and then calls it."""
    parameters = inspect.signature(function).parameters.values()
    bare = [each.name for each in parameters if each.annotation is inspect.Parameter.empty]
    if bare:
        raise ConfigError(f"{name} cannot be a tool: {', '.join(bare)} has no type hint")
    if any(each.kind in _UNNAMED for each in parameters):
        raise ConfigError(f"{name} cannot be a tool: every parameter must have a name to pass")
    try:
        # A function is no type, but pydantic takes one: it checks the arguments, then calls it.
        call: TypeAdapter[object] = TypeAdapter(cast("type[object]", function))
        call.json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(f"{name} cannot be a tool: {reason}") from error
    return call


_UNNAMED = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
)


def _output(result: object) -> ToolOutput:
    if isinstance(result, ToolOutput):
        return result
    # What a program's own function says is the program's word, and no stranger's.
    text = Ours(whole(result if isinstance(result, str) else to_json(result).decode()))
    return ToolOutput(text=for_model(text), data={"result": text})


def _called_wrongly(name: str, error: ValidationError) -> ToolOutput:
    problems = error.errors(include_url=False, include_input=False)
    said = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problems)
    told = for_model(Ours(f"{name} was called wrongly: {said}"))
    return ToolOutput(text=told, data={}, is_error=True)
