"""The process that typesets: code and formulas in, colours and trees out.

A text that takes too long costs this process and nothing else.
"""

from __future__ import annotations

from typing import Any

from groundwire.system.worker_loop import answer_requests
from groundwire.web.typeset.code import colours
from groundwire.web.typeset.formula import formula


def answer(request: dict[str, Any], body: bytes) -> dict[str, object]:
    """Typeset all parts of one answer."""
    del body
    return {
        "code": [colours(each["text"], each["language"]) for each in request["code"]],
        "math": [formula(each["text"], is_display=each["is_display"]) for each in request["math"]],
    }


if __name__ == "__main__":
    answer_requests(answer)
