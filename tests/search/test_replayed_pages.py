"""Pages that our own reader opened come again as they came, with what was asked before each."""

from __future__ import annotations

import pytest

from groundwire.client.replay import RecordingClient, ReplayingClient
from groundwire.config.settings import Settings
from groundwire.errors import GroundwireError
from groundwire.search import ReadChain
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Script, reply, serve
from tests.search.services import search_context, settings
from tests.search.test_read_chain import NO_ROBOTS, extract, html, moved

URL = "http://a.example/page"
REFUSING = reply(b"User-agent: *\nDisallow: /", content_type="text/plain")
# What two sites say in turn: robots.txt of the first, its page, and so on.
WEBS = {
    "a page": (NO_ROBOTS, html("otters")),
    "a page elsewhere": (NO_ROBOTS, moved("http://b.example/there"), NO_ROBOTS, html("otters")),
    "refused at once": (REFUSING,),
    "refused elsewhere": (NO_ROBOTS, moved("http://b.example/there"), REFUSING),
    "a page that is not there": (NO_ROBOTS, html("gone", "404 Not Found")),
}


async def _read(chosen: Settings, client: RecordingClient | ReplayingClient) -> object:
    async with search_context(chosen, {}, client=client, extract=extract) as made:
        try:
            return (await ReadChain(made).read(URL)).page
        except GroundwireError as error:
            return error.code, str(error)


@pytest.mark.parametrize("name", WEBS)
async def test_a_page_comes_again_as_it_came(name: str) -> None:
    scripts: tuple[Script, ...] = WEBS[name]
    chosen = settings()
    async with serve(*scripts) as server:
        internet = Internet(server, {name: [[PUBLIC]] for name in ("a.example", "b.example")})
        recording = RecordingClient(
            chosen.network, resolve=internet.resolve, make_socket=internet.make_socket
        )
        first = await _read(chosen, recording)
        asked = len(server.requests)

    replaying = ReplayingClient(recording.exchanges, chosen.network)
    again = await _read(chosen, replaying)

    assert asked == len(scripts)
    assert again == first
    assert replaying.differences == []
