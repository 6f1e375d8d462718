"""A turn over connections that break."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Browser, Page

from tests.web.page.conftest import application, listen

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVENTS = (
    'id: 1\nevent: turn_started\ndata: {"message_id": "m1"}\n\n',
    'id: 2\nevent: text\ndata: {"text": "a"}\n\n',
    'id: 3\nevent: text\ndata: {"text": "b"}\n\n',
    'id: 4\nevent: done\ndata: {"message": {}}\n\n',
)

READ = """
async (opening) => {
  const { TurnStream } = await import('/page/turns.js');
  const taken = [];
  const lost = [];
  const stream = new TurnStream(opening);
  try {
    const isEnded = await stream.read((event) => taken.push(event.id), (is) => lost.push(is));
    return { taken, isEnded, lost: lost.filter((is) => !is).length };
  } catch (error) {
    return { taken, code: error.code, status: error.status };
  }
}
"""


@dataclass
class Wire:
    """What each connection sends before it breaks, and what was asked."""

    replies: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    page: Page | None = None

    async def read(self, opening: dict[str, object]) -> object:
        """Follow a turn in the browser."""
        assert self.page is not None
        return await self.page.evaluate(READ, opening)


@pytest_asyncio.fixture(loop_scope="session")
async def wire(browser: Browser) -> AsyncIterator[Wire]:
    wire = Wire()

    async def reply(request: web.Request) -> web.StreamResponse:
        body = await request.text()
        wire.asked.append(f"{request.method} {request.path_qs} {body}".strip())
        text = wire.replies.pop(0)
        if text.isdigit():
            return web.json_response({"error": {"code": "no", "message": "No."}}, status=int(text))
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await stream.prepare(request)
        await stream.write(text.encode())
        return stream

    served = application()
    served.router.add_route("*", "/api/{rest:.*}", reply)
    runner, url = await listen(served)
    context = await browser.new_context()
    wire.page = await context.new_page()
    await wire.page.goto(url)
    yield wire
    await context.close()
    await runner.cleanup()


OPENING: dict[str, object] = {
    "path": "/agents/a/message",
    "body": {"client_id": "c"},
    "messageId": None,
}


async def test_a_broken_stream_goes_on_where_it_was_and_repeats_nothing(wire: Wire) -> None:
    wire.replies = ["".join(EVENTS[:2]) + EVENTS[2][:20], "".join(EVENTS[1:])]

    read = await wire.read(OPENING)

    assert read == {"taken": [1, 2, 3, 4], "isEnded": True, "lost": 1}
    assert wire.asked == [
        'POST /api/agents/a/message {"client_id":"c"}',
        "GET /api/messages/m1/events?after=2",
    ]


async def test_a_stream_that_breaks_before_it_began_is_asked_for_again(wire: Wire) -> None:
    wire.replies = ["", "503", "".join(EVENTS)]

    read = await wire.read(OPENING)

    assert read == {"taken": [1, 2, 3, 4], "isEnded": True, "lost": 2}
    assert wire.asked == ['POST /api/agents/a/message {"client_id":"c"}'] * 3


async def test_a_turn_that_is_over_is_left_to_what_is_kept(wire: Wire) -> None:
    wire.replies = ["204"]

    read = await wire.read({"path": "", "messageId": "m1"})

    assert read == {"taken": [], "isEnded": False, "lost": 0}
    assert wire.asked == ["GET /api/messages/m1/events?after=0"]


async def test_a_refused_question_is_not_asked_again(wire: Wire) -> None:
    wire.replies = ["422"]

    read = await wire.read(OPENING)

    assert read == {"taken": [], "code": "no", "status": 422}


async def test_an_event_that_is_no_json_is_skipped(wire: Wire) -> None:
    wire.replies = [EVENTS[0] + "id: 2\nevent: text\ndata: {oops\n\n" + "".join(EVENTS[2:])]

    read = await wire.read(OPENING)

    assert read == {"taken": [1, 3, 4], "isEnded": True, "lost": 0}
