"""Makes the vectors of a library's passages, some at a time: what is interrupted goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from groundwire.library import library_path, open_library
from groundwire.search.query_embedding import SERVICE, embedding_service

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groundwire.client.embeddings import EmbeddingClient
    from groundwire.library.index import IndexEntry
    from groundwire.library.vectors import Vector
    from groundwire.search import SearchContext

_DOCUMENTS = 32
_BATCH = 32
_MAX_CHARACTERS = 6_000  # Of one passage; the smallest models read about as much.


async def embed_library(
    search_context: SearchContext,
    options: Mapping[str, object],
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Make the vectors that a library lacks, and return how many documents got theirs.

    Without a service of embeddings nothing happens. Each document is kept as soon as it is done.

    Raises:
        ServiceError: The service refuses.
        NetworkError: It cannot be reached.
    """
    service = embedding_service(search_context)
    if service is None or not library_path(options).exists():
        return 0
    library = await asyncio.to_thread(open_library, options, writes=True)
    with library:
        await asyncio.to_thread(library.use_vectors, service.form)
        done = 0
        while some := await asyncio.to_thread(library.without_vectors, _DOCUMENTS):
            made = await _vectors(
                search_context, service, [entry for _, each in some for entry in each]
            )
            for document, entries in some:
                pairs = [(entry.id, made[entry.id]) for entry in entries]
                await asyncio.to_thread(library.put_vectors, document, pairs)
                done += 1
            if progress:
                progress(*await asyncio.to_thread(library.embedded))
        return done


async def _vectors(
    search_context: SearchContext, service: EmbeddingClient, entries: list[IndexEntry]
) -> dict[int, Vector]:
    """Return the vectors of passages by their ids, asked for in batches."""
    chosen = search_context.settings.providers[SERVICE].options.get("batch", _BATCH)
    batch = max(1, int(chosen))
    found: dict[int, Vector] = {}
    for first in range(0, len(entries), batch):
        some = entries[first : first + batch]
        vectors = await service.vectors([_text(entry) for entry in some])
        found |= {entry.id: vector for entry, vector in zip(some, vectors, strict=True)}
    return found


def _text(entry: IndexEntry) -> str:
    """Return what of a passage is given to the model: where it stands, and what it says."""
    parts = (entry.title, entry.headings, entry.body)
    return "\n".join(part for part in parts if part)[:_MAX_CHARACTERS]
