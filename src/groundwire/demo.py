"""`groundwire demo`: sandbox, library and web app at once, offline, in a temporary folder.

Every provider is simulated by the sandbox, which answers from the library. For every key in the
environment there is also an agent of the real service.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire import Keys, Settings, registry
from groundwire.conversation import Agent, ProviderRecord
from groundwire.sandbox import SandboxServer
from groundwire.service.documentation import add_documentation
from groundwire.service.first_start import ASSISTANT, SETUP
from groundwire.service.program import Groundwire
from groundwire.service.provider_choice import key_variable
from groundwire.service.sandbox_library import Extractor, LibraryWeb
from groundwire.store import PERSONAL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping


QUESTIONS = (
    "Can I use Groundwire without a key and without the network?",
    "How are citations compared with their pages?",
    "Which kinds of files can I add to the library?",
    "What does the extractive model do?",
)
"""What an empty chat offers; a test reads what every agent answers."""
LIBRARIAN = "Librarian"

_SIMULATED = ("anthropic", "openai-responses", "gemini", "openrouter", "codex", "openai")
_KEY = "sandbox-takes-any-key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """An open program, and the address of the sandbox that simulates its providers.

    With `has_keys` there are agents of real services too.
    """

    program: Groundwire
    sandbox_url: str
    has_keys: bool = False


@asynccontextmanager
async def demonstration(folder: Path) -> AsyncIterator[Demo]:
    """Open the demo in a folder, and close it at the end."""
    library = {"path": str(folder / "library.sqlite3")}
    await add_documentation(library)
    web = LibraryWeb(library)
    async with SandboxServer(library=web, answerer=Extractor()) as sandbox:
        records = [_simulated(name, sandbox) for name in _SIMULATED]
        program = Groundwire(
            settings=_settings(library),
            keys=_keys(records, os.environ, folder),
            database=str(folder / "groundwire.sqlite3"),
        )
        async with program:
            has_keys = await _introduce(program, records)
            yield Demo(program=program, sandbox_url=sandbox.root, has_keys=has_keys)


def _settings(library: dict[str, str]) -> Settings:
    """Return settings that search and read only the library on this machine."""
    return Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {
                "library": {"options": library},
                # The model's own search, which says for which words a page stands.
                "openrouter": {"options": {"engine": "native"}},
            },
        }
    )


def _keys(records: list[ProviderRecord], environment: Mapping[str, str], folder: Path) -> Keys:
    """Return keys for the simulated providers, and those of the environment for real ones."""
    simulated = {key_variable(record): _KEY for record in records}
    return Keys(
        environment={**environment, **simulated}, dotenv=folder / ".env", file=folder / "keys.json"
    )


def _simulated(name: str, sandbox: SandboxServer) -> ProviderRecord:
    title = registry.get(name).title
    return ProviderRecord(name=f"{title} (simulated)", type=name, base_url=sandbox.base_url(name))


async def _introduce(program: Groundwire, records: list[ProviderRecord]) -> bool:
    """Make an agent for each provider, and tell whether any is real.

    The first of all, and the default, quotes the library.
    """
    extractive = await program.provider_settings.add(
        ProviderRecord(name="Extractive", type="extractive")
    )
    assistant = await program.store.agents.get(ASSISTANT)
    await program.store.agents.update(
        replace(
            assistant,
            name=LIBRARIAN,
            description="Answers in quotes from the library; no key, no network.",
            preferred_provider_id=extractive.id,
        )
    )
    # Its model would have to call tools, and nothing is to be set up here.
    await program.store.agents.delete(SETUP)
    for record in records:
        await _add(
            program, record, "Simulates the provider on this machine; answers from the library."
        )
    real = [
        ProviderRecord(name=f"{provider.title} (your key)", type=kind)
        for kind, provider in ((kind, registry.get(kind)) for kind in _SIMULATED)
        if provider.key_variable and program.keys.find(provider.key_variable)
    ]
    for record in real:
        await _add(program, record, "The real service, with your key.")
    return bool(real)


async def _add(program: Groundwire, record: ProviderRecord, description: str) -> None:
    """Keep a provider, and an agent that asks it."""
    await program.provider_settings.add(record)
    await program.store.agents.create(
        Agent(
            workspace_id=PERSONAL,
            name=record.name,
            description=description,
            preferred_provider_id=record.id,
            web_search_enabled=True,
        )
    )
