"""What `make mutants` tries: each kind of change once, and none that changes nothing."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tools.covering_tests import LineRecorder, TimedTest, covering, read_recorded
from tools.mutants import PACKAGE, ROOMS, candidates, run, sample
from tools.mutations import mutants

from tests.patience import PATIENCE, wait_until


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a in b", ["x = a not in b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = not a", ["x = a"]),
        ("x = a + b", ["x = a - b"]),
        ("x = True", ["x = False"]),
        ("def f():\n    return False", ["return True"]),
        ("x = 5", ["x = 6", "x = 4"]),
        ("x = max(a)", ["x = min(a)"]),
        ("f()", ["pass"]),
        ("raise ValueError", ["pass"]),
        ("def f(a=1):\n    return a", ["def f(a=2)", "def f(a=0)", "return None"]),
    ],
)
def test_a_line_is_changed_in_each_way_that_it_can_be(code: str, made: list[str]) -> None:
    found = [each.source for each in mutants(code)]

    assert len(found) == len(made)
    # In any order: a default and a body are walked as the tree has them.
    assert all(any(part in source for source in found) for part in made)


@pytest.mark.parametrize(
    "code",
    [
        '"""Words."""',
        "__all__ = [1]",
        "from a import b",
        "if TYPE_CHECKING:\n    x = 1",
        "x: Literal[1]",
        "@cache(1)\ndef f() -> Literal[2]:\n    return None",
    ],
)
def test_what_changes_nothing_is_left_alone(code: str) -> None:
    assert mutants(code) == []


def test_every_mutant_of_every_room_is_another_program_with_a_name_of_its_own() -> None:
    for room in ("guard", "redaction", "access"):
        found = candidates(room)
        assert len({each.name for each in found}) == len(found) > 10
        for each in found[:20]:
            assert ast.dump(ast.parse(each.mutant.source)) != ast.dump(
                ast.parse((PACKAGE / each.path).read_text("utf-8"))
            )


def test_the_same_seed_tries_the_same() -> None:
    first, again, other = (
        [each.name for each in sample("redaction", 5, seed)] for seed in (1, 1, 2)
    )

    assert first == again != other
    assert [each.name for each in sample("redaction", 9, 1)][:5] == first
    assert len(ROOMS) == 8


_RUNS_A_TEST = """
import sys
from tools import leftover_processes
from tools.mutants import run
# The daemon takes no hint.
leftover_processes._GRACE_SECONDS = 0.1
sys.exit(run(sys.argv[1:], object()))
"""
_STARTS_A_DAEMON = """
import os, signal, subprocess, sys
def test_starts_a_daemon():
    with open({written!r}, "w") as written:
        command = ["sh", "-c", "setsid sleep 1000 & echo $!"]
        subprocess.run(command, stdout=written, check=True)
        print(os.getpid(), file=written)
    {then}
"""


@pytest.mark.parametrize(
    "then",
    [
        "os.kill(os.getppid(), signal.SIGINT), signal.pause()",
        "os.kill(os.getpid(), signal.SIGKILL)",
    ],
    ids=["who-runs-it-is-stopped", "the-test-is-killed"],
)
def test_what_a_test_started_is_ended_with_it(tmp_path: Path, then: str) -> None:
    written = tmp_path / "processes"
    test = tmp_path / "test_daemon.py"
    test.write_text(_STARTS_A_DAEMON.format(written=str(written), then=then))

    command = [sys.executable, "-c", _RUNS_A_TEST, str(test)]
    subprocess.run(command, cwd=PACKAGE.parents[1], capture_output=True, check=False)

    assert [_is_running(process) for process in written.read_text().split()] == [False, False]


def _is_running(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Who is ended, and was not asked for yet, runs no more.
    return state != "Z"


_TWO_TESTS = """
import sys
sys.path.insert(0, {folder!r})
def test_loads_it():
    from shown import Otter
def test_uses_it():
    from shown import Otter
    assert Otter().sleep() == 2
"""


def test_what_a_module_declares_is_the_line_of_no_test_alone(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(
        "class Otter:\n    naps = 2\n    def sleep(self):\n        return self.naps\n"
    )
    test = tmp_path / "test_shown.py"
    test.write_text(_TWO_TESTS.format(folder=str(tmp_path)))
    written = tmp_path / "tests.json"

    assert run([str(test)], LineRecorder(tmp_path, written)) == "survived"

    lines = {each.name.rpartition("::")[2]: each.lines for each in read_recorded(written)}
    assert lines["test_loads_it"].get("shown.py", frozenset()) == frozenset()
    assert lines["test_uses_it"]["shown.py"] == {3, 4}


def test_a_mutant_is_shown_to_the_tests_that_could_notice_it_the_quickest_first() -> None:
    tests = [
        TimedTest(name=name, seconds=seconds, cpu_seconds=0, lines={path: frozenset(lines)})
        for name, seconds, path, lines in (
            *(("slow", 2.0, "a.py", {1, 2}), ("quick", 1.0, "a.py", {2, 3})),
            *(("other", 3.0, "b.py", {1}),),
        )
    ]

    shown = {
        (path, line): [test.name for test in covering(tests, path, line)]
        for path, line in (("a.py", 1), ("a.py", 2), ("a.py", 9), ("only_declares.py", 1))
    }

    assert shown == {
        ("a.py", 1): ["slow"],
        ("a.py", 2): ["quick", "slow"],
        ("a.py", 9): ["quick", "slow", "other"],
        ("only_declares.py", 1): ["quick", "slow", "other"],
    }


# With results of its own: what is known to be dead is not tried again.
_TRIES_ONE = """
import sys
from pathlib import Path
from tools import mutants
mutants.RESULTS = Path(sys.argv.pop())
mutants.main()
"""


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_a_run_that_is_stopped_leaves_no_process(signal_: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TRIES_ONE, "redaction", "--budget", "1"]
    with subprocess.Popen(
        [*command, str(tmp_path / "mutants.json")],
        cwd=PACKAGE.parents[1],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        # One that runs tests, in a session of its own that no signal of a terminal reaches.
        started = wait_until(lambda: _children(running.pid))
        running.send_signal(signal_)
        running.wait(PATIENCE)

    assert [_is_running(process) for process in started] == [False] * len(started)


def _children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()
