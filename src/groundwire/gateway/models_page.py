"""The list of models in the two shapes that clients read, chosen by a header of Anthropic's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.gateway.model_names import ListedModel, Target

# Nobody knows when a model behind a name began to be offered, and clients want some time.
_CREATED = datetime(2026, 1, 1, tzinfo=UTC)


def models_body(models: Sequence[ListedModel], headers: Mapping[str, str]) -> object:
    """Return all names of models."""
    entries = [_entry(each.id, each.title, each.owner, headers) for each in models]
    if "anthropic-version" not in headers:
        return {"object": "list", "data": entries}
    ids = [each.id for each in models]
    return {
        "data": entries,
        "has_more": False,
        "first_id": ids[0] if ids else None,
        "last_id": ids[-1] if ids else None,
    }


def model_body(target: Target, headers: Mapping[str, str]) -> object:
    """Return one model."""
    return _entry(target.name, target.model, target.choice.endpoint.name, headers)


def _entry(id_: str, title: str, owner: str, headers: Mapping[str, str]) -> object:
    if "anthropic-version" in headers:
        moment = f"{_CREATED:%Y-%m-%dT%H:%M:%SZ}"
        return {"type": "model", "id": id_, "display_name": title, "created_at": moment}
    created = int(_CREATED.timestamp())
    return {"id": id_, "object": "model", "created": created, "owned_by": owner}
