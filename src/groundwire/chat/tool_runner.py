"""The tools that a model calls: run within the budgets, told while they run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from groundwire.chat.events import BudgetReached, ChatEvent, ToolUpdate, WebSearchStarted
from groundwire.conversation import SearchMode, ToolRun
from groundwire.extractive import SourceText
from groundwire.model import Citation, Evidence, SearchResult
from groundwire.redaction import redact, without_keys
from groundwire.system.determinism import finishing, seconds_since
from groundwire.tools import Ours, ToolOutput, for_model, say_nothing
from groundwire.wire.errors import MAX_REASON_LENGTH
from groundwire.wire.text import parsed, whole

if TYPE_CHECKING:
    from groundwire.chat.budgets import Meter
    from groundwire.chat.draft import Draft
    from groundwire.model import Json, ToolCall
    from groundwire.tools import Tool

Output: TypeAlias = tuple[str, str, bool]
"""What a call gave back: its id, the text for the model, and whether it is an error."""

_USED_UP = "The limit of {limit} {what} for one answer is used up. Answer with what you have."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Started:
    call: ToolCall
    run: ToolRun
    arguments: Json
    began: float


@dataclass(slots=True)
class ToolRunner:
    """Runs a model's calls, all that came together at once; `tools` are by name.

    `sources` are the pages that they gave, for a model that cannot call them itself.
    """

    tools: Mapping[str, Tool]
    draft: Draft
    meter: Meter
    search_service: str
    sources: dict[str, SourceText] = field(default_factory=dict)

    def needs_approval(self, call: ToolCall) -> bool:
        """Tell whether a call would change something."""
        tool = self.tools.get(call.name)
        return tool is not None and tool.writes

    def wait(self, calls: Sequence[ToolCall]) -> tuple[ToolRun, ...]:
        """Note calls that wait for the user."""
        runs = tuple(
            ToolRun(id=call.id, name=call.name, arguments=call.arguments, status="waiting")
            for call in calls
        )
        self.draft.runs |= {run.id: run for run in runs}
        return runs

    def decline(self, call: ToolCall) -> tuple[Output, ToolUpdate]:
        """Note that the user does not want a call."""
        run = self.draft.runs[call.id] = replace(self.draft.runs[call.id], status="declined")
        said = "The user declined this. Do not try it again unless asked."
        return (call.id, said, True), ToolUpdate(run=run)

    async def run(
        self, calls: Sequence[ToolCall]
    ) -> AsyncGenerator[tuple[Sequence[ChatEvent], Output | None], None]:
        """Run calls; yield what happens, and each call's output when it is there."""
        started = [self._start(call) for call in calls]
        yield [event for one in started for event in _told(one, self.search_service)], None
        tasks = [asyncio.ensure_future(self._run(one)) for one in started]
        try:
            for next_one in finishing(tasks):
                yield await next_one
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, call: ToolCall) -> _Started:
        arguments = parsed(call.arguments)
        about = arguments if isinstance(arguments, Mapping) else {}
        run = self.draft.runs[call.id] = ToolRun(
            id=call.id,
            name=call.name,
            arguments=call.arguments,
            query=whole(str(about.get("query", ""))) if call.name == "web_search" else "",
            url=", ".join(_urls(about)) if call.name == "open_page" else "",
        )
        return _Started(call=call, run=run, arguments=arguments, began=time.monotonic())

    async def _run(self, one: _Started) -> tuple[Sequence[ChatEvent], Output]:
        refusal, events = self._refusal(one)
        output = refusal or await self._output(one)
        run = replace(
            one.run,
            status="failed" if output.is_error else "done",
            service=output.service,
            seconds=seconds_since(one.began),
            error=output.words if output.is_error else "",
            output=output.text,
        )
        events += self._learn(run, output)
        return events, (one.call.id, output.text, output.is_error)

    async def _output(self, one: _Started) -> ToolOutput:
        tool = self.tools.get(one.call.name)
        if tool is None:
            known = ", ".join(self.tools) or "none"
            return _failed(f"there is no tool {one.call.name!r}; there are {known}")
        if one.arguments is None:
            return _failed(f"the arguments of {one.call.name} are not JSON: call it again")
        try:
            return await tool.run(one.arguments, say_nothing)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a program's own tool may raise anything
            said = without_keys(redact(f"{type(error).__name__}: {error}"))
        # Its words may be a stranger's: a function that asks others repeats what they say.
        told = for_model(Ours(f"{one.call.name} failed:"), whole(said)[:MAX_REASON_LENGTH])
        return ToolOutput(text=told, data={}, is_error=True)

    def _refusal(self, one: _Started) -> tuple[ToolOutput | None, list[ChatEvent]]:
        """Count a call, and refuse it when its budget is used up."""
        budgets, meter = self.meter.budgets, self.meter
        if one.call.name == "web_search":
            meter.searches += 1
            over, limit, what = meter.searches > budgets.searches, budgets.searches, "searches"
        elif one.call.name == "open_page":
            meter.pages += max(1, len(_urls(one.arguments)))
            over, limit, what = meter.pages > budgets.pages, budgets.pages, "pages"
        else:
            return None, []
        if not over:
            return None, []
        message = _USED_UP.format(limit=limit, what=what)
        return _failed(message), [BudgetReached(budget=what, message=message)]

    def _keep_text(self, id_: str, title: str, text: str) -> None:
        """Remember what a source says, for a model that is told so without having asked."""
        earlier = self.sources.get(id_)
        if earlier is None or len(text) > len(earlier.text):
            self.sources[id_] = SourceText(id=id_, title=title, text=text)

    def _learn(self, run: ToolRun, output: ToolOutput) -> list[ChatEvent]:
        """Take from a web tool's data which pages it found or read, and their ids."""
        events: list[ChatEvent] = []
        if run.name == "web_search":
            for item in output.plain.get("results", ()):
                self._keep_text(str(item["citation_id"]), item["title"], item["snippet"])
            results = [_hit(item) for item in output.plain.get("results", ())]
            kept, events = self.draft.find(results)
            self.draft.learn(_known(output.plain.get("results", ()), Evidence.FOUND))
            run = replace(run, results=tuple(kept))
        elif run.name == "open_page":
            pages = output.plain.get("pages") or [output.plain]
            read = [page for page in pages if page.get("status") == "success"]
            for page in read:
                number = str(page["provenance"]["citation_id"])
                self._keep_text(number, page["title"], page["content"])
                events += self.draft.read(page["url"], page["title"])[1]
            self.draft.learn(_known([*map(_numbered, read)], Evidence.READ))
            run = replace(run, title=", ".join(page["title"] for page in read))
        self.draft.runs[run.id] = run
        return [*events, ToolUpdate(run=run)]


def _told(one: _Started, service: str) -> Iterator[ChatEvent]:
    if one.call.name == "web_search":
        query = one.run.query or None
        yield WebSearchStarted(query=query, mode=SearchMode.CLIENT, service=service)
    yield ToolUpdate(run=one.run)


def _urls(arguments: Json) -> list[str]:
    wanted = arguments.get("url", "") if isinstance(arguments, Mapping) else ""
    return [whole(str(url)) for url in (wanted if isinstance(wanted, list) else [wanted])]


def _hit(item: Mapping[str, Json]) -> SearchResult:
    return SearchResult(url=item["url"], title=item["title"], snippet=item["snippet"])


def _numbered(page: Mapping[str, Json]) -> dict[str, Json]:
    return {**page, "citation_id": page["provenance"]["citation_id"]}


def _known(items: Sequence[Mapping[str, Json]], evidence: Evidence) -> dict[str, Citation]:
    return {
        str(item["citation_id"]): Citation(url=item["url"], title=item["title"], evidence=evidence)
        for item in items
    }


def _failed(message: str) -> ToolOutput:
    return ToolOutput(text=Ours(message), data={}, is_error=True)
