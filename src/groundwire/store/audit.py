"""Who changed which setting, without the secrets in it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from groundwire.conversation import AuditEntry
from groundwire.redaction import HIDDEN, redact
from groundwire.store import tables
from groundwire.store.repository import Rows
from groundwire.store.scope import ALL, Scope

_SECRET_NAMES = re.compile(r"(?i)(password|secret|token|api_?key|authorization|cookie|(^|_)key$)")


class Audit(Rows[AuditEntry]):
    """Keeps entries; none is ever changed."""

    table = tables.audit
    kind = AuditEntry

    async def add(self, entry: AuditEntry) -> AuditEntry:
        """Keep an entry, and return it as it is kept: without what is, or looks like, a secret."""
        return await self._insert(
            replace(entry, before=without_secrets(entry.before), after=without_secrets(entry.after))
        )

    async def list(
        self,
        *,
        workspace_id: str | Scope | None,
        before: datetime | None = None,
        limit: int = 100,
    ) -> tuple[AuditEntry, ...]:
        """Return entries, the newest first, older than a time.

        `workspace_id` is what they are about: None means settings of no workspace, such as
        providers and users, ALL means every entry.
        """
        columns = self.table.c
        conditions = [] if workspace_id is ALL else [columns.workspace_id == workspace_id]
        if before is not None:
            conditions.append(columns.at < before)
        return await self._select(*conditions, order=columns.at.desc(), limit=limit)


def without_secrets(value: object) -> object:
    """Return a JSON value with every secret hidden, by its name or by its shape."""
    match value:
        case dict():
            return {
                name: HIDDEN if entry and _SECRET_NAMES.search(name) else without_secrets(entry)
                for name, entry in value.items()
            }
        case list() | tuple():
            return [without_secrets(entry) for entry in value]
        case str():
            return redact(value)
        case _:
            return value
