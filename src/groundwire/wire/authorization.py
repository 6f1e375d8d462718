"""The header that lets us in, where a service wants its key as a bearer's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.wire.contract import Access


def bearer(access: Access) -> dict[str, str]:
    """Return the header that lets us in; none without a key, as local servers want it."""
    return {"Authorization": f"Bearer {access.key.reveal()}"} if access.key else {}
