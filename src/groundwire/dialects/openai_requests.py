"""What requests in Chat Completions and in Responses have in common."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from groundwire.contract import HttpRequest
from groundwire.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.contract import Access
    from groundwire.model import Attachment, Json

SEARCH_CONTEXT_SIZE = "medium"
MAX_FILTER_DOMAINS = 100

_TEXT_TYPES = frozenset(
    {
        "application/javascript",
        "application/json",
        "application/toml",
        "application/x-ndjson",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)


def bearer(access: Access) -> dict[str, str]:
    """Return the header that lets us in; none without a key, as local servers want it."""
    return {"Authorization": f"Bearer {access.key.reveal()}"} if access.key else {}


def models_request(access: Access) -> HttpRequest:
    """Return the request that lists models."""
    return HttpRequest(method="GET", url=f"{access.base_url}/models", headers=bearer(access))


def filter_domains(domains: Sequence[str]) -> list[str]:
    """Return domains as OpenAI's filter takes them: each covers its subdomains, no wildcards.

    A lone `*` means anywhere, which is no filter.
    """
    if "*" in domains:
        return []
    plain = dict.fromkeys(domain.removeprefix("*.") for domain in domains)
    return list(plain)[:MAX_FILTER_DOMAINS]


def chosen(options: Json, names: Sequence[str]) -> dict[str, Json]:
    """Return the options of these names that are set."""
    return {name: options[name] for name in names if options.get(name) is not None}


def is_image(attachment: Attachment) -> bool:
    """Tell whether a file is sent as a picture."""
    return attachment.type == "image" or attachment.mime_type.startswith("image/")


def data_url(attachment: Attachment) -> str:
    """Return a file as a URL that holds it."""
    return f"data:{attachment.mime_type};base64,{attachment.base64_data}"


def text_inside(attachment: Attachment) -> str | None:
    """Return a text file as text for the model, None if it is no text.

    Raises:
        ConfigError: The data is not base64.
    """
    kind = attachment.mime_type.partition(";")[0].strip().lower()
    is_text = kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))
    if not is_text:
        return None
    name = attachment.file_name or "file"
    try:
        text = base64.b64decode(attachment.base64_data, validate=True).decode("utf-8", "replace")
    except ValueError as error:
        raise ConfigError(f"the attachment {name!r} is not base64: {error}") from error
    return f"File {name}:\n\n{text}"
