"""Embeddings: any server with OpenAI's `/v1/embeddings`, one on this machine included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundwire.wire.authorization import bearer
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Json


class Embeddings(Provider):
    """Lets the library find what means alike; any OpenAI-compatible server of embeddings."""

    title = "Embeddings"
    base_url = "https://api.openai.com/v1"
    # Its own and not OpenAI's: whoever sets another address here sends no key of theirs there.
    key_variable = "EMBEDDINGS_API_KEY"
    key_url = "https://platform.openai.com/api-keys"

    def embed_request(self, texts: Sequence[str], access: Access) -> HttpRequest:
        model = access.options.get("model", "")
        body: dict[str, Json] = {"model": model, "input": list(texts), "encoding_format": "float"}
        if dimensions := access.options.get("dimensions"):
            body["dimensions"] = dimensions
        return HttpRequest(
            method="POST",
            url=f"{access.base_url}/embeddings",
            headers={"Content-Type": "application/json", **bearer(access)},
            body=json.dumps(body).encode(),
        )

    def embeddings(self, reply: HttpReply) -> list[list[float]]:
        # Nothing promises that they come in order.
        entries = sorted(reply.json()["data"], key=lambda entry: entry["index"])
        return [[float(number) for number in entry["embedding"]] for entry in entries]


provider = Embeddings()
