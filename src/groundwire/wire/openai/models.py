"""Lists of models: those that can hold a conversation and will still be there tomorrow."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire import catalog
from groundwire.model import ModelInfo

if TYPE_CHECKING:
    from groundwire.model import Json
    from groundwire.wire.contract import HttpReply

OPENAI_HOST = "api.openai.com"

_CHAT = re.compile(r"gpt-|o1|o3|o4|chatgpt-")


def listed(reply: HttpReply) -> list[Json]:
    """Return the entries of a list of models.

    Raises:
        BadReplyError: The reply is not JSON.
    """
    body = reply.json()
    entries = body.get("data", body.get("models")) if isinstance(body, dict) else body
    return [entry for entry in entries or () if isinstance(entry, dict) and entry.get("id")]


def openai_models(reply: HttpReply, *, today: date, show_all: bool) -> list[ModelInfo]:
    """Return the models for conversations; of OpenAI only those of its known families.

    Elsewhere a name that nobody knows is one of a server's own and stays.
    """
    models = [
        ModelInfo(id=entry["id"], shutdown_date=_text(entry.get("shutdown_date")))
        for entry in listed(reply)
    ]
    if show_all:
        return models
    is_openai = urlsplit(reply.url).hostname in (None, OPENAI_HOST)
    known = [model for model in models if not is_openai or _CHAT.match(model.id)]
    return [model for model in known if _is_useful(model, today)]


def _is_useful(model: ModelInfo, today: date) -> bool:
    if not catalog.is_for_chat(model.id):
        return False
    try:
        return date.fromisoformat(model.shutdown_date[:10]) > today
    except ValueError:
        return True


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
