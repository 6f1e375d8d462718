"""Groundwire as one object: settings, keys, network, store and chat, opened and closed together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire import chat
from groundwire.cache.redis_connection import redis_connection
from groundwire.chat import Conversation, SendMessage
from groundwire.chat.answer_checks import AnswerChecks, CheckStore, NullCheckStore
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.config.settings import Settings, load
from groundwire.conversation import (
    EVERYWHERE,
    Agent,
    ChatMessage,
    ProviderRecord,
    Session,
    Workspace,
    new_id,
)
from groundwire.errors import ConfigError, ConflictError, NotFoundError
from groundwire.guard import DomainPolicy
from groundwire.redaction import without_keys
from groundwire.service.actor import OWNER, Actor
from groundwire.service.agent_tools import provider_tools
from groundwire.service.answerer import Asker
from groundwire.service.budgets import budgets, prices
from groundwire.service.factory import search_context
from groundwire.service.first_start import ASSISTANT, SETUP, first_start
from groundwire.service.judge import judge_of
from groundwire.service.open_checks import OpenChecks, StoredChecks
from groundwire.service.provider_choice import ProviderChoice, ProviderChooser, services_for
from groundwire.service.provider_settings import ProviderSettings
from groundwire.service.quotas import opened_quotas
from groundwire.service.snapshots import StoredSnapshots
from groundwire.service.workspace_names import search_context_in
from groundwire.system.closeable import AsyncCloseable

if TYPE_CHECKING:
    from typing import Self

    from groundwire.cache.redis_connection import RedisConnection
    from groundwire.chat.quotas import Quotas
    from groundwire.search import SearchContext
    from groundwire.store import Store
    from groundwire.store.turn_contexts import TurnContext

_TITLE_LENGTH = 60


class Groundwire(Asker, AsyncCloseable):
    """Asks any model, with cited web search. A context manager; `groundwire.open` makes one.

    With `keep=False` nothing is stored: no database is opened, and every question stands alone.
    """

    settings: Settings
    keys: Keys
    search_context: SearchContext
    chat: SendMessage
    chooser: ProviderChooser
    quotas: Quotas
    redis: RedisConnection | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        keys: Keys | None = None,
        database: str | None = None,
        keep: bool = True,
        client: Client | None = None,
    ) -> None:
        self.settings = settings or load()
        self.client = client or Client(self.settings.network)
        self.keys = keys or Keys()
        self._database = self.settings.store.url if database is None else database
        self._keep = keep
        self._store: Store | None = None
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.client)
            if connection := redis_connection(self.settings.redis.url):
                self.redis = await stack.enter_async_context(connection)
            wired = search_context(self.settings, self.keys, self.client, self.redis)
            self.search_context = await stack.enter_async_context(wired)
            self.chooser = ProviderChooser(self.settings, self.keys, self.client)
            turn_store: chat.TurnStore = chat.NullStore()
            checked: CheckStore = NullCheckStore()
            pages: StoredSnapshots | None = None
            if self._keep:
                from groundwire.store import Pool, Store  # noqa: PLC0415 - as `keep` says

                kept = self.settings.store
                pool = Pool(size=kept.pool_size, wait_seconds=kept.pool_wait_seconds)
                self._store = await stack.enter_async_context(Store.open(self._database, pool=pool))
                turn_store = self.store.messages
                pages = StoredSnapshots(self.store.snapshots, self.settings.snapshots)
                stack.push_async_callback(pages.close)
                checked = StoredChecks(self.store.citation_checks, has_snapshots=pages.is_on)
                await first_start(self.store)
            counting = opened_quotas(lambda: self.settings, self._store, self._database)
            self.quotas = await stack.enter_async_context(counting)
            self.checks = AnswerChecks(
                self.search_context,
                checked,
                open_judge=partial(judge_of, self),
                quotas=self.quotas,
            )
            stack.push_async_callback(self.checks.close)
            self.chat = SendMessage(
                self.search_context,
                turn_store,
                checks=self.checks,
                snapshots=pages,
                budgets=budgets(self.settings.chat),
                quotas=self.quotas,
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
    def provider_settings(self) -> ProviderSettings:
        """Return where the owner configures providers.

        Raises:
            ConfigError: Nothing is kept.
        """
        return self.provider_settings_of(OWNER)

    def provider_settings_of(self, actor: Actor) -> ProviderSettings:
        """Return where providers are configured, which somebody who is not the owner can read."""
        return ProviderSettings(self.store, self.keys, self.chooser, self.client, actor=actor)

    async def search_context_of(self, workspace: str) -> SearchContext:
        """Return what searching needs in a workspace by name or id, "" for the first one."""
        return await search_context_in(self, workspace)

    def check_loop(self) -> None:
        """Refuse to work in any other loop than the one that everything was opened in.

        Raises:
            ConfigError: This is another loop, or nothing is open.
        """
        if self._loop is None:
            raise ConfigError("Groundwire is not open: use `async with groundwire.open() as gw`")
        try:
            here = asyncio.get_running_loop()
        except RuntimeError:
            here = None
        if self._loop is not here:
            raise ConfigError(
                "this Groundwire was opened in another event loop: open one here, or share that "
                "of `with groundwire.open() as gw` between threads"
            )

    async def conversation(
        self,
        *,
        agent: str = "",
        session: str = "",
        provider: str = "",
        model: str = "",
        title: str = "",
        parent: str | None = "",
        context: TurnContext | None = None,
        actor: Actor,
    ) -> Conversation:
        """Return what a turn rests on, read afresh; a session is made where none is named.

        `parent` is the message after which the turn goes on: "" is the newest, None is none.
        `context` is what was read of this turn already, in place of `agent` and `session`.
        `actor` is who asks: the tools that are offered are those that they may use.

        Raises:
            ConfigError: Nobody could answer.
            NotFoundError: There is no such agent, session or message.
        """
        self.check_loop()
        if self._store is None:
            return await self._alone(provider, model)
        context = context or await self._context(agent, session)
        chosen, kept = context.agent, context.session
        if kept is not None and kept.workspace_id != chosen.workspace_id:
            raise ConflictError(f"the agent {chosen.name!r} is of another workspace")
        choice, wanted, ordinary = await self._answerer(chosen, provider, model, context.providers)
        return Conversation(
            workspace=context.workspace,
            agent=chosen,
            session=kept or await self.new_session(chosen, title),
            endpoint=choice.endpoint,
            model=wanted,
            ordinary_model=ordinary,
            history=context.branch(parent),
            services=await services_for(choice.endpoint, self.settings, context.workspace),
            tools=provider_tools(self.provider_settings_of(actor)) if chosen.id == SETUP else (),
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
        # As in the message itself: a key would be kept.
        title = " ".join(without_keys(question).split())
        if len(title) > _TITLE_LENGTH:
            title = f"{title[: _TITLE_LENGTH - 1].rstrip()}…"
        session = Session(
            id=key or new_id(),
            workspace_id=agent.workspace_id,
            agent_id=agent.id,
            user_id=user_id,
            title=title,
        )
        return await self.store.sessions.create(session)

    async def _context(self, agent: str, session: str) -> TurnContext:
        """Read what a turn of a session rests on, with an agent by id or name."""
        contexts = self.store.turn_contexts
        if not session:
            try:
                return await contexts.get(agent or ASSISTANT, "")
            except NotFoundError:
                return await contexts.get((await self.agent(agent)).id, "")
        kept = await self.store.sessions.get(session)
        chosen = await self.agent(agent or kept.agent_id)
        context = await contexts.get(chosen.id, session)
        return replace(context, messages=await self.store.messages.history(session))

    async def _answerer(
        self, agent: Agent, provider: str, model: str, records: Sequence[ProviderRecord]
    ) -> tuple[ProviderChoice, str, str]:
        """Return who answers for an agent, the model to ask, and another if that may not search.

        A model that somebody named for this question or this agent is used or refused.
        """
        name = provider or agent.preferred_provider_id or ""
        choice = await self.chooser.in_thread(name, records)
        # An agent's model belongs to its provider.
        named = model or ("" if provider else agent.preferred_model_id or "")
        wanted = await self.chooser.model(choice, named)
        return choice, wanted, "" if named else await self.chooser.ordinary_model(choice, wanted)

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

    async def _alone(self, provider: str, model: str) -> Conversation:
        """Return a conversation that nobody keeps."""
        workspace = Workspace(
            name="Personal", web_allowed_domains=EVERYWHERE, has_first_library=True
        )
        someone = Agent(workspace_id=workspace.id, name="Assistant", web_search_enabled=True)
        choice, wanted, ordinary = await self._answerer(someone, provider, model, ())
        return Conversation(
            workspace=workspace,
            agent=someone,
            session=Session(workspace_id=workspace.id, agent_id=someone.id),
            endpoint=choice.endpoint,
            model=wanted,
            ordinary_model=ordinary,
            services=await services_for(choice.endpoint, self.settings, workspace),
            provider_name=choice.endpoint.name,
            names_addresses=True,
        )
