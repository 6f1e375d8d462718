"""What those do who search and read for us: bombs, endless pages, failures that must not stay."""

from __future__ import annotations

import asyncio

from groundwire.model import Json
from groundwire.sandbox.faults import FaultName
from torture.client import Asker, Told
from torture.registry import case
from torture.report import expect
from torture.served import PAGES_HOST
from torture.server import Wish
from torture.stage import Providers, Stage

SEARCHERS = ("searxng", "tavily", "brave", "exa", "perplexity", "duckduckgo")
HOSTILE = (
    "gzip-bomb",
    "deflate-bomb",
    "double-bomb",
    "false-gzip",
    "half-gzip",
    "endless",
    "drip",
    "silent",
    "cut",
    "length-too-long",
    "no-length",
    "huge-header",
    "not-http",
    "long-line",
    "deep",
    "wide-table",
    "broken-utf8",
    "loop",
    "growing",
    "redirect-loopback",
    "redirect-metadata",
    "redirect-secret",
    "redirect-secret-by-number",
)
MOST_MORE_MEGABYTES = 150.0
NEVER_DONE = (FaultName.SILENCE, FaultName.ENDLESS)
# These close the way to a service for a while, so they come last.
CLOSING = (FaultName.RATE_LIMIT, FaultName.OVERLOADED, FaultName.QUOTA)


async def _with_tool(asker: Asker, question: str) -> tuple[Told, Json]:
    """Have a model call one of our tools, and return the turn and what became of the call."""
    told = await asker.ask(question, provider_id="openai", model="gpt-4o", search="client")
    expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
    runs = told.message["tool_runs"]
    expect(runs, "no tool was called")
    is_told = runs[0]["status"] == "done" or (runs[0]["status"] == "failed" and runs[0]["error"])
    expect(is_told, f"the tool is {runs[0]['status']} without a reason")
    return told, runs[0]


@case(
    "hostile-pages", "bombs, endless and dripping pages end by their limits; nothing private read"
)
async def hostile_pages(stage: Stage) -> None:
    wish = Wish(pages_port=stage.providers.port)
    settings: Json = {
        "read_provider": "local",
        "network__page_timeout_seconds": 3,
        "read__respect_robots": "false",
    }
    async with stage.serve(wish, **settings) as (server, asker):
        good = f"http://{PAGES_HOST}/pages/web/wiki.example.net/sea-otter"
        _, run = await _with_tool(asker, f"Use open_page for {good}")
        expect(run["status"] == "done", f"a good page is {run['error']}")
        before = server.megabytes()
        turns = asyncio.Semaphore(4)

        async def one(name: str) -> None:
            async with turns:
                with stage.tally.fault(name):
                    url = f"http://{PAGES_HOST}/pages/hostile/{name}"
                    await _with_tool(asker, f"Use open_page for {url}")

        await asyncio.gather(*map(one, HOSTILE))
        more = server.megabytes(peak=True) - before
        stage.tally.figures["MB more at most"] = round(more)
        with stage.tally.fault("memory and secrets"):
            expect(more < MOST_MORE_MEGABYTES, f"the server grew by {more:.0f} MB")
            asked = [each.path for each in stage.providers.server.requests]
            expect("/pages/secret" not in asked, "the page that nobody may reach was read")


@case("search-services", "every fault of every service: results, or a failure with its reason")
async def search_services(stage: Stage) -> None:
    services = Providers()
    # The library that DuckDuckGo is asked with keeps its last one, and has no way to close it.
    stage.pooled = 1
    bases = {f"providers__{name}__base_url": services.url(name) for name in SEARCHERS}
    settings: Json = {
        **bases,
        "search_provider": None,  # What the environment says, no page can change.
        "search__timeout_seconds": 1,
        "network__retries": 0,
        "network__max_reply_bytes": 1_000_000,
        "rate_limits__failures": 1_000,
        "cache__kind": "off",
    }
    faults = [fault for fault in FaultName if fault not in CLOSING]
    try:
        async with stage.serve(**settings) as (_, asker):
            for fault in (*faults, *CLOSING):
                services.gone()
                size = ";size=3000000" if fault is FaultName.HUGE_EVENT else ""
                services.back(fault=f"{fault}{size}")
                for name in SEARCHERS[:2] if stage.scale.is_quick else SEARCHERS:
                    with stage.tally.fault(f"{name} {fault}"):
                        await _searched(asker, name, fault)
            services.gone()
    finally:
        services.gone()


async def _searched(asker: Asker, name: str, fault: FaultName) -> None:
    status, said = await asker.call("PUT", "/api/web", {"search_provider": [name]})
    expect(status == 200, f"the service was not chosen: {said}")
    _, run = await _with_tool(asker, f"Use web_search for otters under {fault}")
    is_empty = run["status"] == "done" and not run["results"]
    may_be_empty = fault is FaultName.NOTHING_FOUND
    expect(not is_empty or may_be_empty, "a failure looks like nothing found")


@case("cache", "failures are asked for again, successes are not; filters are part of the key")
async def cache(stage: Stage) -> None:
    fault = "server_error;times=2;id=cache"

    def calls() -> int:
        return len(stage.providers.calls(fault))

    settings: Json = {
        "network__retries": 0,
        "providers__searxng__base_url": stage.providers.url("searxng", fault),
    }
    async with stage.serve(**settings) as (_, asker):
        question = "Use web_search for sea otters"
        for number, status in enumerate(("failed", "failed", "done"), 1):
            with stage.tally.fault(f"search {number} is {status}"):
                _, run = await _with_tool(asker, question)
                expect(run["status"] == status, f"it is {run['status']}: {run['error']}")
                expect(calls() == number, f"{calls()} calls")
        with stage.tally.fault("the same once more"):
            _, run = await _with_tool(asker, question)
            expect((run["status"], calls()) == ("done", 3), f"{run['status']}, {calls()} calls")
        with stage.tally.fault("the same within other domains"):
            body = {"provider_id": "openai", "model": "gpt-4o", "search": "client"}
            told = await asker.ask(question, domains=["wiki.example.net"], **body)
            found = {each["url"] for each in told.message["tool_runs"][0]["results"]}
            expect(calls() == 4, f"{calls()} calls")
            expect(found and all("wiki.example.net" in url for url in found), f"found {found}")
