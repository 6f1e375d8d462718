"""Which tests run which lines: a mutant is shown to those alone that could notice it."""

from __future__ import annotations

import inspect
import json
import sys
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _typeshed import TraceFunction


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedTest:
    """A test, what it took, and the lines it ran, by file."""

    name: str
    seconds: float
    cpu_seconds: float
    lines: dict[str, frozenset[int]]


class LineRecorder:
    """Writes down, as a plugin of pytest, what each test took and which lines it ran."""

    def __init__(self, folder: Path, written: Path) -> None:
        self._folder = str(folder)
        self._written = written
        self._tests: list[dict[str, Any]] = []
        self._lines: set[tuple[str, int]] = set()

    def _line(self, frame: FrameType, event: str, given: object) -> TraceFunction | None:
        del event, given
        self._lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    def _call(self, frame: FrameType, event: str, given: object) -> TraceFunction | None:
        code = frame.f_code
        # A module or a class runs once, for whoever needs it first: that is no test's line.
        if code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(self._folder):
            return self._line(frame, event, given)
        return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test with what it needs, and write down what it took."""
        self._lines.clear()
        began, cpu_began = time.monotonic(), time.process_time()
        threading.settrace(self._call)
        sys.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu_began
            lines: dict[str, list[int]] = {}
            for path, line in self._lines.copy():
                lines.setdefault(path.removeprefix(self._folder + "/"), []).append(line)
            self._tests.append(
                {"name": item.nodeid, "seconds": seconds, "cpu": cpu_seconds, "lines": lines}
            )

    def pytest_sessionfinish(self) -> None:
        """Write it where the process that started this one reads it."""
        self._written.write_text(json.dumps(self._tests))


class TestSelection:
    """Has pytest, as a plugin of it, run the named tests alone, and in their order."""

    def __init__(self, tests: Sequence[TimedTest]) -> None:
        self._places = {test.name: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the rest out."""
        chosen = [item for item in items if item.nodeid in self._places]
        items[:] = sorted(chosen, key=lambda item: self._places[item.nodeid])


def read_recorded(written: Path) -> list[TimedTest]:
    """Return what a recorder wrote."""
    return [
        TimedTest(
            name=each["name"],
            seconds=each["seconds"],
            cpu_seconds=each["cpu"],
            lines={path: frozenset(lines) for path, lines in each["lines"].items()},
        )
        for each in json.loads(written.read_text())
    ]


def covering(tests: Sequence[TimedTest], path: str, line: int) -> list[TimedTest]:
    """Return the tests that ran a line, the quickest first.

    What no test ran was run when the module was loaded, as constants are, or never: then all of
    them, first those that ran anything of the file.
    """
    found = [test for test in tests if line in test.lines.get(path, ())] or tests
    return sorted(found, key=lambda test: (path not in test.lines, test.seconds))
