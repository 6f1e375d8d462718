"""The process that reads documents: one request in, one reply out, until its input ends.

A message is its length in four bytes and then that many bytes of JSON; a document's bytes follow
the request that names their number. A page that takes too long or too much memory costs this
process and nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from typing import TYPE_CHECKING, BinaryIO

from groundwire.reader.documents import read_document
from groundwire.reader.extracted import Extracted

if TYPE_CHECKING:
    from groundwire.model import Json

READY = b"ready\n"
OUT_OF_MEMORY = "the page needs more memory than it may have"


def main() -> None:
    """Answer requests from standard input; the first argument is the memory limit in bytes."""
    limit_memory(int(sys.argv[1]))
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    replies.write(READY)
    replies.flush()
    while header := requests.read(4):
        request = json.loads(requests.read(int.from_bytes(header)))
        body = requests.read(request["size"])
        reply(replies, answer(body, request))


def answer(body: bytes, request: Json) -> Extracted:
    """Read one document; running out of memory is an answer too."""
    try:
        return read_document(body, request["content_type"], request["url"])
    except (MemoryError, RecursionError):
        return Extracted(problem=OUT_OF_MEMORY)


def reply(replies: BinaryIO, extracted: Extracted) -> None:
    """Send what was read."""
    # Half of a surrogate pair cannot be sent, and cannot be read either.
    message = json.dumps(dataclasses.asdict(extracted)).encode()
    replies.write(len(message).to_bytes(4) + message)
    replies.flush()


def limit_memory(max_bytes: int) -> None:
    """Have the system refuse this process more memory than that, where it can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - Windows has no such module

        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))


if __name__ == "__main__":
    main()
