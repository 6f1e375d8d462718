"""Ways to run the tools against the sandbox or a reply of the test's own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from groundwire import catalog, registry
from groundwire.client import Client
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.tools import Ready, Tool, websearch_tools
from groundwire.wire.contract import Access, Endpoint

KEY = "canary_Xq7v-2Lw9.Zr4"
ASKED = "How dense is the fur of sea otters?"
PREFIX = f'Web search results for "{ASKED}":\n\n'


@dataclass(kw_only=True)
class Searcher:
    """The tools over a sandbox; `heard` is their progress."""

    sandbox: SandboxServer
    client: Client
    heard: list[str] = field(default_factory=list)

    def tools(self, *, fault: str = "", base_url: str = "", **options: Json) -> dict[str, Tool]:
        """Return the tools by name."""

        def find(name: str) -> Ready:
            access = Access(
                base_url=base_url or self.sandbox.base_url(name, fault=fault),
                key=Secret(KEY),
                options=options,
            )
            endpoint = Endpoint(name=name, provider=registry.get(name), access=access)
            return Ready(endpoint=endpoint, model=catalog.DEFAULT_MODELS[name])

        return {tool.name: tool for tool in websearch_tools(find, self.client)}

    async def run(self, tool: str, arguments: Json, **how: Json) -> Json:
        """Return what a tool's JSON says."""
        return json.loads(await self.tools(**how)[tool].execute(arguments, self.hear))

    async def hear(self, message: str) -> None:
        """Take progress."""
        self.heard.append(message)
