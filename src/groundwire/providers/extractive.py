"""A model without weights: it searches, opens pages and answers with quotes, to the letter."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from groundwire.events import (
    Citations,
    Done,
    Error,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
)
from groundwire.extractive import Call, Cited, QuotedAnswer, SearchFailure, ToolReply, next_step
from groundwire.extractive.steps import OPEN, SEARCH
from groundwire.model import AssistantMessage, Citation, ModelInfo, ToolResultMessage, UserMessage
from groundwire.wire.contract import Access, Provider, Question

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from groundwire.model import Message

MODEL = ModelInfo(id="extractive", title="Extractive: quotes from sources")

# About as much as a model says at a time.
_PIECE = re.compile(r"\s*\S+(?:\s+\S+){0,3}\s*")
_GOES_ON = re.compile(r"(?:and|also|what about|how about)\b", re.IGNORECASE)
_NOTHING_USED = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class Extractive(Provider):
    """Answers with quotes from the pages that a search finds; needs no key and no weights."""

    title = "Extractive"
    base_url = ""
    is_local = True
    only_model = MODEL.id

    def answer_warnings(self, question: Question, access: Access) -> list[Warned]:  # noqa: ARG002 - the contract's
        others = [tool.name for tool in question.tools if tool.name not in (SEARCH, OPEN)]
        if not others or not isinstance(question.messages[-1], UserMessage):
            return []
        message = f"the extractive model only quotes: it does not call {', '.join(others)}"
        return [Warned(message, "tools_not_called")]

    async def answer(
        self,
        question: Question,
        access: Access,  # noqa: ARG002 - as the contract has it
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        asked, told = _read(question.messages)
        tools = frozenset(tool.name for tool in question.tools)
        # Reading pages takes a tenth of a second, in which others want to be served.
        step = await asyncio.to_thread(next_step, asked, told, tools)
        match step:
            case Call(tool=tool, arguments=arguments):
                id_ = f"extractive-{len(told) + 1}"
                yield [
                    ToolCallStart(id_, tool),
                    ToolCallDelta(id_, json.dumps(arguments, ensure_ascii=False)),
                    ToolCallEnd(id_),
                ]
                yield [_NOTHING_USED, Done("tool_calls")]
            case QuotedAnswer(text=text, cited=cited):
                yield [TextDelta(piece) for piece in _PIECE.findall(text)]
                if cited:
                    yield [Citations(tuple(map(_citation, cited)))]
                yield [_NOTHING_USED, Done("stop")]
            case SearchFailure(reason=reason):
                yield [Error(reason, "search_failed")]

    async def list_models(self, access: Access) -> list[ModelInfo]:  # noqa: ARG002 - as above
        return [MODEL]


def _citation(cited: Cited) -> Citation:
    return Citation(
        url=cited.url,
        title=cited.title,
        quote=cited.quote,
        start=cited.start,
        end=cited.end,
    )


def _read(messages: Sequence[Message]) -> tuple[str, list[ToolReply]]:
    """Return the last question, and what its tools have told so far."""
    last = max(
        (place for place, each in enumerate(messages) if isinstance(each, UserMessage)), default=-1
    )
    names: dict[str, str] = {}
    told: list[ToolReply] = []
    for message in messages[last + 1 :]:
        match message:
            case AssistantMessage(tool_calls=calls):
                names |= {call.id: call.name for call in calls}
            case ToolResultMessage(tool_call_id=id_, content=content, is_error=is_error):
                told.append(ToolReply(tool=names.get(id_, ""), text=content, is_error=is_error))
    return _asked([each.content for each in messages if isinstance(each, UserMessage)]), told


def _asked(questions: Sequence[str]) -> str:
    """Return the last question, with the one before it where it goes on from there."""
    if not questions:
        return ""
    if len(questions) > 1 and _GOES_ON.match(questions[-1].strip()):
        return f"{questions[-1]} {questions[-2]}"
    return questions[-1]


provider = Extractive()
