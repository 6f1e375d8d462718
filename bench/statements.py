"""Counts every statement that reaches a database, those that only begin or end a transaction too.

What does work is counted where it is executed, rows that go in one trip as one; what begins and
ends transactions, and pings, where the driver sends it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

_ENDS = ("BEGIN", "COMMIT", "ROLLBACK")
_PLACES = {"SELECT": "FROM", "INSERT": "INTO", "DELETE": "FROM", "UPDATE": "UPDATE"}


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Give a counter of statements, by what they do, on all connections opened from now on."""
    seen: Counter[str] = Counter()

    def send(statement: str) -> None:
        words = _words(statement)
        if words in _ENDS or words == "(ping)":
            seen[words] += 1

    def listen(connection: Any, _: object) -> None:  # noqa: ANN401 - a driver's
        driver = connection.driver_connection
        if hasattr(driver, "add_query_logger"):
            driver.add_query_logger(lambda query: send(query.query))
        else:
            connection.run_async(lambda file: file.set_trace_callback(send))

    def execute(*given: Any) -> None:  # noqa: ANN401 - of SQLAlchemy
        words = _words(given[2])
        if words not in _ENDS:
            seen[words] += 1

    event.listen(Engine, "connect", listen)
    event.listen(Engine, "before_cursor_execute", execute)
    try:
        yield seen
    finally:
        event.remove(Engine, "connect", listen)
        event.remove(Engine, "before_cursor_execute", execute)


def _words(statement: str) -> str:
    """Return what a statement does, and with which table."""
    words = statement.upper().rstrip(";").split()
    if not words:
        return "(ping)"
    if words[0] in _ENDS:
        return words[0]
    marker = _PLACES.get(words[0])
    table = words[words.index(marker) + 1].lower() if marker in words else ""
    return f"{words[0]} {table}".strip()
