"""What is kept: workspaces, agents, sessions, messages, users, and what was used.

SQLite in a file of our own by default, PostgreSQL by URL; the same on both.

    async with Store.open() as store:
        for session in (await store.sessions.list(PERSONAL, user_id=ALL)).sessions:
            print(session.title)
"""

from groundwire.store.engines import Pool
from groundwire.store.health import DatabaseHealth
from groundwire.store.scope import ALL, Scope
from groundwire.store.sessions import SessionPage
from groundwire.store.store import Store
from groundwire.store.workspaces import PERSONAL

__all__ = ["ALL", "PERSONAL", "DatabaseHealth", "Pool", "Scope", "SessionPage", "Store"]
