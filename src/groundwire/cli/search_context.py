"""What searching and reading need, as the settings have it, for as long as a command runs."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.config.keys import Keys
    from groundwire.search import SearchContext


@asynccontextmanager
async def opened(workspace: str = "") -> AsyncIterator[tuple[Keys, SearchContext]]:
    """Open a client and what searching needs; `search_context.settings` are the settings.

    The library is that of the named workspace, "" for the first one's.

    Raises:
        NotFoundError: There is no such workspace.
        SettingsError: The settings cannot be used.
    """
    from groundwire import service
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load
    from groundwire.service.workspace_names import library_of

    settings, keys = load(), Keys()
    library = await library_of(settings, workspace)
    async with (
        Client(settings.network) as client,
        service.search_context(settings, keys, client) as search_context,
    ):
        yield keys, search_context.within(library)
