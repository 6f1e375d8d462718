"""robots.txt: who is asked, how often, and what an answer or none means."""

from __future__ import annotations

import asyncio

import pytest

from groundwire import guard
from groundwire.client.robots import Robots
from groundwire.errors import ConnectError, GroundwireError, UrlRefusedError
from groundwire.wire.contract import HttpReply


class Site:
    """Answers every request for a robots.txt alike and counts them."""

    def __init__(self, text: str = "", *, status: int = 200) -> None:
        self.reply: HttpReply | GroundwireError = HttpReply(status=status, body=text.encode())
        self.asked: list[str] = []

    async def fetch(self, url: str) -> HttpReply:
        self.asked.append(url)
        if isinstance(self.reply, GroundwireError):
            raise self.reply
        return self.reply


async def verdict(site: Site, url: str, robots: Robots | None = None) -> str:
    asked = robots or Robots("groundwire/1.0")
    return await asked.verdict(guard.parse(url), site.fetch)


RULES = """\ufeff
User-agent: *
Disallow: /private
Allow: /private/press$

User-agent: Groundwire
User-agent: other
Disallow: /*/draft
Disallow: /search?
"""


@pytest.mark.parametrize(
    ("agent", "path", "expected"),
    [
        ("groundwire/1.0", "/private", "allowed"),
        ("groundwire/1.0", "/a/draft/1", "disallowed"),
        ("groundwire/1.0", "/search?q=1", "disallowed"),
        ("groundwire/1.0", "/search", "allowed"),
        ("another/2", "/private/x", "disallowed"),
        ("another/2", "/private/press", "allowed"),
        ("another/2", "/private/press2", "disallowed"),
        ("another/2", "/", "allowed"),
    ],
)
async def test_the_longest_rule_for_our_name_decides(agent: str, path: str, expected: str) -> None:
    robots = Robots(agent)

    assert await verdict(Site(RULES), f"https://a.org{path}", robots) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, "allowed") for status in (199, 300, 403, 404, 428, 430, 499)),
        *((status, "disallowed") for status in (200, 299)),
        *((status, "unreachable") for status in (429, 500, 503)),
    ],
)
async def test_no_rules_allow_everything_and_a_broken_server_nothing(
    status: int, expected: str
) -> None:
    site = Site("User-agent: *\nDisallow: /", status=status)

    assert await verdict(site, "https://a.org/") == expected


async def test_a_site_is_asked_once_a_day() -> None:
    seconds = 0.0
    site = Site("User-agent: *\nDisallow: /b")
    robots = Robots("groundwire", clock=lambda: seconds)

    first = await verdict(site, "https://a.org:8443/a", robots)
    seconds += 86_399
    second = await verdict(site, "https://a.org:8443/b", robots)
    seconds += 1
    await verdict(site, "https://a.org:8443/a", robots)

    assert (first, second) == ("allowed", "disallowed")
    assert site.asked == ["https://a.org:8443/robots.txt"] * 2


async def test_many_who_want_to_know_at_once_ask_once() -> None:
    site, robots = Site("User-agent: *\nDisallow: /b"), Robots("groundwire")

    verdicts = await asyncio.gather(
        *(verdict(site, f"https://a.org/{path}", robots) for path in "abab")
    )

    assert verdicts == ["allowed", "disallowed", "allowed", "disallowed"]
    assert len(site.asked) == 1


async def test_a_site_that_could_not_be_reached_is_asked_again_soon() -> None:
    seconds = 0.0
    site = Site()
    site.reply = ConnectError("a.org", "connection refused")
    robots = Robots("groundwire", clock=lambda: seconds)

    first = await verdict(site, "https://a.org/", robots)
    seconds += 59
    second = await verdict(site, "https://a.org/", robots)
    seconds += 1
    site.reply = HttpReply(status=404)
    third = await verdict(site, "https://a.org/", robots)

    assert (first, second, third) == ("unreachable", "unreachable", "allowed")
    assert len(site.asked) == 2


async def test_rules_that_lead_where_we_do_not_go_are_no_rules_and_not_kept() -> None:
    site = Site()
    site.reply = UrlRefusedError("http://10.0.0.1/", "it is private")
    robots = Robots("groundwire")

    assert await verdict(site, "https://a.org/", robots) == "allowed"
    assert await verdict(site, "https://a.org/", robots) == "allowed"
    assert len(site.asked) == 2


async def test_five_hundred_sites_are_remembered_those_that_were_asked_about_last() -> None:
    site, robots = Site(), Robots("groundwire")
    for number in range(500):
        await verdict(site, f"https://a{number}.org/", robots)
    await verdict(site, "https://a0.org/again", robots)
    asked = len(site.asked)

    await verdict(site, "https://new.org/", robots)
    for name in ("new", "a0", "a2", "a499"):
        await verdict(site, f"https://{name}.org/", robots)
    kept = site.asked[asked:]
    await verdict(site, "https://a1.org/", robots)

    assert (asked, kept) == (500, ["https://new.org/robots.txt"])
    assert site.asked[-1] == "https://a1.org/robots.txt"


async def test_half_a_megabyte_of_rules_is_read_and_no_byte_more() -> None:
    rules = "\nUser-agent: *\nDisallow: /bc"
    text = "#" * (512_000 - len(rules)) + rules + "d"

    verdicts = [await verdict(Site(text), f"https://a.org/{path}") for path in ("b", "bc", "bcd")]

    assert verdicts == ["allowed", "disallowed", "disallowed"]
