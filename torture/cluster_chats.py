"""Chats through the balancer: left in the middle, resumed on another server, stopped from a third.

Every chat is told from the others by its number, which is in question and answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from torture.cluster import CHOSEN, SERVED_BY

MESSAGE = "/api/agents/assistant/message"
LIMIT_SECONDS = 60
_LOST = (aiohttp.ClientError, ConnectionError, TimeoutError)


@dataclass
class Chat:
    """What one chat saw: `events` by number, which servers served it, and its faults.

    `longest_seconds` is the longest time from one event to the next, over all connections.
    """

    number: int
    servers: list[str] = field(default_factory=list)
    events: list[tuple[int, str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    retries: int = 0
    is_lost: bool = False
    longest_seconds: float = 0.0
    heard_at: float | None = None

    @property
    def last(self) -> int:
        """Return the number of the last event."""
        return self.events[-1][0] if self.events else 0

    @property
    def message_id(self) -> str:
        """Return the id of the answer, "" before it began."""
        return str(self.events[0][2]["message_id"]) if self.events else ""

    @property
    def session_id(self) -> str:
        """Return the id of the session, "" before the answer began."""
        return str(self.events[0][2]["session_id"]) if self.events else ""

    @property
    def done(self) -> dict[str, Any] | None:
        """Return the answer as it ended, None while it has not."""
        if self.events and self.events[-1][1] == "done":
            message: dict[str, Any] = self.events[-1][2]["message"]
            return message
        return None

    @property
    def status(self) -> str:
        """Return how the answer ended, "" while it has not."""
        return str(self.done["status"]) if self.done else ""

    @property
    def text(self) -> str:
        """Return the text as it was shown."""
        return "".join(data["text"] for _, kind, data in self.events if kind == "text")

    def hear(self, event: tuple[int, str, Any], now: float) -> None:
        """Take an event."""
        if self.heard_at is not None:
            self.longest_seconds = max(self.longest_seconds, now - self.heard_at)
        self.heard_at = now
        self.events.append(event)

    def check(self, status: str) -> None:
        """Note what is wrong: broken, doubled, mixed up or not ended as it should."""
        numbers = [number for number, _, _ in self.events]
        if numbers != [*range(1, len(numbers) + 1)]:
            self.faults.append(f"chat {self.number}: events {numbers[:3]} … {numbers[-3:]}")
        done = self.done
        if done is None or done["status"] != status:
            self.faults.append(f"chat {self.number} ended as {done and done['status']}")
            return
        kept, shown = (done["answer"] or {}).get("text", ""), self.text
        # Of an answer whose server was killed the last moment is shown and not kept, or not shown.
        is_part = shown.startswith(kept) or kept.startswith(shown)
        if shown != kept and not (status == "interrupted" and is_part):
            self.faults.append(f"chat {self.number} shows {shown!r}, kept is {kept!r}")
        if status == "complete" and f"number {self.number} " not in self.text:
            self.faults.append(f"chat {self.number} is another's")


class Client:
    """Somebody who chats through the balancer."""

    def __init__(self, url: str, token: str) -> None:
        self._session = aiohttp.ClientSession(
            url,
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_read=LIMIT_SECONDS),
            headers={"authorization": f"Bearer {token}"},
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def send(
        self,
        chat: Chat,
        server: str = "",
        *,
        events: int = 0,
        provider: str = "anthropic",
        **more: str,
    ) -> None:
        """Send the chat's message and read so many events, all for 0."""
        body = {
            "text": f"Tell me of number {chat.number} at length",
            "provider_id": provider,
            "client_id": f"chat-{chat.number}",
            "search": "off",
            **more,
        }
        async with self._session.post(MESSAGE, json=body, headers=_to(server)) as reply:
            await self._read(chat, reply, events)

    async def resume(self, chat: Chat, server: str = "", *, events: int = 0) -> bool:
        """Go on after the last event; False if there is nothing to follow."""
        path = f"/api/messages/{chat.message_id}/events?after={chat.last}"
        async with self._session.get(path, headers=_to(server)) as reply:
            if reply.status == 204:
                return False
            await self._read(chat, reply, events)
        return True

    async def stop(self, chat: Chat, server: str = "") -> None:
        """Stop the answer."""
        path = f"/api/messages/{chat.message_id}/stop"
        async with self._session.post(path, json={}, headers=_to(server)) as reply:
            if reply.status != 204:
                chat.faults.append(f"chat {chat.number} was not stopped: {await reply.text()}")
            chat.servers.append(reply.headers.get(SERVED_BY, "?"))

    async def get(self, path: str, server: str = "") -> tuple[int, Any, dict[str, str]]:
        """Return status, body and headers of a reply."""
        async with self._session.get(path, headers=_to(server)) as reply:
            return reply.status, await reply.json(), dict(reply.headers)

    async def messages(self, chat: Chat) -> list[dict[str, Any]]:
        """Return what is kept of the chat, nothing if it is lost."""
        status, session, _ = await self.get(f"/api/sessions/{chat.session_id}")
        return list(session["messages"]) if status == 200 else []

    async def _read(self, chat: Chat, reply: aiohttp.ClientResponse, most: int) -> None:
        if reply.status != 200:
            raise aiohttp.ClientError(f"{reply.status}: {await reply.text()}")
        chat.servers.append(reply.headers.get(SERVED_BY, "?"))
        clock, count = asyncio.get_running_loop().time, 0
        # Keep-alives do not count: a stream that says nothing else hangs.
        async with asyncio.timeout(LIMIT_SECONDS) as limit:
            async for event in _events(reply):
                chat.hear(event, clock())
                limit.reschedule(clock() + LIMIT_SECONDS)
                count += 1
                if count == most:
                    return

    async def persist(self, chat: Chat) -> None:
        """Do what the page does: reconnect until the answer has ended, whoever dies meanwhile."""
        for _ in range(200):
            try:
                if chat.done is not None:
                    return
                if not chat.message_id:
                    await self.send(chat)
                elif not await self.resume(chat):
                    await self._end(chat)
            except TimeoutError:
                chat.faults.append(f"chat {chat.number}: a stream hung")
                return
            except _LOST:
                pass
            await asyncio.sleep(0.2)
        chat.faults.append(f"chat {chat.number} never ended")

    async def retry(self, chat: Chat) -> None:
        """Do what the page offers for an answer that was interrupted; it becomes a whole one."""
        chat.retries += 1
        again = Chat(chat.number)
        while not again.message_id:
            try:
                await self.send(again, retry_of=chat.message_id, client_id=f"retry-{chat.number}")
            except _LOST:
                await asyncio.sleep(0.2)
        await self.persist(again)
        if again.status == "complete":
            again.check("complete")
        elif again.status != "interrupted":  # Its server may have been killed too.
            again.faults.append(f"chat {chat.number}, tried again, is {again.status}")
        chat.faults += again.faults

    async def _end(self, chat: Chat) -> None:
        """Take the end of an answer from its session: nobody streams it any more."""
        messages = await self.messages(chat)
        [message] = [each for each in messages if each["id"] == chat.message_id]
        if message["status"] != "streaming":
            now = asyncio.get_running_loop().time()
            chat.hear((chat.last + 1, "done", {"message": message}), now)


async def _events(reply: aiohttp.ClientResponse) -> AsyncIterator[tuple[int, str, Any]]:
    fields: dict[str, str] = {}
    async for line in reply.content:
        text = line.decode().rstrip("\n")
        if text.startswith(":"):
            continue
        if text:
            name, _, value = text.partition(": ")
            fields[name] = value
        elif fields:
            yield int(fields["id"]), fields["event"], json.loads(fields["data"])
            fields = {}


def _to(server: str) -> dict[str, str]:
    return {CHOSEN: server} if server else {}
