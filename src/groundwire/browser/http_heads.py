"""The heads of HTTP/1.1 messages, as a proxy reads them and hands them on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader

    from groundwire.guard import WebUrl

MAX_HEAD_BYTES = 1 << 16

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LENGTH = re.compile(r"[0-9]{1,18}")
# A line feed or return alone ends a line to some, and not to others.
_NEVER = re.compile(r"[\r\n\0]")
# What holds for one connection only, and what a proxy's own caller told the proxy.
_OF_THE_CONNECTION = frozenset(
    {"connection", "keep-alive", "proxy-authorization", "proxy-connection", "te", "upgrade"}
)


class BadHeadError(ValueError):
    """What came is not the head of a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A first line in three words, and the headers as they were written."""

    words: tuple[str, str, str]
    headers: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """Return the value of a header, "" if there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def body_bytes(self) -> int:
        """Return how long the body of a request is.

        Raises:
            BadHeadError: It does not say so as a number.
        """
        length = self.get("content-length") or "0"
        if self.get("transfer-encoding") or not _LENGTH.fullmatch(length):
            raise BadHeadError
        return int(length)

    def for_origin(self, url: WebUrl) -> Head:
        """Return a request to a proxy as the server itself is asked, once and under this URL."""
        host = str(url).removesuffix(url.path_and_query).partition("://")[2]
        kept = [(key, value) for key, value in self._lasting() if key.lower() != "host"]
        words = (self.words[0], url.path_and_query, "HTTP/1.1")
        return Head(words=words, headers=(("Host", host), *kept, ("Connection", "close")))

    def as_last(self) -> Head:
        """Return a reply after which the connection is of no more use."""
        return replace(self, headers=(*self._lasting(), ("Connection", "close")))

    def encode(self) -> bytes:
        """Return the bytes of the head, its empty line included."""
        lines = [" ".join(self.words), *(f"{key}: {value}" for key, value in self.headers)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    def _lasting(self) -> list[tuple[str, str]]:
        return [pair for pair in self.headers if pair[0].lower() not in _OF_THE_CONNECTION]


async def read_head(reader: StreamReader) -> Head:
    """Read one head.

    Raises:
        BadHeadError: It is none.
        EOFError: The connection ended before.
        asyncio.LimitOverrunError: It is longer than the reader's limit.
    """
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = text.removesuffix("\r\n\r\n").split("\r\n")
    # A reply need not give its reason, the third word.
    words = [*first.split(" ", 2), ""]
    headers = tuple(_header(line) for line in lines)
    if len(words) < 3 or _NEVER.search(first):
        raise BadHeadError
    names = [key.lower() for key, _ in headers]
    # Two readers of such a message could disagree about where it ends, and about what follows.
    if names.count("content-length") + names.count("transfer-encoding") > 1:
        raise BadHeadError
    return Head(words=(words[0], words[1], words[2]), headers=headers)


def _header(line: str) -> tuple[str, str]:
    """Return a header's name and value; a line that goes on with the one before is none."""
    name, colon, value = line.partition(":")
    if not colon or not _NAME.fullmatch(name) or _NEVER.search(value):
        raise BadHeadError
    return name, value.strip(" \t")
