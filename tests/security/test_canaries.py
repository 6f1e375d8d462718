"""A canary in every field that a stranger writes, on every surface: never outside of a fence."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from groundwire import catalog, registry
from groundwire.chat import NullStore, SearchChoice, SendMessage
from groundwire.client import Client
from groundwire.conversation import Choices
from groundwire.extension.main import extension_tool
from groundwire.mcp.server import create_server
from groundwire.model import Page, Secret
from groundwire.reader import Reader
from groundwire.search import SearchContext
from groundwire.tools import Ledger, Ready, Tool, web_tools, websearch_tools
from groundwire.wire.contract import Access, Endpoint, HttpReply
from mcp import Client as McpClient
from tests.client.internet import PUBLIC, Internet
from tests.fences import outside, texts_in
from tests.loopback import Loopback, reply, serve
from tests.search.services import settings
from tests.security import canaries, obedience
from tests.security.canaries import MARK, URL, WORD, Row

KEY = "canary_Xq7v-2Lw9.Zr4"
MOST = 6_000
"""Characters outside of fences that no answer of a tool needs."""


@dataclass(kw_only=True)
class Stage:
    """The tools of one conversation, over servers that send a row's canary."""

    row: Row
    search_context: SearchContext
    tools: Sequence[Tool]
    find: Callable[[str], Endpoint]
    heard: list[str] = field(default_factory=list)

    @property
    def tool(self) -> Tool:
        """Return the row's tool."""
        return next(tool for tool in self.tools if tool.name == self.row.tool)

    async def hear(self, message: str) -> None:
        """Take progress."""
        self.heard.append(message)


@pytest.fixture
async def reader() -> AsyncIterator[Reader]:
    async with Reader() as reader:
        yield reader


@asynccontextmanager
async def staged(row: Row, reader: Reader, model: Loopback | None = None) -> AsyncIterator[Stage]:
    async with serve(*(row.pages or [reply()])) as web, serve(row.service or reply()) as service:
        internet = Internet(web, {"a.example": [[PUBLIC]]})
        chosen = settings(
            search_provider=row.by if row.tool == "web_search" else "searxng",
            read_provider=row.by if row.tool == "open_page" else "local",
            read={"respect_robots": row.minds_robots},
            cache={"kind": "off"},
            rate_limits={"failures": 1_000},
        )

        def find(name: str) -> Endpoint:
            address = model.url if model and name == "openai" else service.url
            access = Access(base_url=address, key=Secret(KEY))
            return Endpoint(name=name, provider=registry.get(name), access=access)

        def ready(name: str) -> Ready:
            return Ready(endpoint=find(name), model=catalog.DEFAULT_MODELS[name])

        async def extract(sent: HttpReply) -> Page:
            return await reader.read(sent.body, sent.headers.get("content-type", ""), sent.url)

        async with (
            Client(
                chosen.network, resolve=internet.resolve, make_socket=internet.make_socket
            ) as client,
            SearchContext(chosen, client, find=find, extract=extract) as search_context,
        ):
            ledger = Ledger()
            ledger.begin_turn(f"Read {URL}")
            tools = (*web_tools(search_context, ledger), *websearch_tools(ready, client))
            yield Stage(row=row, search_context=search_context, tools=tools, find=find)


async def by_library(row: Row, reader: Reader) -> list[str]:
    async with staged(row, reader) as stage:
        output = await stage.tool.run(row.arguments, stage.hear)
        return [output.text, *texts_in(dict(output.data)), *stage.heard]


async def by_execute(row: Row, reader: Reader) -> list[str]:
    async with staged(row, reader) as stage:
        return texts_in(json.loads(await stage.tool.execute(row.arguments)))


async def by_extension(row: Row, reader: Reader) -> list[str]:
    if row.tool not in ("web_search", "open_page"):
        return []
    async with staged(row, reader) as stage:
        tool = extension_tool(stage.tool)
        result = await tool(**row.arguments)
    async with staged(row, reader) as stage:
        written = await extension_tool(stage.tool).call_json(json.dumps(row.arguments))
    async with staged(row, reader) as stage:
        output = await extension_tool(stage.tool).run(row.arguments, stage.hear)
    return [*texts_in(result.model_dump()), *texts_in(json.loads(written)), output.text]


async def by_mcp(row: Row, reader: Reader) -> list[str]:
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(f"{progress} {total} {message}")

    async with (
        staged(row, reader) as stage,
        McpClient(create_server(lambda: stage.tools)) as client,
    ):
        await client.list_tools()  # From now on it checks every structure by its schema.
        result = await client.call_tool(row.tool, row.arguments, progress_callback=hear)
    texts = [each.model_dump()["text"] for each in result.content]
    return [*texts, *texts_in(result.structured_content), *heard]


async def by_chat(row: Row, reader: Reader) -> list[str]:
    moves = (obedience.call(row.tool, **row.arguments), obedience.say("Done."))
    async with serve(*moves) as model, staged(row, reader, model) as stage:
        conversation = obedience._conversation(stage.find("openai"), ("*",))
        more = tuple(tool for tool in stage.tools if tool.name.startswith("websearch"))
        object.__setattr__(conversation, "tools", more)
        asked, choices = conversation.question(f"Read {URL}"), Choices(search=SearchChoice.CLIENT)
        chat = SendMessage(stage.search_context, NullStore())
        async for _ in chat.batches(conversation, asked, choices):
            pass
        return [text for each in model.requests for text in texts_in(json.loads(each.body))]


SURFACES: dict[str, Callable[[Row, Reader], Awaitable[list[str]]]] = {
    "library": by_library,
    "execute": by_execute,
    "extension": by_extension,
    "MCP": by_mcp,
    "chat": by_chat,
}
GROUPS = {
    "pages": canaries.page_rows,
    "search": canaries.search_rows,
    "read": canaries.read_rows,
    "hosted": canaries.hosted_rows,
}


def faults_of(row: Row, texts: Sequence[str]) -> list[str]:
    """Return what is wrong with what a model got: the canary, where it may not be."""
    left = [outside(text) for text in texts]
    found = [text for text in left if MARK in text]
    if row.is_url:
        words = [word for text in left for word in re.findall(rf"\S*{WORD}\S*", text)]
        found += [word for word in words if not re.fullmatch(r"\(?https?://\S{1,2000}\)?", word)]
    else:
        found += [text for text in left if WORD in text]
    arrived = any(WORD in text for text in texts)
    if texts and row.arrives is not None and arrived != row.arrives:
        found.append(f"it {'arrived' if arrived else 'did not arrive'}: {texts}")
    found += [f"{len(text)} characters" for text in left if len(text) > MOST]
    return [f"{row.name}: {each[:600]}" for each in found]


@pytest.mark.parametrize("group", [*GROUPS])
@pytest.mark.parametrize("surface", [*SURFACES])
async def test_no_strangers_word_stands_outside_of_a_fence(
    surface: str, group: str, reader: Reader
) -> None:
    played = [(row, await SURFACES[surface](row, reader)) for row in GROUPS[group]()]

    faults = [fault for row, texts in played for fault in faults_of(row, texts)]
    assert not faults, "\n".join(faults)
    assert any(WORD in text for _, texts in played for text in texts) or not any(
        texts for _, texts in played
    )
