"""How many pages of one host are opened at once."""

from __future__ import annotations

import asyncio
from collections import Counter

from groundwire import guard
from groundwire.client.rate_limits import RateLimits


async def test_a_host_gets_two_pages_at_once_and_another_host_its_own_two() -> None:
    rate_limits = RateLimits()
    full, release = asyncio.Event(), asyncio.Event()
    inside: Counter[str] = Counter()
    most: Counter[str] = Counter()

    async def read(url: str) -> None:
        page = guard.parse(url)
        async with rate_limits.page(page):
            inside[page.host] += 1
            most[page.host] = max(most[page.host], inside[page.host])
            if inside.total() == 4:
                full.set()
            await release.wait()
            inside[page.host] -= 1

    hosts = ("https://a.example.org/", "https://b.example.org/")
    reading = [asyncio.create_task(read(f"{host}{n}")) for host in hosts for n in range(5)]
    await full.wait()
    release.set()
    await asyncio.gather(*reading)

    assert most == {"a.example.org": 2, "b.example.org": 2}
