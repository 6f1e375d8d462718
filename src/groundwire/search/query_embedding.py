"""Embeds a query, for a library that keeps vectors; without an embedding, words alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from groundwire.errors import ConfigError, NetworkError, ServiceError
from groundwire.wire.contract import QUERY_VECTOR

if TYPE_CHECKING:
    from groundwire.client.embeddings import EmbeddingClient
    from groundwire.search.search_context import SearchContext
    from groundwire.wire.contract import Endpoint

SERVICE = "embeddings"
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """What a query means; vectors of two forms, models or dimensions, cannot be compared."""

    form: str
    vector: tuple[float, ...] = field(repr=False)


def embedding_service(search_context: SearchContext) -> EmbeddingClient | None:
    """Return who makes vectors, None where the settings name no model for it, or it has no key."""
    chosen = search_context.settings.providers.get(SERVICE)
    if chosen is None or not chosen.model:
        return None
    try:
        endpoint = search_context.find(SERVICE)
    except ConfigError:
        return None
    from groundwire.client.embeddings import EmbeddingClient  # noqa: PLC0415 - where one is used

    return EmbeddingClient(endpoint, search_context.client)


async def query_embedding(
    search_context: SearchContext, text: str
) -> tuple[QueryVector | None, str]:
    """Return what a query means, None without a service; and why not, where the service failed."""
    service = embedding_service(search_context)
    if service is None:
        return None, ""
    try:
        async with search_context.rate_limits.service(search_context.find(SERVICE)).turn(
            _PATIENCE_SECONDS
        ):
            (vector,) = await service.vectors([text], patience_seconds=_PATIENCE_SECONDS)
    except (ServiceError, NetworkError) as error:
        # Its own words stay out: this goes to models, too.
        return None, f"searched by words alone: the service of embeddings failed ({error.code})"
    return QueryVector(form=service.form, vector=tuple(vector)), ""


async def with_query_embedding(
    search_context: SearchContext, endpoint: Endpoint, text: str
) -> tuple[Endpoint, str]:
    """Return a library that gets what a query means beside its words, and what is missing."""
    embedding, note = await query_embedding(search_context, text)
    if embedding is None:
        return endpoint, note
    options = {**endpoint.access.options, QUERY_VECTOR: asdict(embedding)}
    return replace(endpoint, access=replace(endpoint.access, options=options)), note
