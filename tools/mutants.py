"""Does what tests should notice, one change at a time, and lists what they did not.

    python -m tools.mutants [ROOM …] [--budget 40] [--seed 25] [--tell] [--write] [--again]

The tests of a room are run once without any change, to see which run which lines. Each mutant is
run in a process forked from one that has loaded what others wrote, with the tests that run its
line, the quickest first; it dies by the first that fails. Kept in `.mutants.json` is what became of
each, so a run that was stopped goes on. A limit of CPU, not of time, ends a mutant that loops.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from tools.covering_tests import LineRecorder, TestSelection, TimedTest, covering, read_recorded
from tools.leftover_processes import end_all
from tools.mutations import Mutant, mutants

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "groundwire"
RESULTS = ROOT / ".mutants.json"
ACCEPTED = ROOT / "tools" / "accepted_mutants.json"
PAGE = ROOT / "docs" / "mutants.md"
PATIENCE_SECONDS = 120
WANTED = 0.95

ROOMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "guard": (("guard/addresses.py", "guard/urls.py"), ("tests/guard",)),
    "policy": (
        ("guard/domains.py", "guard/verdicts.py"),
        ("tests/guard", "tests/chat/test_policy.py", "tests/chat/test_domain_lists.py"),
    ),
    "access": (
        ("web/access.py", "web/passwords.py", "web/login_limits.py", "service/actor.py"),
        (
            "tests/web/test_access.py",
            "tests/web/test_callers.py",
            "tests/web/test_passwords.py",
            "tests/web/test_login_limits.py",
            "tests/web/test_access_table.py",
            "tests/web/test_tokens.py",
            "tests/servers/test_shared_limits.py",
        ),
    ),
    "citations": (("citations/*.py",), ("tests/citations",)),
    "checks": (("checks/*.py",), ("tests/checks",)),
    "redaction": (
        ("redaction.py",),
        ("tests/test_redaction.py", "tests/security/test_found_faults.py"),
    ),
    "store": (("store/*.py",), ("tests/store",)),
    "client": (
        ("client/*.py",),
        (
            "tests/client",
            "tests/adapters",
            "tests/evidence/test_replay.py",
            "tests/providers/test_embeddings.py",
            "tests/search/test_replayed_pages.py",
            "tests/servers/test_shared_limits.py",
        ),
    ),
}
"""By room, which files of the package are changed, and which tests should notice."""

_LEFT_OUT = ("store/tables.py", "store/migrations", "tests/citations/test_cost.py")
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_OURS = ("groundwire", "tests")
_OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A mutant, and where it is."""

    room: str
    path: str
    mutant: Mutant

    @property
    def name(self) -> str:
        """Return what it is called in the list of those that are accepted."""
        return f"{self.path} {self.mutant.name}"


def candidates(room: str) -> list[Candidate]:
    """Return all mutants of a room."""
    patterns, _ = ROOMS[room]
    paths = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    found = []
    for path in paths:
        place = path.relative_to(PACKAGE).as_posix()
        if place not in _LEFT_OUT:
            found += [
                Candidate(room=room, path=place, mutant=each)
                for each in mutants(path.read_text("utf-8"))
            ]
    return found


def sample(room: str, budget: int, seed: int) -> list[Candidate]:
    """Return as many of a room as the budget allows: with a larger one, these and more.

    Which those are hangs on the names of each alone, so another line of code moves no other.
    """
    return sorted(candidates(room), key=lambda each: _digest(f"{seed} {each.name}"))[:budget]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads another source than the file has."""

    changed = ""

    def get_code(self, fullname: str) -> CodeType:
        """Compile what was changed, and keep no bytecode of it."""
        return compile(self.changed, self.get_filename(fullname), "exec", dont_inherit=True)


class _Finder:
    """Finds the one module that is changed, before anyone else does."""

    def __init__(self, path: str, source: str) -> None:
        parts = ("groundwire", *Path(path).with_suffix("").parts)
        self._name = ".".join(part for part in parts if part != "__init__")
        self._file = str(PACKAGE / path)
        self._source = source

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where the module comes from, None for all others."""
        del path, target
        if name != self._name:
            return None
        loader = _Loader(name, self._file)
        loader.changed = self._source
        return importlib.util.spec_from_file_location(name, self._file, loader=loader)


def run(
    tests: Sequence[str],
    plugin: LineRecorder | TestSelection,
    finder: _Finder | None = None,
    *,
    cpu_seconds: int = 3600,
    patience_seconds: float = 3600,
) -> str:
    """Run tests in a process of their own; return what became of it."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        # PostgreSQL, which does not run as root, has its files in there.
        Path(folder).chmod(0o755)
        reading, writing = os.pipe()
        # Who is told to stop ends what was started: not before it is known.
        unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        pid = os.fork()
        if not pid:
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
            os.close(reading)
            tempfile.tempdir = os.environ["TMPDIR"] = folder
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
            os._exit(_child(tests, plugin, finder))
        # By us, not by the child: a group that is to be killed must be there already.
        os.setpgid(pid, pid)
        os.close(writing)
        is_over: list[int] = []
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
            is_over, _, _ = select.select([reading], [], [], patience_seconds)
        finally:
            if not is_over:
                os.killpg(pid, signal.SIGKILL)
            os.close(reading)
            _, status = os.waitpid(pid, 0)
            end_all(folder)
    if not is_over or os.WIFSIGNALED(status):
        return "timeout"
    return {0: "survived", 5: "untested"}.get(os.WEXITSTATUS(status), "killed")


def _child(
    tests: Sequence[str], plugin: LineRecorder | TestSelection, finder: _Finder | None
) -> int:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    if finder:
        sys.meta_path.insert(0, finder)
    return int(pytest.main([*_OPTIONS, *_left_out(), *tests], plugins=[plugin]))


def _left_out() -> list[str]:
    return [f"--ignore={path}" for path in _LEFT_OUT if path.startswith("tests/")]


def _load(tests: Sequence[str]) -> None:
    """Load all that these tests need, and forget again what is ours: that may be changed."""
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["--collect-only", "-n", "0", "-p", "no:cacheprovider", *tests])
    for name in list(sys.modules):
        if name.partition(".")[0] in _OURS:
            del sys.modules[name]


def _record(room: str) -> list[TimedTest]:
    """Run the tests of a room without any change; return which lines each runs."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "tests.json"
        state = run(ROOMS[room][1], LineRecorder(PACKAGE, written))
        if state != "survived":
            sys.exit(f"the tests of {room} do not pass without any change")
        tests = read_recorded(written)
    in_order = TestSelection(sorted(tests, key=lambda test: test.seconds))
    if run(ROOMS[room][1], in_order) != "survived":
        sys.exit(f"the tests of {room} do not pass with the quickest first")
    return tests


