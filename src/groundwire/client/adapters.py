"""Asking a model: the five operations of every provider that answers, over the one client."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.client.failures import awaited, bug_of, called, checked_events
from groundwire.conversation import now
from groundwire.errors import (
    GroundwireError,
    NetworkError,
    ProviderBugError,
    ServiceError,
    UnsupportedError,
)
from groundwire.events import Done, Error, TextDelta, Warned
from groundwire.model import AssistantMessage, Message, UserMessage
from groundwire.redaction import redact
from groundwire.text.plural import plural
from groundwire.wire.contract import Answers, AnswersDirectly, HttpRequest, Question
from groundwire.wire.errors import error_from_code
from groundwire.wire.http import understand

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from datetime import datetime

    from groundwire.catalog import ThinkingChoice
    from groundwire.client.client import Client
    from groundwire.events import StreamEvent
    from groundwire.model import Json, ModelInfo, ToolDefinition
    from groundwire.wire.contract import Decoder, Endpoint

MAX_CONTINUATIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionTestResult:
    """Whether a service can be reached with its key; `message` says it in words.

    `error` is what went wrong, None if nothing did.
    """

    success: bool
    message: str
    code: str = ""
    model_count: int = 0
    error: GroundwireError | None = None


class ModelApiAdapter:
    """One model provider, ready to be asked.

    With `names_address` a failure in a stream says where the service was asked: for the owner.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        client: Client,
        *,
        now: Callable[[], datetime] = now,
        names_address: bool = False,
    ) -> None:
        provider = endpoint.provider
        if not isinstance(provider, Answers | AnswersDirectly):
            raise UnsupportedError(endpoint.name, "answer")
        self._endpoint = endpoint
        self._provider: Answers | AnswersDirectly = provider
        # What another package's provider gives is looked at closely.
        self._is_foreign = not type(provider).__module__.startswith("groundwire.")
        self._client = client
        self._now = now
        self._names_address = names_address

    def send_message_stream(
        self,
        model_id: str,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        system_prompt: str = "",
        web_search_enabled: bool = False,
        temperature: float | None = None,
        thinking: ThinkingChoice | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Stream the model's answer to a conversation; see `answer`."""
        question = Question(
            model=model_id,
            messages=tuple(messages),
            tools=tuple(tools),
            system_prompt=system_prompt,
            web_search=web_search_enabled,
            temperature=temperature,
            thinking=thinking,
        )
        return self.answer(question)

    async def answer(self, question: Question) -> AsyncGenerator[StreamEvent, None]:
        """Stream what happens while a model answers, an event at a time; see `answer_batches`."""
        async with aclosing(self.answer_batches(question)) as batches:
            async for batch in batches:
                for event in batch:
                    yield event

    def answer_batches(self, question: Question) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream what happens while a model answers, all that came together at a time.

        Failures of the service or the network are Error events, after which only Usage and Done
        may follow; what came before them stays valid. A provider that pauses is asked to go on.
        Closing the generator (`contextlib.aclosing`) ends the connection at once.

        Raises:
            ConfigError: The question cannot be sent as it is.
        """
        provider = self._provider
        if isinstance(provider, AnswersDirectly):
            return self._direct(provider, question)
        return self._streamed(provider, question)

    async def list_models(self) -> list[ModelInfo]:
        """Return the models that can hold a conversation, with the day they end if announced.

        Raises:
            ServiceError: The service refuses.
            NetworkError: It cannot be reached.
        """
        provider, access = self._provider, self._endpoint.access
        if isinstance(provider, AnswersDirectly):
            listed = await awaited(self._endpoint, partial(provider.list_models, access), list)
        else:
            asking = partial(provider.models_request, access)
            request = called(self._endpoint, asking, HttpRequest)
            reply = await self._client.send(self._endpoint, request)
            listed = called(self._endpoint, partial(understand, provider.models, reply), list)
        return [_with_shutdown(model) for model in listed]

    async def test_connection(self) -> ConnectionTestResult:
        """Return whether the service answers with this key; for the owner, with its address."""
        try:
            models = await self.list_models()
        except (ServiceError, NetworkError) as error:
            return ConnectionTestResult(
                success=False, message=error.with_address(), code=error.code, error=error
            )
        message = f"{self._endpoint.name} works: it offers {plural(len(models), 'model')}"
        return ConnectionTestResult(success=True, message=message, model_count=len(models))

    def format_tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        """Return tools as this provider's requests spell them; as ours where it makes none."""
        if isinstance(self._provider, AnswersDirectly):
            return [asdict(tool) for tool in tools]
        return called(self._endpoint, partial(self._provider.tool_definitions, tools))

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
                    case Error(message, code, wait):
                        raise error_from_code(code, self._endpoint.name, message, wait)
        return "".join(pieces)

    def _prepared(self, question: Question) -> tuple[Question, list[Warned]]:
        """Leave out what could not be asked or would be refused, and say so."""
        endpoint, warnings = self._endpoint, []
        provider, access = endpoint.provider, endpoint.access
        if question.web_search and "*" in question.blocked_domains:
            # Most providers' filters cannot say this, and without one they would search anywhere.
            question = replace(question, web_search=False)
            warnings.append(Warned("every domain is blocked: search is off", "web_search_dropped"))
        wish = question.thinking
        choices = partial(provider.thinking_choices, question.model, access)
        if wish is not None and wish not in called(endpoint, choices):
            question = replace(question, thinking=None)
            message = f"{question.model!r} has no thinking that can be set to {wish.value!r}"
            warnings.append(Warned(f"{message}: it is left as it is", "thinking_dropped"))
        takes = partial(provider.takes_temperature, question, access)
        if question.temperature is not None and not called(endpoint, takes):
            question = replace(question, temperature=None)
            message = f"{question.model!r} takes no temperature here: it is left out"
            warnings.append(Warned(message, "temperature_dropped"))
        if notice := catalog.retirement_notice(question.model, self._now().date()):
            warnings.append(Warned(notice, "retired_model"))
        warnings += called(endpoint, partial(provider.answer_warnings, question, access))
        return question, warnings

    async def _direct(
        self, provider: AnswersDirectly, question: Question
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream what a provider without requests tells, to its end or its failure."""
        try:
            question, warnings = self._prepared(question)
            if warnings:
                yield warnings
            async with aclosing(provider.answer(question, self._endpoint.access)) as told:
                async for events in told:
                    yield self._checked(events)
        except (ServiceError, NetworkError) as error:
            failure: ServiceError | NetworkError = error
        except GroundwireError:
            raise
        except Exception as error:  # noqa: BLE001 - another package may raise anything
            failure = bug_of(self._endpoint, error)
        else:
            return
        yield [self._failed(failure)]

    async def _streamed(
        self, provider: Answers, question: Question
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream replies until one does not pause: the hot path, so all in one generator."""
        endpoint = self._endpoint
        try:
            question, warnings = self._prepared(question)
            decoder = called(endpoint, partial(provider.answer_decoder, question))
        except ProviderBugError as bug:
            yield [self._failed(bug)]
            return
        if warnings:
            yield warnings
        failure: ServiceError | NetworkError | None = None
        last: Sequence[StreamEvent] = ()
        for _ in range(MAX_CONTINUATIONS):
            decoder.continuation = None
            try:
                # Inside, because some providers know of themselves what the service would refuse.
                asking = partial(provider.answer_request, question, endpoint.access)
                request = called(endpoint, asking, HttpRequest)
                async with self._client.stream(endpoint, request) as stream:
                    if stream.whole is not None:
                        body = stream.whole.json()
                        yield self._checked(called(endpoint, partial(decoder.feed_body, body)))
                    while batch := await stream.read_events():
                        if events := self._meaning(decoder, batch):
                            yield events
                last = self._checked(called(endpoint, decoder.finish))
            except (ServiceError, NetworkError) as error:
                failure = error
            yield [self._failed(failure)] if failure else last
            if failure or decoder.continuation is None:
                return
            question = _continued(question, decoder.continuation)
        warning = Warned(f"the answer paused more than {MAX_CONTINUATIONS} times", "paused")
        yield [warning, Done("pause_turn")]

    def _checked(self, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
        return checked_events(self._endpoint, events) if self._is_foreign else events

    def _meaning(self, decoder: Decoder, batch: Sequence[str]) -> Sequence[StreamEvent]:
        """Return what events of the wire mean that arrived together; most arrive alone."""
        try:
            if len(batch) == 1:
                return self._checked(decoder.feed_data(*batch))
            events: list[StreamEvent] = []
            for data in batch:
                events += self._checked(decoder.feed_data(data))
        except GroundwireError:
            raise
        except Exception as error:  # noqa: BLE001 - another package may raise anything
            bug = bug_of(self._endpoint, error)
        else:
            return events
        raise bug

    def _failed(self, failure: ServiceError | NetworkError) -> Error:
        said = failure.with_address() if self._names_address else str(failure)
        message = redact(said, [self._endpoint.access.key])
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
