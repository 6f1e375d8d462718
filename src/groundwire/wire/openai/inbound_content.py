"""Parts of a client's message in Chat Completions and in Responses: words and files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.catalog import ThinkingChoice
from groundwire.model import Attachment
from groundwire.wire.inbound import (
    HostedTools,
    InboundError,
    location_of,
    object_in,
    text_in,
    texts_in,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.model import Json

_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,(.*)", re.DOTALL)
_TEXTS = ("text", "input_text", "output_text")
_EFFORTS = {
    "none": ThinkingChoice.OFF,
    "minimal": ThinkingChoice.LOW,
    "low": ThinkingChoice.LOW,
    "medium": ThinkingChoice.MEDIUM,
    "high": ThinkingChoice.HIGH,
    "xhigh": ThinkingChoice.HIGH,
}


def read_content(content: Json, where: str) -> tuple[str, tuple[Attachment, ...]]:
    """Return the words and the files of a message, which may be a text, parts, or nothing.

    Raises:
        InboundError: A part is of a kind that is not taken.
    """
    if content is None or isinstance(content, str):
        return content or "", ()
    if not isinstance(content, list):
        raise InboundError(f"{where} must be a text or a list of parts", param=where)
    texts: list[str] = []
    files: list[Attachment] = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in _TEXTS:
            texts.append(text_in(part, "text"))
        elif kind == "refusal":
            texts.append(text_in(part, "refusal"))
        elif kind in ("image_url", "input_image"):
            files.append(_image(part, where))
        elif kind in ("file", "input_file"):
            files.append(_file(part, where))
        else:
            raise InboundError(f"{where}: parts of type {kind!r} are not taken", param=where)
    return "\n\n".join(text for text in texts if text), tuple(files)


def _image(part: Json, where: str) -> Attachment:
    given = part.get("image_url")
    url = given.get("url") if isinstance(given, dict) else given
    mime_type, data = _data(url, "image", where)
    return Attachment(type="image", mime_type=mime_type, base64_data=data)


def _file(part: Json, where: str) -> Attachment:
    inner = object_in(part, "file") or part
    mime_type, data = _data(inner.get("file_data"), "file", where)
    name = text_in(inner, "filename")
    return Attachment(type="file", mime_type=mime_type, base64_data=data, file_name=name)


def _data(url: Json, what: str, where: str) -> tuple[str, str]:
    found = _DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        raise InboundError(
            f"{where}: send the {what} itself, as a data: URL in base64; other addresses are not "
            "fetched",
            param=where,
        )
    return found[1], found[2]


def thinking_of(effort: Json) -> ThinkingChoice | None:
    """Return how hard a model shall think, None where the client does not say."""
    return _EFFORTS.get(effort) if isinstance(effort, str) else None


def hosted_search(tool: Mapping[str, Json]) -> HostedTools:
    """Return the search that a client declares: a tool of Responses, or Chat's options.

    Raises:
        InboundError: A field of it is wrong.
    """
    filters = object_in(tool, "filters")
    return HostedTools(
        allowed_domains=texts_in(filters, "allowed_domains"),
        blocked_domains=texts_in(filters, "blocked_domains"),
        location=location_of(tool.get("user_location")),
        context_size=text_in(tool, "search_context_size"),
    )
