"""What searching and reading need, as the settings have it, for as long as a command runs."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.config.keys import Keys
    from groundwire.search import SearchContext


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[Keys, SearchContext]]:
    """Open a client and what searching needs; `means.settings` are the settings.

    Raises:
        SettingsError: The settings cannot be used.
    """
    from groundwire import service
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load

    settings, keys = load(), Keys()
    async with Client(settings.network) as client, service.means(settings, keys, client) as means:
        yield keys, means
