"""Asking a model: the five operations of every provider that answers, over the one client."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.contract import Answers, AnswersDirectly, Question, understand
from groundwire.errors import NetworkError, ServiceError, UnsupportedError
from groundwire.events import Done, Error, TextDelta, Warned
from groundwire.faults import error_from_code
from groundwire.model import AssistantMessage, Message, UserMessage
from groundwire.redaction import redact

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from groundwire.client.door import Client
    from groundwire.contract import Decoder, Endpoint
    from groundwire.events import StreamEvent
    from groundwire.model import Json, ModelInfo, ToolDefinition

MAX_CONTINUATIONS = 10


class ProviderType(StrEnum):
    """The three kinds of API that most services speak, as names of providers."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTestResult:
    """Whether a service can be reached with its key; `message` says it in words."""

    success: bool
    message: str
    code: str = ""
    model_count: int = 0


class ModelApiAdapter:
    """One model provider, ready to be asked."""

    def __init__(
        self,
        endpoint: Endpoint,
        client: Client,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        provider = endpoint.provider
        if not isinstance(provider, Answers | AnswersDirectly):
            raise UnsupportedError(endpoint.name, "answer")
        self._endpoint = endpoint
        self._provider: Answers | AnswersDirectly = provider
        self._client = client
        self._now = now

    def send_message_stream(
        self,
        model_id: str,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        system_prompt: str = "",
        web_search_enabled: bool = False,
        temperature: float | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Stream the model's answer to a conversation; see `answer`."""
        question = Question(
            model=model_id,
            messages=tuple(messages),
            tools=tuple(tools),
            system_prompt=system_prompt,
            web_search=web_search_enabled,
            temperature=temperature,
        )
        return self.answer(question)

    async def answer(self, question: Question) -> AsyncGenerator[StreamEvent, None]:
        """Stream what happens while a model answers, an event at a time; see `answer_batches`."""
        async with aclosing(self.answer_batches(question)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event

    async def answer_batches(
        self, question: Question
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream what happens while a model answers, all that came together at a time.

        Failures of the service or the network are Error events, after which only Usage and Done
        may follow; what came before them stays valid. A provider that pauses is asked to go on.
        Closing the generator (`contextlib.aclosing`) ends the connection at once.

        Raises:
            ConfigError: The question cannot be sent as it is.
        """
        if question.web_search and "*" in question.blocked_domains:
            # Most providers' filters cannot say this, and without one they would search anywhere.
            question = replace(question, web_search=False)
            yield [Warned("every domain is blocked: search is off", "web_search_dropped")]
        if warnings := self._warnings(question):
            yield warnings
        provider = self._provider
        if isinstance(provider, AnswersDirectly):
            async with aclosing(self._direct(provider, question)) as told:
                async for events in told:
                    yield events
            return
        decoder = provider.answer_decoder(question)
        for _ in range(MAX_CONTINUATIONS):
            decoder.continuation = None
            async with aclosing(self._segment(provider, question, decoder)) as segment:
                async for events in segment:
                    yield events
            paused = decoder.continuation
            if paused is None:
                return
            question = _continued(question, paused)
        warning = Warned(f"the answer paused more than {MAX_CONTINUATIONS} times", "paused")
        yield [warning, Done("pause_turn")]

    async def list_models(self) -> list[ModelInfo]:
        """Return the models that can hold a conversation, with the day they end if announced.

        Raises:
            ServiceError: The service refuses.
            NetworkError: It cannot be reached.
        """
        provider, access = self._provider, self._endpoint.access
        if isinstance(provider, AnswersDirectly):
            listed = await provider.list_models(access)
        else:
            reply = await self._client.send(self._endpoint, provider.models_request(access))
            listed = understand(provider.models, reply)
        return [_with_shutdown(model) for model in listed]

    async def test_connection(self) -> ConnectionTestResult:
        """Return whether the service answers with this key."""
        try:
            models = await self.list_models()
        except (ServiceError, NetworkError) as error:
            return ConnectionTestResult(success=False, message=str(error), code=error.code)
        message = f"{self._endpoint.name} works: it offers {len(models)} models"
        return ConnectionTestResult(success=True, message=message, model_count=len(models))

    def format_tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        """Return tools as this provider's requests spell them; as ours where it makes none."""
        if isinstance(self._provider, AnswersDirectly):
            return [asdict(tool) for tool in tools]
        return self._provider.tool_definitions(tools)

    async def generate_simple_completion(
        self, model_id: str, prompt: str, max_tokens: int | None = None
    ) -> str:
        """Return the text that answers one prompt.

        Raises:
            ServiceError: The service refuses or fails.
            NetworkError: No whole answer arrived.
        """
        question = Question(
            model=model_id, messages=(UserMessage(content=prompt),), max_tokens=max_tokens
        )
        pieces = []
        async with aclosing(self.answer(question)) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        pieces.append(text)
                    case Error(message, code):
                        raise error_from_code(code, self._endpoint.name, message)
        return "".join(pieces)

    def _warnings(self, question: Question) -> list[Warned]:
        notice = catalog.retirement_notice(question.model, self._now().date())
        retired = [Warned(notice, "retired_model")] if notice else []
        warnings = self._endpoint.provider.answer_warnings(question, self._endpoint.access)
        return [*retired, *warnings]

    async def _direct(
        self, provider: AnswersDirectly, question: Question
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream what a provider without requests tells, to its end or its failure."""
        try:
            async with aclosing(provider.answer(question, self._endpoint.access)) as told:
                async for events in told:
                    yield events
        except (ServiceError, NetworkError) as error:
            failure = error
        else:
            return
        yield [self._failed(failure)]

    async def _segment(
        self, provider: Answers, question: Question, decoder: Decoder
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream one reply to its end or its failure, all that came together at a time.

        One by one would cost every event a second way through the event loop's machinery.
        """
        feed = decoder.feed_data
        try:
            # Inside, because some providers know of themselves what the service would refuse.
            request = provider.answer_request(question, self._endpoint.access)
            async with (
                self._client.stream(self._endpoint, request) as stream,
                aclosing(stream.batches()) as batches,
            ):
                if stream.whole is not None:
                    yield decoder.feed_body(stream.whole.json())
                async for batch in batches:
                    events: list[StreamEvent] = []
                    for wire_event in batch:
                        events += feed(wire_event)
                    yield events
        except (ServiceError, NetworkError) as error:
            failure = error
        else:
            yield decoder.finish()
            return
        yield [self._failed(failure)]

    def _failed(self, failure: ServiceError | NetworkError) -> Error:
        message = redact(str(failure), [self._endpoint.access.key])
        return Error(message, failure.code, getattr(failure, "retry_after_seconds", None))


def _continued(question: Question, paused: AssistantMessage) -> Question:
    """Return the question with what the provider said before it paused, all of it, at the end."""
    earlier = question.messages
    if isinstance(earlier[-1], AssistantMessage):
        earlier = earlier[:-1]
    return replace(question, messages=(*earlier, paused))


def _with_shutdown(model: ModelInfo) -> ModelInfo:
    shutdown = catalog.traits_of(model.id).shutdown
    if model.shutdown_date or shutdown is None:
        return model
    return replace(model, shutdown_date=shutdown.isoformat())
