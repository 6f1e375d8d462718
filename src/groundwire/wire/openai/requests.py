"""What requests in Chat Completions and in Responses have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.catalog import ThinkingChoice
from groundwire.wire.attachments import is_text, text_of
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.model import Attachment, Json
    from groundwire.wire.contract import Access, Question

SEARCH_CONTEXT_SIZE = "medium"
MAX_FILTER_DOMAINS = 100
_EFFORTS = {
    ThinkingChoice.OFF: "none",
    ThinkingChoice.LOW: "low",
    ThinkingChoice.HIGH: "high",
}


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


def reasoning_effort(question: Question) -> str | None:
    """Return how hard a model shall think, in OpenAI's words; None where nobody says."""
    return None if question.thinking is None else _EFFORTS.get(question.thinking, "medium")


def reply_form(question: Question) -> dict[str, Json]:
    """Return the form of a reply as both protocols describe it."""
    return {
        "name": "reply",
        "strict": question.reply_is_strict,
        "schema": question.reply_schema,
    }


def is_image(attachment: Attachment) -> bool:
    """Tell whether a file is sent as a picture."""
    return attachment.type == "image" or attachment.mime_type.startswith("image/")


def file_name(attachment: Attachment) -> str:
    """Return what a file is called; the service wants every file to have a name."""
    return attachment.file_name or "file"


def data_url(attachment: Attachment) -> str:
    """Return a file as a URL that holds it."""
    return f"data:{attachment.mime_type};base64,{attachment.base64_data}"


def text_inside(attachment: Attachment) -> str | None:
    """Return a text file as text for the model, None if it is no text.

    Raises:
        SettingsError: The data is not base64.
    """
    if not is_text(attachment):
        return None
    return f"File {file_name(attachment)}:\n\n{text_of(attachment)}"
