"""Live turns of all servers, through Redis: any server follows and stops any turn.

A server that runs a turn writes its events into a Redis Stream, each entry under the number of
its last event; a server that is asked for a turn of another one keeps a copy of it while somebody
reads. What is written is written again after a loss of Redis; what cannot be read ends with the
answer that is kept.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwire.cache.redis_connection import Redis, key
from groundwire.conversation import Status
from groundwire.errors import NotFoundError
from groundwire.redaction import redact
from groundwire.store.database import patience
from groundwire.web.error_responses import stopping
from groundwire.web.frames import done_frame, started_frame
from groundwire.web.live_turns import LiveTurn

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from groundwire.cache.redis_connection import RedisConnection
    from groundwire.store import Store
    from groundwire.web.live_turns import LiveTurns
    from groundwire.web.options import Options

GATHER_SECONDS = 0.05
LISTEN_MILLISECONDS = 250
SILENT_SECONDS = 2.0
LONGEST_TURN_SECONDS = 3_600
STOP_SECONDS = 10.0
MOST_STOPS = 10_000
MOST_ENTRIES = 20_000
_STOPS = key("stops")
_LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class _Publication:
    """A turn of this server as it is written to Redis: a reader like any other."""

    run: LiveTurn
    turns: RedisTurns
    place: int = 0
    is_begun: bool = False

    def wake(self) -> None:
        """Write what is new."""
        self.turns.publish_soon(self)

    def watch(self, now: float) -> None:
        """Need nothing to be kept alive."""

    def news(self) -> _News:
        """Return what is not written yet."""
        run = self.run
        first, body = run.since(self.place)
        return _News(
            key=_key(run.message_id),
            first=first,
            last=run.last_number,
            body=body,
            is_begun=self.is_begun,
            is_over=run.is_over,
            next_place=run.dropped + len(run.batches),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _News:
    """Events of a turn that are to be written: their numbers, bytes, and the place after them."""

    key: str
    first: int
    last: int
    body: bytes
    is_begun: bool
    is_over: bool
    next_place: int


@dataclass(eq=False)
class _Copy:
    """A turn of another server, as far as it was read from Redis.

    `is_silent` says that its answer has ended and nothing of that was heard.
    """

    run: LiveTurn
    place: str = "0"
    heard_at: float = 0.0
    is_silent: bool = False


class RedisTurns:
    """This server among those that share a Redis."""

    def __init__(
        self, redis: RedisConnection, live_turns: LiveTurns, store: Store, options: Options
    ) -> None:
        self._redis = redis
        self._live_turns = live_turns
        self._store = store
        self._options = options
        self._unwritten: dict[_Publication, None] = {}
        self._is_new = asyncio.Event()
        self._copies: dict[str, _Copy] = {}
        self._stops_seen = "$"
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    async def open(self) -> None:
        """Begin to write the turns of this server, and to listen."""
        self._live_turns.on_begun = self._begun
        newest = await self._redis.ask(_newest_stop, "$")
        self._stops_seen = newest
        with patience():
            self._tasks |= {
                asyncio.create_task(self._keep_publishing()),
                asyncio.create_task(self._keep_listening()),
            }

    async def close(self) -> None:
        """Write what there is, once, and stop; whoever reads turns of others is let go."""
        self._is_closed = True
        await self._publish()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for copy in self._copies.values():
            copy.run.end()

    async def turn(self, message_id: str) -> LiveTurn | None:
        """Return a copy of a turn that another server runs, None where Redis has nothing of it.

        Of one that has just begun nothing may be written yet: its copy is empty at first.

        Raises:
            WebError: This server stops, and would hear nothing of it any more.
        """
        known = self._copies.get(message_id)
        # One that is over and is made all the same waited for an approval, and goes on.
        if known is None or (known.run.is_over and await self._is_streaming(message_id)):
            copy = _Copy(run=LiveTurn(""), heard_at=time.monotonic())
            copy.run.message_id = message_id
            entries = await self._entries(message_id)
            if entries is None or (not entries and not await self._is_streaming(message_id)):
                return None
            if self._is_closed:
                raise stopping()
            there = self._copies.get(message_id)
            if there is not None and there is not known:  # Another reader was faster.
                return there.run
            known = self._copies[message_id] = copy
            _take(copy, entries)
        return known.run

    async def _entries(self, message_id: str) -> list[Any] | None:
        """Return what is written of a turn, None where Redis has only how it was before it went on.

        That is replaced when the server that goes on with it next writes.
        """
        until = time.monotonic() + SILENT_SECONDS
        while time.monotonic() < until:
            entries: list[Any] | None = await self._redis.ask(
                lambda redis: redis.xrange(_key(message_id)), None
            )
            is_whole = b"end" in entries[-1][1] if entries else False
            if not is_whole or not await self._is_streaming(message_id):
                return entries
            await asyncio.sleep(GATHER_SECONDS)
        return None

    async def stop(self, message_id: str) -> bool:
        """Have whichever server runs a turn stop it; return whether it could be told to.

        It waits for the end, but not for ever: a busy server stops a little later.
        """
        asked = await self._redis.ask(lambda redis: _ask_to_stop(redis, message_id), None)
        if asked is None:
            return False
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            if not await self._is_streaming(message_id):
                break
            await asyncio.sleep(0.1)
        return True

    async def _is_streaming(self, message_id: str) -> bool:
        with suppress(NotFoundError):  # Its session was deleted meanwhile.
            message = await self._store.messages.get(message_id)
            return message.status is Status.STREAMING
        return False

    def publish_soon(self, publication: _Publication) -> None:
        """Write what is new of a turn at the next occasion."""
        self._unwritten[publication] = None
        self._is_new.set()

    def _begun(self, run: LiveTurn) -> None:
        publication = _Publication(run, self)
        run.readers.add(publication)
        self.publish_soon(publication)

    async def _keep_publishing(self) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            # What comes within a moment is one entry: each costs the server more than its bytes.
            await asyncio.sleep(GATHER_SECONDS)
            if not await self._publish():
                self._is_new.set()
                await asyncio.sleep(1.0)

    async def _publish(self) -> bool:
        """Write all that is new; False if it has to be tried again."""
        waiting, self._unwritten = self._unwritten, {}
        if not waiting:
            return True
        # Taken now and once: while Redis is asked, the turns go on.
        news = [each.news() for each in waiting]
        done = await self._redis.ask(lambda redis: _write(redis, news, self._options), None)
        if done is None:
            self._unwritten = {**waiting, **self._unwritten}
            return False
        for publication, each in zip(waiting, news, strict=True):
            publication.place, publication.is_begun = each.next_place, True
            if each.is_over:
                publication.run.readers.discard(publication)
        return True

    async def _keep_listening(self) -> None:
        while True:
            try:
                heard = await self._redis.ask(self._listen, None)
                if heard is None:
                    await asyncio.sleep(0.5)
                self._hear(heard or [])
                await self._look_after_copies()
            except Exception as error:  # noqa: BLE001 - a task has nobody else to tell
                _LOG.warning(
                    "turns of other servers could not be looked at: %s", redact(repr(error))
                )
                await asyncio.sleep(1.0)

    async def _listen(self, redis: Redis) -> list[Any]:
        places: dict[Any, Any] = {_STOPS: self._stops_seen}
        places |= {_key(id_): copy.place for id_, copy in self._copies.items()}
        found: list[Any] = await redis.xread(places, block=LISTEN_MILLISECONDS)
        return found or []

    def _hear(self, heard: list[Any]) -> None:
        for name, entries in heard:
            if name.decode() == _STOPS:
                self._stops_seen = entries[-1][0].decode()
                for _, fields in entries:
                    self._stop_here(fields[b"turn"].decode())
                continue
            copy = self._copies.get(name.decode().rpartition(":")[2])
            if copy is not None:
                _take(copy, entries)

    def _stop_here(self, message_id: str) -> None:
        if run := self._live_turns.of_message(message_id):
            task = asyncio.create_task(self._live_turns.stop(run))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _look_after_copies(self) -> None:
        now = time.monotonic()
        for message_id, copy in [*self._copies.items()]:
            run = copy.run
            for reader in [*run.readers]:
                reader.watch(now)
            if not run.is_over and now - copy.heard_at > SILENT_SECONDS:
                copy.heard_at = now
                await self._end_if_ended(copy)
            if not run.readers and now - max(run.ended_at, copy.heard_at) > SILENT_SECONDS:
                del self._copies[message_id]

    async def _end_if_ended(self, copy: _Copy) -> None:
        """End a copy whose turn is over although nothing says so: its server may be gone."""
        message = await self._store.messages.get(copy.run.message_id)
        if message.status is Status.STREAMING:
            return
        # A busy server may have kept the end and be about to write it: it gets one more chance.
        was_silent, copy.is_silent = copy.is_silent, True
        is_gone = message.status is Status.INTERRUPTED
        if was_silent or is_gone or not self._redis.is_up:
            if not copy.run.last_number:  # Its server died before it wrote anything.
                copy.run.append_at(1, 1, started_frame(message))
            copy.run.end(done_frame(copy.run.last_number + 1, message))


def _key(message_id: str) -> str:
    return key("turn", message_id)


async def _newest_stop(redis: Redis) -> str:
    newest = await redis.xrevrange(_STOPS, count=1)
    return newest[0][0].decode() if newest else "0"


async def _ask_to_stop(redis: Redis, message_id: str) -> bool:
    await redis.xadd(_STOPS, {"turn": message_id}, maxlen=MOST_STOPS, approximate=True)
    return True


async def _write(redis: Redis, news: list[_News], options: Options) -> bool:
    """Write what is new of some turns in one trip; to do it twice changes nothing."""
    async with redis.pipeline(transaction=False) as pipe:
        for each in news:
            if not each.is_begun:
                pipe.delete(each.key)  # An answer that waited for an approval goes on from 1.
            if each.body:
                fields = {"first": each.first, "body": each.body}
                _add(pipe, each.key, f"{each.last}-0", fields)
            if each.is_over:
                _add(pipe, each.key, f"{each.last}-1", {"end": 1})
            kept = options.kept_seconds if each.is_over else LONGEST_TURN_SECONDS
            pipe.expire(each.key, max(1, int(kept)))
        # An entry that stands there already is refused by itself, and that is as it should be.
        answers = await pipe.execute(raise_on_error=False)
    failed = [
        each for each in answers if isinstance(each, Exception) and "smaller" not in str(each)
    ]
    if failed:
        raise failed[0]
    return True


def _add(pipe: Any, name: str, id_: str, fields: dict[str, Any]) -> Awaitable[Any]:  # noqa: ANN401 - of the library
    added: Awaitable[Any] = pipe.xadd(name, fields, id=id_, maxlen=MOST_ENTRIES, approximate=True)
    return added


def _take(copy: _Copy, entries: list[Any]) -> None:
    """Append entries of a stream to the copy of a turn."""
    for id_, fields in entries:
        copy.place, copy.heard_at, copy.is_silent = id_.decode(), time.monotonic(), False
        if b"body" in fields:
            last = int(copy.place.partition("-")[0])
            copy.run.append_at(int(fields[b"first"]), last, fields[b"body"])
        if b"end" in fields:
            copy.run.end()
