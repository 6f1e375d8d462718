"""What a provider is: what to send, and how to read what came back. Never a connection.

A provider is one file in `providers/` (or an entry point of another package) that defines
`provider`, an instance of a subclass of `Provider`. What it can do follows from its methods:

    ability   pure halves                              way out for what is not plain HTTP
    search    search_request, search_results           async search
    read      read_request, read_page                  async read_url, or read_with a browser
    answer    answer_request, answer_decoder, …        async answer, list_models

The halves are pure, so that a test is bytes in, values out; timeouts, retries, cancellation,
address checks and redaction are the client's, once, for all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar, Protocol, runtime_checkable

from groundwire import catalog
from groundwire.catalog import Charging, ThinkingChoice
from groundwire.errors import RefusedError, ServiceError
from groundwire.events import StreamEvent, Warned
from groundwire.guard import DomainPolicy
from groundwire.model import (
    AssistantMessage,
    Json,
    Message,
    ModelInfo,
    Page,
    SearchQuery,
    SearchResult,
    Secret,
    ToolDefinition,
)
from groundwire.wire import errors
from groundwire.wire.http import HttpReply as HttpReply  # noqa: PLC0414 - part of the contract
from groundwire.wire.http import HttpRequest as HttpRequest  # noqa: PLC0414 - as above


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where a service is and what lets us in; `options` are the provider's own settings."""

    base_url: str
    key: Secret | None = None
    options: Mapping[str, Json] = field(default_factory=dict)


ANY_TOOL = "*"
"""The tool choice of a question in which some tool must be called."""
OWN_SEARCH = "*search"
"""The tool choice of a question in which the provider's own search must be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked. `web_search` turns on the provider's own search.

    `web_fetch` does the same for opening pages, where a provider has that apart; None goes with
    the search. `reply_schema` is a JSON Schema for the reply, sent where the protocol has a place;
    with `reply_is_strict` the service may refuse one that it cannot hold the model to.
    `allowed_domains` and `blocked_domains` are sent where the provider has a filter; whoever
    shows the answer enforces them again. None leaves a number to the provider, and `thinking` to
    its settings. `tool_choice` is ANY_TOOL, OWN_SEARCH or the name of a tool that must be called,
    "" where the model decides. The reply ends before any text of `stop`, if the protocol has that.
    """

    model: str
    messages: tuple[Message, ...]
    system_prompt: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    web_search: bool = False
    web_fetch: bool | None = None
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    temperature: float | None = None
    thinking: ThinkingChoice | None = None
    max_tokens: int | None = None
    reply_schema: Json = None
    reply_is_strict: bool = True
    tool_choice: str = ""
    stop: tuple[str, ...] = ()


QUERY_VECTOR = "query_vector"
"""The option in which a library gets what a query means, beside its words."""


