"""The output items of a Responses reply, taken one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.events import WebFetchResult, WebFetchStart, WebSearchStart
from groundwire.wire.decoder import checked_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json


def texts_of(parts: Json) -> list[str]:
    """Return the texts of content or summary parts, "" for a part that has none."""
    return [checked_text(part.get("text") or part.get("refusal") or "") for part in parts or ()]


def status_of(data: Json) -> str:
    """Return how a response ended: its own word, else what its last event is called."""
    status = data["response"].get("status")
    if isinstance(status, str) and status:
        return status
    return str(data.get("type", "response.completed")).removeprefix("response.")


def queries_of(action: Json) -> list[str]:
    """Return what a search call looked for, each query once."""
    asked = [action.get("query"), *(action.get("queries") or ())]
    return list(dict.fromkeys(query for query in asked if isinstance(query, str) and query))


def is_search(action: Json) -> bool:
    """Tell whether a web search call searches; it may also open a page or look for words in it."""
    return bool(action.get("type", "search") == "search")


def search_events(action: Json) -> list[StreamEvent]:
    """Return the searches that a call makes; one of unknown words if it does not tell them."""
    return [WebSearchStart(query) for query in queries_of(action) or (None,)]


def fetch_events(item: Json) -> list[StreamEvent]:
    """Return the page that a call opens, if it tells which."""
    url = (item.get("action") or {}).get("url")
    if not isinstance(url, str) or not url:
        return []
    error = "failed" if item.get("status") == "failed" else ""
    return [WebFetchStart(url), WebFetchResult(url, error=error)]


def are_worth_keeping(items: Sequence[Json]) -> bool:
    """Tell whether items say more than text and calls, and can be sent back whole.

    Reasoning without its encrypted content cannot, and what follows it cannot without it.
    """
    kinds = {item.get("type") for item in items}
    if kinds.isdisjoint({"reasoning", "web_search_call"}):
        return False
    return all(item.get("encrypted_content") for item in items if item.get("type") == "reasoning")
