"""Tools of a program's own: functions that a model may call in a turn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from groundwire import Tool, ToolOutput
from groundwire.chat.events import ApprovalRequested, BudgetReached, Noticed, ToolUpdate
from groundwire.conversation import SearchMode, Status
from groundwire.errors import ConfigError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.tools import Ours, own_tools
from groundwire.tools.tool import Progress, say_nothing
from tests.chat.program import HOSTED, Talk, Told, opened


class Place(BaseModel):
    """A place on a map."""

    name: str
    altitude: int = 0


@dataclass
class Weather:
    """What it is like somewhere."""

    place: str
    degrees: float


def weather(
    place: Place, days: Annotated[int, Field(description="How far ahead.")] = 1
) -> list[Weather]:
    """Return the weather of the next days."""
    return [Weather(place=place.name, degrees=4.5)] * days


async def tide(harbour: str) -> str:
    """Return when the tide is high."""
    return f"High tide at {harbour}: 04:12"


def broken(sample: str) -> str:
    """Look something up that is not there."""
    raise KeyError(f"{sample} with sk-ant-api03-{'x' * 40}")


def exits() -> str:
    """End the program, or try to."""
    raise SystemExit(3)


def _call(name: str) -> str:
    return f"Call {name}, please"


async def _run(tool: Tool, arguments: Json) -> ToolOutput:
    return await tool.run(arguments, say_nothing)


@pytest.mark.parametrize("provider", HOSTED)
async def test_a_model_calls_a_function_with_every_provider(talk: Talk, provider: str) -> None:
    told = await talk.turn(_call("tide"), provider=provider, search="off", tools=[tide])

    run = told.message.tool_runs[0]
    assert (run.name, run.status) == ("tide", "done")
    assert run.output.startswith("High tide at ")
    assert "High tide at" in told.message.content
    assert told.message.status is Status.COMPLETE


@pytest.mark.parametrize("provider", HOSTED)
async def test_a_session_goes_on_without_the_functions_it_began_with(
    talk: Talk, provider: str
) -> None:
    first = await talk.turn(_call("tide"), provider=provider, search="off", tools=[tide])

    then = await talk.turn(
        "And how deep is it?", provider=provider, search="off", session=first.message.session_id
    )

    assert then.message.status is Status.COMPLETE, then.message.error
    assert then.message.tool_runs == ()


async def test_functions_stand_beside_our_own_tools_in_client_search(talk: Talk) -> None:
    told = await talk.turn(_call("weather"), search="client", tools=[weather, tide])

    offered = [tool["name"] for tool in talk.sandbox.requests[0].body["tools"]]
    assert told.started.mode is SearchMode.CLIENT
    assert offered == ["web_search", "open_page", "weather", "tide"]
    assert [run.name for run in told.message.tool_runs] == ["weather"]


@pytest.mark.parametrize("provider", ["anthropic", "openai-responses", "openrouter"])
async def test_functions_stand_beside_a_providers_own_search(talk: Talk, provider: str) -> None:
    told = await talk.turn(_call("tide"), provider=provider, search="hosted", tools=[tide])

    assert told.started.mode is SearchMode.HOSTED
    assert [run.name for run in told.message.tool_runs if run.name == "tide"] == ["tide"]
    assert told.message.status is Status.COMPLETE


async def test_a_model_that_cannot_search_beside_functions_is_searched_for(talk: Talk) -> None:
    told = await talk.turn(_call("tide"), provider="gemini", model="gemini-2.5-flash", tools=[tide])

    assert told.started.mode is SearchMode.CLIENT
    assert "beside functions" in told.started.reason
    assert [run.name for run in told.message.tool_runs] == ["tide"]


async def test_a_result_that_is_no_text_is_given_as_json() -> None:
    [tool] = own_tools([weather])

    output = await _run(tool, {"place": {"name": "Oslo"}, "days": 2})

    assert output.text == '[{"place":"Oslo","degrees":4.5},{"place":"Oslo","degrees":4.5}]'


def test_the_type_hints_are_the_schema_and_the_docstring_the_description() -> None:
    [tool] = own_tools([weather])

    assert tool.description == "Return the weather of the next days."
    assert tool.input_schema["required"] == ["place"]
    properties: Any = tool.input_schema["properties"]
    assert properties["days"] == {
        "default": 1,
        "description": "How far ahead.",
        "type": "integer",
    }
    assert tool.input_schema["additionalProperties"] is False


async def test_wrong_arguments_are_told_to_the_model() -> None:
    [tool] = own_tools([weather])

    output = await _run(tool, {"place": {}, "day": 3})

    assert output.is_error
    assert output.text.startswith("weather was called wrongly: ")
    assert "place.name: Field required" in output.text
    assert "day: Unexpected keyword argument" in output.text


@pytest.mark.parametrize(("function", "reason"), [(broken, "KeyError"), (exits, "SystemExit: 3")])
async def test_what_a_function_raises_is_told_to_the_model_and_to_whoever_watches(
    talk: Talk, function: object, reason: str
) -> None:
    name = getattr(function, "__name__", "")
    told = await talk.turn(_call(name), search="off", tools=[function])

    updates = [event.run for event in told.of(ToolUpdate)]
    assert [run.status for run in updates] == ["running", "failed"]
    assert updates[-1].error.startswith(f"{name} failed: {reason}")
    assert "sk-ant-api03" not in updates[-1].error
    assert told.message.status is Status.COMPLETE


async def test_a_tool_that_writes_waits_and_goes_on_with_the_same_tools(talk: Talk) -> None:
    async def run(arguments: Json, progress: Progress) -> ToolOutput:  # noqa: ARG001
        return ToolOutput(text=Ours("sent"), data={})

    schema: Json = {"type": "object", "properties": {}}
    tool = Tool(
        name="send_mail",
        title="Send",
        description="Send a mail.",
        input_schema=schema,
        output_schema=schema,
        run=run,
        writes=True,
    )
    waiting = await talk.turn(_call("send_mail"), search="off", tools=[tool])
    decisions = {run.id: True for run in waiting.of(ApprovalRequested)[0].runs}

    going_on = await talk.program.approve(waiting.message.id, decisions, tools=[tool])
    told = Told(events=[event async for batch in going_on for event in batch])

    assert waiting.ended.answer.incomplete == "a tool waits for your approval"
    assert [(run.status, run.output) for run in told.message.tool_runs] == [("done", "sent")]


async def test_calls_of_functions_are_within_the_limit_of_rounds(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), chat={"rounds": 1}) as talk:
        told = await talk.turn(_call("tide"), search="off", tools=[tide])

    assert told.message.tool_runs == ()


async def test_a_turns_time_is_over_while_a_function_blocks(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    over = Event()

    def wait() -> str:
        """Wait for the end."""
        over.wait()
        return "done"

    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), chat={"seconds": 1}) as talk:
        told = await talk.turn(_call("wait"), search="off", tools=[wait])
        over.set()

    assert [event.budget for event in told.of(BudgetReached)] == ["seconds"]
    # On a slow machine the time may be over before the call.
    assert {run.status for run in told.message.tool_runs} <= {"failed"}


@pytest.mark.parametrize(("provider", "search"), [("extractive", "off"), ("openai", "client")])
async def test_a_model_that_calls_no_functions_says_so(
    talk: Talk, provider: str, search: str
) -> None:
    chosen = talk.program.settings.providers
    options = {"options": {"calls_tools": False}, "model": "gpt-4o"}
    chosen["openai"] = chosen["openai"].model_copy(update=options)

    told = await talk.turn("Call tide", provider=provider, search=search, tools=[tide])

    assert "tide" not in [run.name for run in told.message.tool_runs]
    assert [event.code for event in told.of(Noticed)] == ["tools_not_called"]


def _nameless() -> object:
    return partial(tide, "Oslo")


def undescribed(x: int) -> int:
    return x


def untyped(x) -> str:  # type: ignore[no-untyped-def] # That is the point.
    """Do something."""
    return str(x)


def many(*x: int) -> int:
    """Do something."""
    return len(x)


def of_its_own(x: SandboxServer) -> str:
    """Do something."""
    return str(x)


def tïde() -> str:  # noqa: PLC2401
    """Do something."""
    return ""


def web_search(query: str) -> str:
    """Search."""
    return query


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([lambda: 1], "offer a function with a name"),
        ([_nameless()], "offer a function with a name"),
        (["tide"], "offer a function with a name"),
        ([undescribed], "its docstring must say"),
        ([untyped], "x has no type hint"),
        ([many], "every parameter must have a name"),
        ([of_its_own], "of_its_own cannot be a tool"),
        ([tïde], "cannot be a tool's name"),
        ([web_search], "there is a tool 'web_search' already"),
        ([tide, tide], "there is a tool 'tide' already"),
        (tide, r"tools is a list: tools=\[function\]"),
    ],
)
async def test_what_cannot_be_a_tool_is_told_before_anything_is_asked(
    talk: Talk, tools: Json, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        await talk.turn("How deep is the sea?", tools=tools)

    assert talk.sandbox.requests == []
    assert (await talk.program.store.sessions.list("personal", user_id=None)).sessions == ()