class Provider:
    """What every provider says about itself.

    Subclasses set these and add the methods of what they can do. The class docstring's first
    line is what people read in lists.
    """

    title: ClassVar[str]
    """The service's name as it writes it."""

    base_url: ClassVar[str]
    """Where requests go unless the settings say otherwise; "" if the user must say, or if the
    provider is local and goes nowhere."""

    key_variable: ClassVar[str | None] = None
    """The environment variable that the service itself uses for its key."""

    key_is_optional: ClassVar[bool] = False
    """True if the service also answers without its key."""

    key_url: ClassVar[str] = ""
    """Where a person gets a key."""

    filters: ClassVar[frozenset[str]] = frozenset()
    """Which of limit, domains and time_range the service itself applies to a search."""

    max_domains: ClassVar[int] = 20
    """To how many domains it can restrict a search; a longer list is not sent."""

    delay_seconds: ClassVar[float] = 0
    """The least time between two requests, unless the option of the same name says otherwise."""

    is_local: ClassVar[bool] = False
    """True if it answers from this machine: no network, and nothing to cache."""

    only_model: ClassVar[str] = ""
    """The id of its model, where it has one alone and nobody need be asked for it."""

    is_per_workspace: ClassVar[bool] = False
    """True if each workspace has its own: the option `workspace` then says whose."""

    max_event_bytes: ClassVar[int] = 0
    """How large one event of its streams may be, where that is more than the settings say."""

    filters_own_search: ClassVar[bool] = False
    """Whether the provider's own search can be kept to a list of domains."""

    cites_last: ClassVar[bool] = False
    """Whether it tells of its own searches and their sources only when an answer is over."""

    reads_itself: ClassVar[bool] = False
    """Whether the provider opens pages for a model also where it does not search."""

    takes_reply_schema: ClassVar[bool] = False
    """Whether its requests have a place for the JSON Schema of a reply."""

    charging: ClassVar[Charging] = Charging()
    """How it counts tokens, and whether it charges by them."""

    def installed(self, access: Access) -> str:  # noqa: ARG002 - for subclasses
        """Return what on this machine it works with; most need nothing here.

        Raises:
            NotInstalledError: A package, a program or a file is missing.
        """
        return ""

    def searches_itself(self, model: str, access: Access) -> bool:  # noqa: ARG002 - for subclasses
        """Tell whether this model searches on the provider's side."""
        return False

    def searches_beside_tools(self, model: str, access: Access) -> bool:  # noqa: ARG002 - for subclasses
        """Tell whether a model that searches on the provider's side also takes our tools."""
        return True

    def searches_always(self, model: str, access: Access) -> bool:  # noqa: ARG002 - for subclasses
        """Tell whether this model searches even where nobody asks it to."""
        return catalog.traits_of(model).searches_always

    def takes_temperature(self, question: Question, access: Access) -> bool:  # noqa: ARG002 - for subclasses
        """Tell whether the request for a question may have a temperature."""
        return catalog.traits_of(question.model).takes_temperature

    def thinking_choices(self, model: str, access: Access) -> Sequence[ThinkingChoice]:  # noqa: ARG002 - for subclasses
        """Return how a model's thinking can be switched; nothing if it cannot."""
        return catalog.traits_of(model).thinking_choices

    def answer_warnings(self, question: Question, access: Access) -> Sequence[Warned]:  # noqa: ARG002 - for subclasses
        """Return what of a question the provider cannot do; most have nothing to say."""
        return ()

    def search_notes(self, reply: HttpReply) -> Sequence[str]:  # noqa: ARG002 - for subclasses
        """Return what is missing in a reply that has results; most replies are whole."""
        return ()

    def is_opening(self, data: str) -> bool:  # noqa: ARG002 - for subclasses
        """Tell whether an event of a stream says nothing yet: what fails after it is retried."""
        return False

    def error_from(self, reply: HttpReply) -> ServiceError | None:  # noqa: ARG002 - for subclasses
        """Return what a failed reply means here, or None for what its status usually means.

        Also asked about replies with status 200, for services that put errors inside them.
        """
        return None


@runtime_checkable
class Searches(Protocol):
    """A provider that searches over plain HTTP."""

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        """Return the request that asks for pages."""

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        """Return the hits of a reply, best first; empty only if there are none."""


@runtime_checkable
class SearchesDirectly(Protocol):
    """A provider that searches by other means than one HTTP request."""

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
        """Return the hits, best first; empty only if there are none."""


@runtime_checkable
class Reads(Protocol):
    """A provider that reads pages over plain HTTP."""

    def read_request(self, url: str, access: Access) -> HttpRequest:
        """Return the request that asks for one page."""

    def read_page(self, url: str, reply: HttpReply) -> Page:
        """Return the page in a reply."""


