"""What all routes of one server share."""

from __future__ import annotations

import asyncio
import math
import os
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from groundwire.config.settings import load, settings_path
from groundwire.service.follow_ups import FollowUps
from groundwire.service.library_worker import LibraryWorker
from groundwire.web.attempt_counts import RedisAttemptCounts
from groundwire.web.live_turns import LiveTurns
from groundwire.web.login_limits import Attempts, LoginLimits
from groundwire.web.options import Starter
from groundwire.web.readiness import Readiness
from groundwire.web.sent_body import BodySpace
from groundwire.web.sibling_processes import SiblingProcesses
from groundwire.web.sso.sign_on import SingleSignOn
from groundwire.web.typeset.typesetter import Typesetter

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from groundwire.config.settings import MetricsSettings
    from groundwire.service.program import Groundwire
    from groundwire.store import Store
    from groundwire.web.metrics import Metrics
    from groundwire.web.options import Options
    from groundwire.web.redis_turns import RedisTurns
    from groundwire.web.traces import Traces


USERS_KNOWN_SECONDS = 1.0
SWITCHES = {"next_on_nothing": "search", "source_icons": "web"}
"""What the page can switch on and off, and the table of the settings that has it."""


class Site:
    """The program behind a server, and what it knows of those who ask it."""

    def __init__(self, program: Groundwire, options: Options) -> None:
        self.program = program
        self.options = options
        self.setups = Attempts()
        self.logins = LoginLimits()
        self.sign_on = SingleSignOn(program)
        self.sign_on_failures = Attempts(free=20)
        self.body_space = BodySpace()
        self.setting_up = asyncio.Lock()
        self.typesetter = Typesetter()
        self.follow_ups = FollowUps(program)
        self.is_closing = False
        self.drains: list[Callable[[float], Awaitable[None]]] = []
        self._live_turns: LiveTurns | None = None
        self._resuming: asyncio.Task[None] | None = None
        self._siblings: SiblingProcesses | None = None
        self._readiness: Readiness | None = None
        self._elsewhere: RedisTurns | None = None
        self._settings_seen = _changed_at()
        self._users = (0, -math.inf)
        self.metrics = _metrics(program.settings.metrics)
        self._traces = _traces(program.settings.metrics)
        self._measuring: asyncio.Task[None] | None = None
        self.library_worker = LibraryWorker(program)
        self._working: asyncio.Task[None] | None = None

    def refresh(self) -> None:
        """Take over what the page can change of the settings, if another process changed them.

        Raises:
            SettingsError: The file cannot be used.
        """
        changed = _changed_at()
        if changed != self._settings_seen:
            now = load()
            self.take(
                search_provider=now.search_provider,
                read_provider=now.read_provider,
                checks=now.checks,
                **self.switched(
                    next_on_nothing=now.search.next_on_nothing, source_icons=now.web.source_icons
                ),
            )

    def switched(self, **switches: bool) -> dict[str, object]:
        """Return the tables of the settings with some of their switches set, to be taken."""
        settings, tables = self.program.settings, dict[str, object]()
        for name, is_on in switches.items():
            table = SWITCHES[name]
            tables[table] = getattr(settings, table).model_copy(update={name: is_on})
        return tables

    def take(self, **values: object) -> None:
        """Apply settings that are in the file already."""
        self._settings_seen = _changed_at()
        self.program.settings = self.program.settings.model_copy(update=values)
        self.program.search_context.settings = self.program.settings

    async def user_count(self) -> int:
        """Return how many users there are, or were a second ago: every request asks."""
        counted, at = self._users
        if time.monotonic() - at > USERS_KNOWN_SECONDS:
            counted = await self.store.users.count()
            self._users = (counted, time.monotonic())
        return counted

    def recount_users(self) -> None:
        """Forget the cached number of users: one was added or removed."""
        self._users = (0, -math.inf)

    @property
    def starters(self) -> tuple[Starter, ...]:
        """Return the questions that an empty chat offers."""
        own = (Starter(text=text) for text in self.program.settings.web.starters)
        return (*self.options.starters, *own)

    @property
    def token_life(self) -> timedelta:
        """Return the longest life of a token."""
        return timedelta(days=self.program.settings.web.token_days)

    @property
    def store(self) -> Store:
        """Return what is kept."""
        return self.program.store

    @property
    def live_turns(self) -> LiveTurns:
        """Return the turns of this process; the program must be open."""
        if self._live_turns is None:
            observers = [each for each in (self.metrics, self._traces) if each is not None]
            self._live_turns = LiveTurns(self.program.store, self.options, observers)
        return self._live_turns

    @property
    def siblings(self) -> SiblingProcesses:
        """Return the other processes of this server; the program must be open."""
        if self._siblings is None:
            self._siblings = SiblingProcesses(self.live_turns, self.options)
        return self._siblings

    @property
    def elsewhere(self) -> RedisTurns | None:
        """Return the turns of all servers that share a Redis, None without one."""
        if self._elsewhere is None and self.program.redis is not None:
            from groundwire.web.redis_turns import RedisTurns  # noqa: PLC0415 - only with Redis

            self._elsewhere = RedisTurns(
                self.program.redis, self.live_turns, self.store, self.options
            )
        return self._elsewhere

    @property
    def readiness(self) -> Readiness:
        """Return the readiness check; the program must be open."""
        if self._readiness is None:
            limit = self.options.ready_seconds
            self._readiness = Readiness(
                self.store, self.live_turns, limit_seconds=limit, redis=self.program.redis
            )
        return self._readiness

    async def open(self) -> None:
        """Be found by the other processes, and go on with checks that those who are gone left."""
        await self.siblings.open()
        if self.program.redis is not None:
            self.logins = LoginLimits(shared=RedisAttemptCounts(self.program.redis))
        if self.elsewhere is not None:
            await self.elsewhere.open()
        if self.metrics is not None:
            self._measuring = asyncio.create_task(self.metrics.keep_measuring(self))
        self._resuming = asyncio.create_task(self.program.open_checks.keep_resuming())
        self._working = asyncio.create_task(self.library_worker.keep_working())

    async def drain(self) -> None:
        """Take no more messages, and let answers in progress end within the setting's seconds.

        Those of other surfaces too, whose part of it is in `drains`.
        """
        seconds = self.program.settings.web.stop_seconds
        surfaces = (drain(seconds) for drain in self.drains)
        await asyncio.gather(self.live_turns.drain(seconds), *surfaces)

    async def close(self) -> None:
        """Stop every turn, and stop listening for the other processes."""
        self.is_closing = True
        for task in (self._resuming, self._measuring, self._working):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self.live_turns.close()
        if self._elsewhere is not None:
            await self._elsewhere.close()
        if self._traces is not None:
            await asyncio.to_thread(self._traces.close)
        await self.sign_on.close()
        await self.readiness.close()
        await self.typesetter.close()
        await self.siblings.close()


def _metrics(settings: MetricsSettings) -> Metrics | None:
    """Return the metrics, None where nobody may read them."""
    if not settings.token and not settings.port:
        return None
    from groundwire.web.metrics import Metrics  # noqa: PLC0415 - loaded where it is wanted

    return Metrics()


def _traces(settings: MetricsSettings) -> Traces | None:
    if not settings.traces:
        return None
    from groundwire.web.traces import Traces  # noqa: PLC0415 - an extra

    return Traces(settings.traces)


def _changed_at() -> int:
    try:
        return settings_path(os.environ).stat().st_mtime_ns
    except OSError:
        return 0


def public_url(request: HTTPConnection, site: Site) -> str:
    """Return where people reach this server: as the settings say, else as this request did.

    The Host of a request is not believed: the guard let it through, so it names this server.
    """
    given = site.program.settings.web.public_url
    return given or f"{request.url.scheme}://{request.url.netloc}"


def site_of(connection: HTTPConnection) -> Site:
    """Return what the routes share."""
    found: Site = connection.app.state.site
    return found


async def _site(connection: HTTPConnection) -> Site:
    # FastAPI would call a plain function in a thread, at every request.
    return site_of(connection)


SiteNeeded = Annotated[Site, Depends(_site)]
