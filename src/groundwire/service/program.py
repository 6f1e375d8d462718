"""Groundwire as one object: settings, keys, network, store and chat, opened and closed together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Unpack

from groundwire import chat
from groundwire.chat import Ask, Conversation, SendMessage
from groundwire.chat.answer_checks import AnswerChecks, CheckStore, NullCheckStore
from groundwire.chat.events import ChatEvent
from groundwire.chat.snapshots import NullSnapshotStore, SnapshotStore
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.config.settings import Settings, load
from groundwire.conversation import (
    EVERYWHERE,
    Agent,
    ChatMessage,
    Session,
    Status,
    Workspace,
    new_id,
)
from groundwire.errors import ConfigError, ConflictError, NotFoundError
from groundwire.guard import DomainPolicy
from groundwire.redaction import without_keys
from groundwire.service.actor import OWNER, Actor, check_owner
from groundwire.service.agent_tools import provider_tools
from groundwire.service.answerer import Asker, with_tools
from groundwire.service.ask_again import answered, answerer_again, asked_again
from groundwire.service.ask_options import AskOptions, check_options
from groundwire.service.budgets import budgets, check_limits, prices
from groundwire.service.factory import means
from groundwire.service.first_start import ASSISTANT, SETUP, first_start
from groundwire.service.judge import judge_of
from groundwire.service.open_checks import OpenChecks, StoredChecks
from groundwire.service.provider_choice import ProviderChoice, ProviderChooser, services_for
from groundwire.service.provider_settings import ProviderSettings
from groundwire.service.snapshots import StoredSnapshots
from groundwire.service.turn_basis import TurnBasis
from groundwire.shared import redis_connection
from groundwire.system.closeable import AsyncCloseable

if TYPE_CHECKING:
    from typing import Self

    from groundwire.search import SearchContext
    from groundwire.service.ask_options import OwnTools
    from groundwire.shared import RedisConnection
    from groundwire.store import Store
    from groundwire.store.turn_contexts import TurnContext

_TITLE_LENGTH = 60


class Groundwire(Asker, AsyncCloseable):
    """Asks any model, with cited web search. A context manager; `groundwire.open` makes one.

    With `keep=False` nothing is stored: no database is opened, and every question stands alone.
    """

    settings: Settings
    keys: Keys
    client: Client
    means: SearchContext
    chat: SendMessage
    checks: AnswerChecks
    chooser: ProviderChooser
    redis: RedisConnection | None = None

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        keys: Keys | None = None,
        database: str | None = None,
        keep: bool = True,
        client: Client | None = None,
    ) -> None:
        self._client = client
        self.settings = settings or load()
        self.keys = keys or Keys()
        self._database = self.settings.store.url if database is None else database
        self._keep = keep
        self._store: Store | None = None
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            made = self._client or Client(self.settings.network)
            self.client = await stack.enter_async_context(made)
            if connection := redis_connection(self.settings.redis.url):
                self.redis = await stack.enter_async_context(connection)
            wired = means(self.settings, self.keys, self.client, self.redis)
            self.means = await stack.enter_async_context(wired)
            self.chooser = ProviderChooser(self.settings, self.keys, self.client)
            keeper: chat.TurnStore = chat.NullStore()
            checked: CheckStore = NullCheckStore()
            pages: SnapshotStore = NullSnapshotStore()
            if self._keep:
                from groundwire.store import Pool, Store  # noqa: PLC0415 - as `keep` says

                kept = self.settings.store
                pool = Pool(size=kept.pool_size, wait_seconds=kept.pool_wait_seconds)
                opened = await Store.open(self._database, pool=pool)
                self._store = await stack.enter_async_context(opened)
                keeper = self.store.messages
                pages = snapshots = StoredSnapshots(self.store.snapshots, self.settings.snapshots)
                stack.push_async_callback(snapshots.close)
                is_on = snapshots.is_on
                checked = StoredChecks(self.store.citation_checks, has_snapshots=is_on)
                await first_start(self.store)
            self.checks = AnswerChecks(
                self.means, checked, check_limits, open_judge=partial(judge_of, self)
            )
            stack.push_async_callback(self.checks.close)
            self.chat = SendMessage(
                self.means,
                keeper,
                checks=self.checks,
                snapshots=pages,
                budgets=budgets(self.settings.chat),
                prices=prices(self.settings.chat),
                history_tokens=self.settings.chat.history_tokens,
            )
            self._opened = stack.pop_all()
            self._loop = asyncio.get_running_loop()
        return self

    async def close(self) -> None:
        """Let go of everything that was opened."""
        self._loop = None
        await self._opened.aclose()

    @property
    def store(self) -> Store:
        """Return what is kept.

        Raises:
            ConfigError: Nothing is.
        """
        if self._store is None:
            raise ConfigError("nothing is kept here: open Groundwire with keep=True")
        return self._store

    @property
    def open_checks(self) -> OpenChecks:
        """Return the checks of kept answers.

        Raises:
            ConfigError: Nothing is kept.
        """
        return OpenChecks(self.store, self.checks, self.settings)

    @property
    def desk(self) -> ProviderSettings:
        """Return where the owner configures providers.

        Raises:
            ConfigError: Nothing is kept.
        """
        return self.desk_of(OWNER)

    def desk_of(self, actor: Actor) -> ProviderSettings:
        """Return where providers are configured, which somebody who is not the owner can read."""
        return ProviderSettings(self.store, self.keys, self.chooser, self.client, actor=actor)

    async def conversation(
        self,
        *,
        agent: str = "",
        session: str = "",
        provider: str = "",
        model: str = "",
        title: str = "",
        parent: str | None = "",
        basis: TurnBasis | None = None,
        actor: Actor,
    ) -> Conversation:
        """Return what a turn rests on, read afresh; a session is made where none is named.

        `parent` is the message after which the turn goes on: "" is the newest, None is none.
        `basis` is what was read of this turn already, in place of `agent` and `session`.
        `actor` is who asks: the tools that are offered are those that they may use.

        Raises:
            ConfigError: Nobody could answer.
            NotFoundError: There is no such agent, session or message.
        """
        self.check_loop()
        if self._store is None:
            return await self._alone(provider, model)
        basis = basis or await self._basis(agent, session)
        context, chosen = basis.context, basis.context.agent
        kept = context.session
        if kept is not None and kept.workspace_id != chosen.workspace_id:
            raise ConflictError(f"the agent {chosen.name!r} is of another workspace")
        choice, wanted, ordinary = await self._answerer(context, provider, model)
        return Conversation(
            workspace=context.workspace,
            agent=chosen,
            session=kept or await self.new_session(chosen, title),
            endpoint=choice.endpoint,
            model=wanted,
            ordinary_model=ordinary,
            history=basis.branch(parent),
            services=await services_for(choice.endpoint, self.settings),
            tools=provider_tools(self.desk_of(actor)) if chosen.id == SETUP else (),
            names_addresses=actor.is_owner,
            provider_id=choice.record.id if choice.record else "",
            provider_name=choice.record.name if choice.record else choice.endpoint.name,
        )

    async def new_session(
        self, agent: Agent, question: str, *, user_id: str | None = None, key: str = ""
    ) -> Session:
        """Keep a new session under its first question, and under `key` where its id is known.

        Raises:
            ConflictError: A session has this id.
        """
        session = Session(
            id=key or new_id(),
            workspace_id=agent.workspace_id,
            agent_id=agent.id,
            user_id=user_id,
            title=_title(question),
        )
        return await self.store.sessions.create(session)

    async def _basis(self, agent: str, session: str) -> TurnBasis:
        """Read what a turn of a session rests on, with an agent by id or name."""
        if session:
            kept = await self.store.sessions.get(session)
            agent = agent or kept.agent_id
        chosen = await self.agent(agent)
        context = await self.store.turn_contexts.get(chosen.id, session)
        messages = await self.store.messages.history(session) if session else ()
        return TurnBasis(context=context, messages=messages)

    async def _answerer(
        self, context: TurnContext, provider: str, model: str
    ) -> tuple[ProviderChoice, str, str]:
        """Return who answers for an agent, and with which models."""
        agent = context.agent
        name = provider or agent.preferred_provider_id or ""
        choice = await self.chooser.in_thread(name, context.providers)
        # An agent's model belongs to its provider.
        preferred = "" if provider else agent.preferred_model_id or ""
        return choice, *await self._models(choice, model or preferred)

    async def _models(self, choice: ProviderChoice, named: str) -> tuple[str, str]:
        """Return the model to ask, and the one to ask instead if it may not search.

        A model that somebody named for this question or this agent is used or refused.
        """
        wanted = await self.chooser.model(choice, named)
        return wanted, "" if named else await self.chooser.ordinary_model(choice, wanted)

    async def agent(self, name: str = "") -> Agent:
        """Return an agent by id or name; "" is the assistant, or the oldest there is.

        Raises:
            NotFoundError: There is none, or none of this name.
        """
        if not name:
            with suppress(NotFoundError):
                return await self.store.agents.get(ASSISTANT)
        known = await self.agents()
        if not known:
            raise NotFoundError("there is no agent: add one under Settings, Agents")
        if not name:
            return known[0]
        named = [each for each in known if name in (each.id, each.name)]
        if not named:
            names = ", ".join(each.name for each in known)
            raise NotFoundError(f"no agent is called {name!r}: there are {names}")
        # Nobody takes over an agent by calling another one by its id.
        return next((each for each in named if each.id == name), named[0])

    async def agents(self) -> tuple[Agent, ...]:
        """Return the agents of all workspaces."""
        spaces = await self.store.workspaces.list()
        return tuple([a for space in spaces for a in await self.store.agents.list(space.id)])

    async def messages(self, session_id: str) -> tuple[ChatMessage, ...]:
        """Return a session's messages as a page shows them, whole also after a crash.

        Raises:
            NotFoundError: There is no such session.
        """
        session = await self.store.sessions.get(session_id)
        workspace = await self.store.workspaces.get(session.workspace_id)
        allowed = DomainPolicy(allowed=workspace.web_allowed_domains)
        policy = self.settings.domains.narrowed(allowed)
        shown = await self.store.messages.shown(session_id)
        return tuple(chat.restored(each, policy) for each in shown)

    def send(
        self, conversation: Conversation, asked: Ask, question: ChatMessage | None = None
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Stream a turn in batches, which is what a server relays; a kept `question` anew."""
        return self.chat.batches(conversation, asked, question=question)

    async def retry(
        self, answer_id: str, *, actor: Actor = OWNER, **options: Unpack[AskOptions]
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Return a new answer to the question of an old one, beside it.

        What is not given is as it was: who searches, within which domains, who answers with which
        model, and how it thinks. A `provider`, `model` or `thinking` of "" is the agent's own.

        Raises:
            TypeError: There is no such option, or it is one of the question itself.
            NotFoundError: There is no such answer, or not in this session.
            ConflictError: It is still being made, or its provider was removed.
        """
        check_options(options, AskOptions)
        earlier = await answered(self.store, answer_id, options.get("session", ""))
        asked = asked_again(earlier, options)
        whom = await answerer_again(self.store, earlier, options)
        conversation = await self.conversation(
            agent=options.get("agent", ""),
            session=earlier.answer.session_id,
            parent=earlier.question.parent_id,
            provider=whom.provider,
            model=whom.model,
            actor=actor,
        )
        if "tools" in options:
            conversation = with_tools(conversation, options["tools"])
        return self.send(conversation, asked, earlier.question)

    async def approve(
        self,
        message_id: str,
        decisions: Mapping[str, bool],
        *,
        tools: OwnTools = (),
        actor: Actor = OWNER,
    ) -> AsyncGenerator[Sequence[ChatEvent], None]:
        """Go on with a turn that waits: run what was approved, tell the model what was not.

        `tools` are those of the program's own that the question was asked with.

        Raises:
            ForbiddenError: `actor` may decline these calls, but not approve them.
            NotFoundError: There is no such answer.
            ConflictError: It does not wait.
        """
        if any(decisions.values()):
            # What waits are tools that change providers.
            check_owner(actor)
        answer = await self.store.messages.get(message_id)
        if answer.status is not Status.AWAITING_APPROVAL or answer.parent_id is None:
            raise ConflictError(f"the answer {message_id!r} does not wait for an approval")
        question = await self.store.messages.get(answer.parent_id)
        conversation = await self.conversation(
            session=answer.session_id,
            parent=question.parent_id,
            provider=answer.raw_provider,
            model=answer.model,
            actor=actor,
        )
        conversation = with_tools(conversation, tools)
        # Two who approve at once must not run the calls twice.
        if not await self.store.messages.claim(message_id):
            raise ConflictError(f"the answer {message_id!r} goes on already")
        return self.chat.resume(conversation, question, answer, decisions)

    async def _alone(self, provider: str, model: str) -> Conversation:
        """Return a conversation that nobody keeps."""
        choice = await self.chooser.in_thread(provider, ())
        workspace = Workspace(name="Personal", web_allowed_domains=EVERYWHERE)
        someone = Agent(workspace_id=workspace.id, name="Assistant", web_search_enabled=True)
        wanted, ordinary = await self._models(choice, model)
        return Conversation(
            workspace=workspace,
            agent=someone,
            session=Session(workspace_id=workspace.id, agent_id=someone.id),
            endpoint=choice.endpoint,
            model=wanted,
            ordinary_model=ordinary,
            services=await services_for(choice.endpoint, self.settings),
            provider_name=choice.endpoint.name,
            names_addresses=True,
        )


def _title(text: str) -> str:
    # As in the message itself: a key would be kept.
    line = " ".join(without_keys(text).split())
    return line if len(line) <= _TITLE_LENGTH else f"{line[: _TITLE_LENGTH - 1].rstrip()}…"
