"""Where Gemini's methods are: a version in the path, and the name of a model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from groundwire.wire.contract import Access

API_VERSION = "v1beta"

_VERSION_AT_END = re.compile(r"/v\d+\w*$")


def versioned_base(access: Access) -> str:
    """Return the base URL with a version at its end: its own, else the one of the options."""
    if _VERSION_AT_END.search(access.base_url):
        return access.base_url
    return f"{access.base_url}/{access.options.get('api_version', API_VERSION)}"


def model_path(model: str) -> str:
    """Return the path of a model, which may name its kind or leave it out."""
    kind, slash, name = model.partition("/")
    if slash and kind in {"models", "tunedModels"}:
        return f"{kind}/{quote(name, safe='')}"
    return f"models/{quote(model, safe='')}"