@runtime_checkable
class ReadsDirectly(Protocol):
    """A provider that reads pages by other means than one HTTP request."""

    async def read_url(self, url: str, access: Access) -> Page:
        """Return one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedBrowser:
    """A browser on this machine, and the guarding proxy that is its only way to the web.

    Every page is opened in a context of its own that uses the proxy, and its document may come
    only from where `policy` permits. Not `is_own` is a browser that someone else started.
    """

    devtools_url: str
    proxy_url: str
    proxy_user: str
    proxy_password: Secret
    policy: DomainPolicy
    max_redirects: int
    timeout_seconds: float
    user_agent: str
    is_own: bool


@runtime_checkable
class ReadsWithBrowser(Protocol):
    """A provider that drives a browser; the browser is started only when it is asked for."""

    async def read_with(
        self,
        url: str,
        access: Access,
        open_browser: Callable[[], AbstractAsyncContextManager[GuardedBrowser]],
    ) -> Page:
        """Return one page, under the URL where its document came from in the end."""


@runtime_checkable
class Embeds(Protocol):
    """A service that turns texts into vectors, which are near where texts mean alike."""

    def embed_request(self, texts: Sequence[str], access: Access) -> HttpRequest:
        """Return the request for the vectors of some texts, by the model of the options."""

    def embeddings(self, reply: HttpReply) -> list[list[float]]:
        """Return the vectors of a reply, in the order of the texts."""


class Decoder(Protocol):
    """Reads one reply, streamed or whole; remembers what it must in fields."""

    continuation: AssistantMessage | None
    """Set when the provider paused: the same question is asked again with this appended, and the
    next reply is fed to the same decoder."""

    def feed_data(self, text: str) -> Sequence[StreamEvent]:
        """Return what the data of one event of the wire means; its type says nothing more."""

    def feed_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means, as the stream of the same answer would have said it."""

    def finish(self) -> Sequence[StreamEvent]:
        """Return what is left to say when the body has ended: an Error if it was cut off."""


@runtime_checkable
class Answers(Protocol):
    """A provider of models over plain HTTP."""

    def answer_request(self, question: Question, access: Access) -> HttpRequest:
        """Return the request whose reply is a stream."""

    def answer_warnings(self, question: Question, access: Access) -> Sequence[Warned]:
        """Return what of the question the provider cannot do, told before the answer begins."""

    def answer_decoder(self, question: Question | None = None) -> Decoder:
        """Return a fresh decoder for one answer; None where a saved reply is replayed."""

    def tool_definitions(self, tools: Sequence[ToolDefinition]) -> Json:
        """Return tools as this provider's requests spell them."""

    def models_request(self, access: Access) -> HttpRequest:
        """Return the request that lists models; it doubles as the test of a connection."""

    def models(self, reply: HttpReply) -> list[ModelInfo]:
        """Return the models in a reply that can hold a conversation."""


@runtime_checkable
class AnswersDirectly(Protocol):
    """A provider of models by other means than HTTP."""

    def answer(
        self, question: Question, access: Access
    ) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """Stream what happens, all that comes together at a time, to a Done or an Error."""

    async def list_models(self, access: Access) -> list[ModelInfo]:
        """Return the models that can be asked."""


@runtime_checkable
class BorrowsSession(Protocol):
    """A provider whose key is a session that another program keeps, OpenCode's for one."""

    def session_access(self, credentials: Sequence[Json], now: datetime) -> Access:
        """Return what the other program's records let us do; its address is left to the caller.

        Raises:
            ConfigError: There is no session, or its time is over.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A provider that is ready to use: its name, where it is and what lets us in.

    `idle_timeout_seconds` is its own patience, where the settings give it one.
    """

    name: str
    provider: Provider
    access: Access
    idle_timeout_seconds: float | None = None


class SearchProvider(Protocol):
    """Accepts a text query, returns ranked search results: what users call."""

    async def search(self, query: str, *, limit: int = 5) -> list[SearchResult]:
        """Return the hits, best first; empty only if there are none."""


class ReadProvider(Protocol):
    """Accepts a URL, returns the page as Markdown: what users call."""

    async def read_url(self, url: str) -> Page:
        """Return one page."""


def policy_refusal(reply: HttpReply, fix: str = "") -> ServiceError:
    """Return what a failed reply means to a service that tells a wrong key otherwise.

    Unless its own words name another reason, its policy is against what was asked. `fix` is
    what helps with this service, "" if no more than with any.
    """
    return errors.read_fault(
        reply.service,
        status=reply.status,
        headers=reply.headers,
        body=reply.body,
        now=datetime.now(UTC),
        meanings={reply.status: RefusedError},
        fix=fix,
    )


_ABILITIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("answer", (Answers, AnswersDirectly)),
    ("search", (Searches, SearchesDirectly)),
    ("read", (Reads, ReadsDirectly, ReadsWithBrowser)),
    ("embed", (Embeds,)),
)


def abilities(provider: Provider) -> Sequence[str]:
    """Return what a provider can do: any of answer, search and read."""
    return [name for name, kinds in _ABILITIES if isinstance(provider, kinds)]
