"""Files beside a message: which are text, and what stands in them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from groundwire.errors import SettingsError

if TYPE_CHECKING:
    from groundwire.model import Attachment

UNNAMED = "attachment"

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


def plain_type(attachment: Attachment) -> str:
    """Return the type of a file in lower case and without parameters."""
    return _plain(attachment.mime_type)


def is_text(attachment: Attachment) -> bool:
    """Tell whether a file can be sent as text."""
    return is_text_type(attachment.mime_type)


def is_text_type(mime_type: str) -> bool:
    """Tell whether files of a type can be sent as text."""
    kind = _plain(mime_type)
    return kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+json", "+xml"))


def text_of(attachment: Attachment) -> str:
    """Return the text in a file, whatever its bytes.

    Raises:
        SettingsError: The data is not base64.
    """
    try:
        return base64.b64decode(attachment.base64_data, validate=True).decode("utf-8", "replace")
    except ValueError as error:
        name = attachment.file_name or UNNAMED
        raise SettingsError(repr(name), "is not base64: encode the file first") from error


def _plain(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()