def _key(candidate: Candidate) -> str:
    return f"{candidate.room} {candidate.name} {_digest(candidate.mutant.source)[:16]}"


def _try_all(room: str, chosen: list[Candidate], known: dict[str, str]) -> None:
    """Try those of a room that are not dead yet, and keep what came of each at once."""
    new = [each for each in chosen if known.get(_key(each)) not in ("killed", "timeout")]
    if not new:
        return
    _load(ROOMS[room][1])
    tests = _record(room)
    for number, each in enumerate(new, 1):
        began = time.monotonic()
        state = _try(each, covering(tests, each.path, each.mutant.line))
        known[_key(each)] = state
        _keep(_key(each), state)
        took = time.monotonic() - began
        sys.stderr.write(f"{room} {number}/{len(new)} {state} {took:.0f} s {each.name}\n")


def _keep(key: str, state: str) -> None:
    """Write down what became of one, beside what another run wrote meanwhile."""
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    new = RESULTS.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(kept | {key: state}, indent=1, ensure_ascii=False), "utf-8")
    new.replace(RESULTS)


def _try(candidate: Candidate, tests: list[TimedTest]) -> str:
    """Return what becomes of a mutant by these tests; those near by, which load less, are first."""
    folder = f"tests/{candidate.path.partition('/')[0]}/"
    near = [test for test in tests if test.name.startswith(folder)]
    state = "untested"
    for some in (near, [test for test in tests if test not in near]):
        if some and state not in ("killed", "timeout"):
            state = _shown_to(some, candidate)
    return state


def _shown_to(tests: list[TimedTest], candidate: Candidate) -> str:
    files = dict.fromkeys(test.name.partition("::")[0] for test in tests)
    return run(
        list(files),
        TestSelection(tests),
        _Finder(candidate.path, candidate.mutant.source),
        cpu_seconds=20 + int(4 * sum(test.cpu_seconds for test in tests)),
        patience_seconds=PATIENCE_SECONDS + 4 * sum(test.seconds for test in tests),
    )


def _page(rooms: dict[str, dict[str, str]], accepted: dict[str, str], seed: int) -> str:
    """Return the table of what came of them, and the list of those that live."""
    lines = [(PAGE.read_text("utf-8").partition("\n## Figures")[0]).rstrip(), "", "## Figures", ""]
    lines += [f"Seed {seed}.", "", "| room | mutants | died | accepted | live | share |"]
    lines += ["|---|--:|--:|--:|--:|--:|"]
    living = []
    for room, states in rooms.items():
        live = [name for name, state in states.items() if state in ("survived", "untested")]
        taken = [name for name in live if name in accepted]
        died = len(states) - len(live)
        share = died / max(1, len(states) - len(taken))
        rest = len(live) - len(taken)
        lines.append(f"| {room} | {len(states)} | {died} | {len(taken)} | {rest} | {share:.0%} |")
        living += [f"- {name}" for name in live if name not in accepted]
    lines += ["", "Live, and not accepted:", "", *(living or ["- none"]), "", "Accepted:", ""]
    lines += [f"- {name}: {reason}" for name, reason in accepted.items()] or ["- none"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try mutants, tell what came of them, and fail where too many live."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--budget", type=int, default=40, help="how many of each room")
    parser.add_argument("--seed", type=int, default=25, help="which of them")
    parser.add_argument("--again", action="store_true", help="forget what came of them before")
    parser.add_argument("--tell", action="store_true", help="try none, tell of those tried before")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    given = parser.parse_args()
    if unknown := set(given.rooms) - set(ROOMS):
        parser.error(f"no such room: {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}")
    if given.again:
        RESULTS.unlink(missing_ok=True)
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    accepted: dict[str, str] = json.loads(ACCEPTED.read_text("utf-8"))
    found: dict[str, dict[str, str]] = {}
    # As Ctrl-C does: what was started is ended first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    for room in given.rooms or ROOMS:
        chosen = sample(room, given.budget, given.seed)
        if not given.tell:
            _try_all(room, chosen, known)
        found[room] = {each.name: known[_key(each)] for each in chosen if _key(each) in known}
    page = _page(found, accepted, given.seed)
    if given.write:
        PAGE.write_text(page, "utf-8")
    sys.stdout.write(page.partition("## Figures\n\n")[2])
    states = {name: state for each in found.values() for name, state in each.items()}
    counted = [state for name, state in states.items() if name not in accepted]
    died = sum(state in ("killed", "timeout") for state in counted)
    sys.exit(0 if died >= WANTED * len(counted) else 1)


if __name__ == "__main__":
    main()
