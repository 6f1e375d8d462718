"""One request and one reply of HTTP, as a provider sees them: values, never a connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TypeVar

import orjson

from groundwire.errors import BadReplyError
from groundwire.model import Json
from groundwire.redaction import redact
from groundwire.wire import errors

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HttpRequest:
    """One request, ready to send. Its repr shows nothing that could hold a key."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def __repr__(self) -> str:
        return f"HttpRequest({self.method} {redact(self.url)})"

    @classmethod
    def post_json(
        cls, url: str, body: Json, headers: Mapping[str, str] | None = None
    ) -> HttpRequest:
        """Return a POST of a JSON body."""
        try:
            # Without a detour over text: an attached file may have tens of megabytes.
            encoded = orjson.dumps(body)
        except TypeError:  # A number or a key that only Python's own encoder takes.
            encoded = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        return cls(
            method="POST",
            url=url,
            headers={"Content-Type": "application/json", **(headers or {})},
            body=encoded,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """One whole reply. Header names are in lower case; the body is decoded from its encoding.

    Only a page may be truncated: what is over a limit is left out and `is_truncated` says so.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)
    url: str = ""
    service: str = ""
    is_truncated: bool = False

    def text(self) -> str:
        """Return the body as text, whatever its bytes."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Json:
        """Return the parsed body.

        Raises:
            BadReplyError: The body is not JSON.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            kind = self.headers.get("content-type", "no content type")
            reason = f"expected JSON, got {kind}: {redact(self.text()[:80])!r}"
        raise BadReplyError(self.service, reason, status=self.status)


MALFORMED = (
    AttributeError,
    IndexError,
    KeyError,
    OverflowError,  # Infinity where an integer is expected.
    RecursionError,  # Nesting without end.
    TypeError,
    ValueError,
)
"""What reading a reply of an unexpected shape raises; providers need not check every field."""


def understand(read: Callable[[HttpReply], T], reply: HttpReply) -> T:
    """Return what a provider reads in a reply.

    Raises:
        BadReplyError: The reply does not have the shape that the provider knows.
    """
    try:
        found = read(reply)
        if found is not None:
            _check_texts(found)
    except MALFORMED as error:
        reason = f"the reply has an unexpected shape ({type(error).__name__}: {error})"
    else:
        return found
    raise BadReplyError(
        reply.service, redact(reason)[: errors.MAX_REASON_LENGTH], status=reply.status
    )


def _check_texts(found: object) -> None:
    """Check that what a reply calls a title or an address is a text, in one noun or in a list."""
    for each in found if isinstance(found, list) else [found]:
        for part in fields(each) if is_dataclass(each) else ():
            if part.type == "str" and not isinstance(getattr(each, part.name), str):
                raise TypeError(f"{part.name} is no text")
