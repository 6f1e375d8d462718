"""What a server writes about itself: text or JSON lines on standard error, without secrets."""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO

from groundwire.redaction import redact

ACCESS = logging.getLogger("groundwire.access")
"""One line for each request, where that is wanted."""

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The request that the work at hand belongs to, "" for none."""

# Others write whole requests and rows below "info", so of them that is the most to be had.
_VERBOSE = ("groundwire", "uvicorn", "asyncio")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """What is written: from which level on, as JSON or text, and whether every request is."""

    level: str = "warning"
    is_json: bool = False
    has_access: bool = False


def configure(options: LogOptions, stream: TextIO | None = None) -> None:
    """Have everything that this process logs written as the options say, and nothing twice."""
    level = logging.getLevelNamesMapping()[options.level.upper()]
    root = logging.getLogger()
    for handler in [each for each in root.handlers if isinstance(each, _Handler)]:
        root.removeHandler(handler)
    handler = _Handler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if options.is_json else TextFormatter())
    root.addHandler(handler)
    root.setLevel(max(level, logging.INFO))
    for name in _VERBOSE:
        logging.getLogger(name).setLevel(level)
    ACCESS.setLevel(logging.INFO if options.has_access else logging.CRITICAL)


class _Handler(logging.StreamHandler[TextIO]):
    """Ours, to be told from those of others."""


class TextFormatter(logging.Formatter):
    """One line for each record, and below it the traceback if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines."""
        told = described(record)
        request = f" [{told['request_id']}]" if "request_id" in told else ""
        # A line break in what others sent would forge a line of ours.
        message = _CONTROLS.sub(lambda found: repr(found[0])[1:-1], str(told["message"]))
        line = f"{told['time']} {str(told['level']).upper()} {told['logger']}{request} {message}"
        return f"{line}\n{told['traceback']}" if "traceback" in told else line


class JsonFormatter(logging.Formatter):
    """One JSON object for each record, on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object."""
        return json.dumps(described(record))


def described(record: logging.LogRecord) -> dict[str, object]:
    """Return what a record says, with all that looks like a key hidden."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
    told: dict[str, object] = {
        "time": f"{moment}.{int(record.msecs):03d}Z",
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": redact(record.getMessage()),
    }
    if request_id := REQUEST_ID.get():
        told["request_id"] = request_id
    told.update(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[0] is not None:
        told["traceback"] = redact(logging.Formatter().formatException(record.exc_info))
    return told
