"""Vectors of texts from one service."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from groundwire.client.failures import called
from groundwire.errors import BadReplyError, UnsupportedError
from groundwire.wire.contract import Embeds, HttpRequest
from groundwire.wire.http import understand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.client.client import Client
    from groundwire.wire.contract import Endpoint


class EmbeddingClient:
    """Asks one endpoint for the vectors of its model.

    Raises:
        UnsupportedError: The provider makes no vectors.
    """

    def __init__(self, endpoint: Endpoint, client: Client) -> None:
        if not isinstance(endpoint.provider, Embeds):
            raise UnsupportedError(endpoint.name, "embed")
        self._provider: Embeds = endpoint.provider
        self._endpoint = endpoint
        self._client = client

    @property
    def form(self) -> str:
        """Return what vectors must have in common to be compared."""
        access = self._endpoint.access
        model, dimensions = (access.options.get(name, "") for name in ("model", "dimensions"))
        return f"{access.base_url} {model} {dimensions}".strip()

    async def vectors(
        self, texts: Sequence[str], *, patience_seconds: float | None = None
    ) -> Sequence[Sequence[float]]:
        """Return a vector for each text, all of one length.

        Raises:
            ServiceError: The service refuses, or did not send such vectors.
            NetworkError: It cannot be reached.
        """
        access = self._endpoint.access
        asking = partial(self._provider.embed_request, texts, access)
        request = called(self._endpoint, asking, HttpRequest)
        reply = await self._client.send(self._endpoint, request, patience_seconds=patience_seconds)
        reading = partial(understand, self._provider.embeddings, reply)
        found: list[list[float]] = called(self._endpoint, reading, list)
        lengths = {len(vector) for vector in found}
        is_whole = len(found) == len(texts) and len(lengths) == 1 and 0 not in lengths
        if not is_whole or not all(math.isfinite(each) for vector in found for each in vector):
            reason = "it did not send a vector of one length for each text"
            raise BadReplyError(self._endpoint.name, reason)
        return found
