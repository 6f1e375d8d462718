"""The process that reads documents: a document's bytes in, its Markdown out.

A page that takes too long or too much memory costs this process and nothing else.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from groundwire.reader.documents import read_document
from groundwire.reader.extracted import Extracted
from groundwire.system.worker_loop import answer_requests

if TYPE_CHECKING:
    from groundwire.model import Json

OUT_OF_MEMORY = "the page needs more memory than it may have"
TOO_DEEP = "the document is nested too deep to be read"


def answer(request: Json, body: bytes) -> Json:
    """Read one document; running out of memory is an answer too."""
    try:
        extracted = read_document(body, request["content_type"], request["url"])
    except MemoryError:
        extracted = Extracted(problem=OUT_OF_MEMORY)
    except RecursionError:
        extracted = Extracted(problem=TOO_DEEP)
    return dataclasses.asdict(extracted)


if __name__ == "__main__":
    answer_requests(answer)
