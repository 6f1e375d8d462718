"""How what providers find without a request of ours is written down, and read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from groundwire.model import Json, Page, PageMetadata, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Two functions, each the other's way back."""

    dump: Callable[[Any], Json]
    load: Callable[[Json], Any]


def _page(told: Json) -> Page:
    metadata = PageMetadata.from_json(told.get("metadata"))
    return Page(**{**told, "notes": tuple(told["notes"]), "metadata": metadata})


RESULTS = Form(
    dump=lambda found: [asdict(each) for each in found],
    load=lambda told: [SearchResult(**each) for each in told],
)
PAGE = Form(dump=asdict, load=_page)
