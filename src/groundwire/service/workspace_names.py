"""A workspace by the name that a person gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.errors import NotFoundError

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.conversation import Workspace
    from groundwire.search import SearchContext
    from groundwire.service.program import Groundwire
    from groundwire.store import Store


async def named_workspace(store: Store, name: str) -> Workspace:
    """Return a workspace by its id or name.

    Raises:
        NotFoundError: There is none, or several have this name.
    """
    known = await store.workspaces.list()
    by_id = [each for each in known if each.id == name]
    found = by_id or [each for each in known if each.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(each.id for each in found)
        raise NotFoundError(f"several workspaces are called {name!r}: name one by its id: {ids}")
    names = ", ".join(each.name for each in known)
    raise NotFoundError(f"no workspace is called {name!r}: there are {names}")


async def search_context_in(program: Groundwire, name: str) -> SearchContext:
    """Return what searching needs in a workspace, "" for the first one.

    Raises:
        NotFoundError: There is no such workspace.
        ConfigError: Nothing is kept here, so that there are none.
    """
    library = (await named_workspace(program.store, name)).library if name else ""
    return program.search_context.within(library)


async def library_of(settings: Settings, name: str) -> str:
    """Return which library the workspace of this name has; "" is that of the settings.

    The database is opened only where a workspace is named.

    Raises:
        NotFoundError: There is no such workspace.
    """
    if not name:
        return ""
    from groundwire.store import Store  # noqa: PLC0415 - a database only where one is used

    async with Store.open(settings.store.url) as store:
        return (await named_workspace(store, name)).library
