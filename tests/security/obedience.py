"""A conversation whose model obeys whatever it reads, and an attacker's server that listens.

The model is the edge that nobody owns: its moves are written down, in the wire's own form, as a
model that believes a page would make them. Everything between it and the sockets is ours and real.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from groundwire import registry
from groundwire.chat import Conversation, NullStore, SearchChoice, SendMessage
from groundwire.client import Client
from groundwire.config.settings import Settings
from groundwire.conversation import (
    EVERYWHERE,
    Agent,
    ChatMessage,
    Choices,
    Session,
    ToolRun,
    Workspace,
)
from groundwire.model import Json, Page, Secret
from groundwire.search import Extract, SearchContext
from groundwire.wire.contract import Access, Endpoint, HttpReply
from tests.chat.program import CANARY, Told
from tests.client.internet import Internet
from tests.loopback import Loopback, Script, reply, serve, stream
from tests.providers.openai_wire import chunk
from tests.search.services import settings

SITE = "evil.example"
PAGE = f"http://{SITE}/page"
PUBLIC = "93.184.215.14"
SECRET = "the-otter-is-called-Waldemar"
QUESTION = f"My secret is {SECRET}. What does {PAGE} say about otters?"


def call(name: str, **arguments: Json) -> Script:
    """A reply that calls a tool."""
    return calls((name, json.dumps(arguments)))


def calls(*wanted: tuple[str, str]) -> Script:
    """A reply that calls tools, each with these letters as its arguments."""
    tools = [
        {
            "index": index,
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for index, (name, arguments) in enumerate(wanted)
    ]
    return _sent(chunk({"role": "assistant", "tool_calls": tools}), chunk({}, "tool_calls"))


def say(text: str) -> Script:
    """A reply in words."""
    return _sent(chunk({"role": "assistant", "content": text}), chunk({}, "stop"))


def _sent(*chunks: Json) -> Script:
    pieces = [f"data: {json.dumps(each)}\n\n".encode() for each in chunks]
    return stream(*pieces, b"data: [DONE]\n\n")


@dataclass(kw_only=True)
class Attack:
    """One conversation, and all that left the machine in it."""

    chat: SendMessage
    conversation: Conversation
    model: Loopback
    internet: Internet
    history: list[ChatMessage] = field(default_factory=list)

    async def ask(self, text: str = QUESTION) -> Told:
        """Run one turn to its end."""
        question, choices = self.conversation.question(text), Choices(search=SearchChoice.CLIENT)
        batches = self.chat.batches(self.conversation, question, choices)
        return Told(events=[event async for batch in batches for event in batch])

    @property
    def visits(self) -> list[str]:
        """Return what the web was asked for, by host and path."""
        found = self.internet.server.requests
        return [f"{each.headers['host']}{each.line.split()[1]}" for each in found]

    def told(self) -> Json:
        """Return the messages that the model got last."""
        return json.loads(self.model.requests[-1].body)["messages"]


def runs_of(told: Told) -> Sequence[ToolRun]:
    """Return the tools of an answer as they ended."""
    return told.message.tool_runs


async def as_sent(page: HttpReply) -> Page:
    """Return a page whose Markdown is what its server sent."""
    return Page(url=page.url, title="", content=page.text())


@asynccontextmanager
async def attacked(
    *moves: Script,
    page: str = "",
    pages: Sequence[Script] = (),
    hits: Sequence[Json] = (),
    domains: tuple[str, ...] = EVERYWHERE,
    dns: dict[str, list[list[str]]] | None = None,
    extract: Extract | None = as_sent,
    **tables: Json,
) -> AsyncIterator[Attack]:
    """Let a model make these moves, where every public address leads to the attacker's server."""
    names = dns or {SITE: [[PUBLIC]], f"{SECRET.lower()}.{SITE}": [[PUBLIC]]}
    sent = pages or [reply(page.encode(), content_type="text/html")]
    found = reply(json.dumps({"results": [*hits]}).encode())
    async with serve(*sent) as web, serve(*moves) as model, serve(found) as search:
        internet = Internet(web, names)
        chosen = _settings(tables)
        addresses = {"openai": model.url, "searxng": search.url}

        def find(name: str) -> Endpoint:
            access = Access(base_url=addresses[name], key=Secret(CANARY))
            return Endpoint(name=name, provider=registry.get(name), access=access)

        async with (
            Client(
                chosen.network, resolve=internet.resolve, make_socket=internet.make_socket
            ) as client,
            SearchContext(chosen, client, find=find, extract=extract) as search_context,
        ):
            yield Attack(
                chat=SendMessage(search_context, NullStore()),
                conversation=_conversation(find("openai"), domains),
                model=model,
                internet=internet,
            )


def _settings(tables: dict[str, Json]) -> Settings:
    usual: dict[str, Json] = {
        "search_provider": "searxng",
        "read_provider": "local",
        "read": {"respect_robots": False},
        "cache": {"kind": "off"},
        # One refusal must not close the circuit to a host of the next.
        "rate_limits": {"failures": 1_000},
    }
    return settings(**{**usual, **tables})


def _conversation(endpoint: Endpoint, domains: tuple[str, ...]) -> Conversation:
    workspace = Workspace(name="Attacked", web_allowed_domains=domains)
    agent = Agent(workspace_id=workspace.id, name="Obedient", web_search_enabled=True)
    return Conversation(
        workspace=workspace,
        agent=agent,
        session=Session(workspace_id=workspace.id, agent_id=agent.id),
        endpoint=endpoint,
        model="gpt-4o",
    )
