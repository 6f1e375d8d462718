"""What it costs to start: a command that prints its help, and an import, ours and the peers'.

    python -m bench.startup [--quick] [--json]

Each is a process of its own, from its start to its end; the figure is the CPU time that the
system counted for it, the least of several rounds that take turns. The modules are those that
were imported beyond what an empty program has. Every environment has compiled its files before:
the first round is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.environments import LITELLM, LLM, OURS, PEERS, ROOT, Environment

ROUNDS = 8
EMPTY = "python -c pass"
_COUNT = "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr))"
_COMMAND = "import runpy, sys; sys.argv = {words!r}; runpy.run_path({path!r}, run_name='__main__')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A program to start in an environment; a `command` is one of its scripts."""

    environment: Environment
    code: str = "pass"
    command: str = ""

    @property
    def words(self) -> list[str]:
        """Return how it is started."""
        if self.command:
            return [str(self.environment.scripts / self.command), "--help"]
        return [str(self.environment.python), "-c", self.code]

    @property
    def counting(self) -> list[str]:
        """Return how it is started to say how many modules it imported."""
        path = str(self.environment.scripts / self.command)
        code = _COMMAND.format(words=[path, "--help"], path=path) if self.command else self.code
        return [str(self.environment.python), "-c", f"{_COUNT}\n{code}"]


STARTS = {
    EMPTY: Start(environment=OURS),
    "groundwire --help": Start(environment=OURS, command="groundwire"),
    "llm --help": Start(environment=LLM, command="llm"),
    "import groundwire": Start(environment=OURS, code="import groundwire"),
    "from groundwire import *": Start(environment=OURS, code="from groundwire import *"),
    "import openai": Start(environment=PEERS, code="import openai"),
    "import anthropic": Start(environment=PEERS, code="import anthropic"),
    "import google.genai": Start(environment=PEERS, code="import google.genai"),
    "import pydantic_ai": Start(environment=PEERS, code="import pydantic_ai"),
    "import litellm": Start(environment=LITELLM, code="import litellm"),
}


def started(words: Sequence[str]) -> float:
    """Run a program to its end and return its CPU seconds."""
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=_quiet()
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{said.decode()[-2000:]}")
    return used.ru_utime + used.ru_stime


def modules(start: Start) -> int:
    """Return how many modules a program has imported at its end."""
    done = subprocess.run(
        start.counting, capture_output=True, text=True, cwd=ROOT, env=_quiet(), check=True
    )
    return int(done.stderr.split()[-1])


def _quiet() -> dict[str, str]:
    # LiteLLM would ask the network when it is imported.
    return {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def measure(rounds: int) -> dict[str, Any]:
    """Return the figures of all that are installed, None for the others."""
    there = {name: start for name, start in STARTS.items() if start.environment.python.exists()}
    runs: dict[str, list[float]] = {name: [] for name in there}
    for number in range(rounds + 1):
        for name, start in there.items():
            spent = started(start.words)
            if number:
                runs[name].append(spent)
    empty = modules(STARTS[EMPTY])
    return dict.fromkeys(STARTS) | {
        name: {
            "cpu_seconds": min(runs[name]),
            "modules": modules(start) - empty,
        }
        for name, start in there.items()
    }


def show(figures: dict[str, Any]) -> None:
    for name, figure in figures.items():
        if figure is None:
            print(f"{name:26} not installed")
            continue
        milliseconds = figure["cpu_seconds"] * 1000
        print(f"{name:26} {milliseconds:8.1f} ms  {figure['modules']:5} modules")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two rounds")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    figures = measure(2 if given.quick else ROUNDS)
    print(json.dumps(figures)) if given.json else show(figures)


if __name__ == "__main__":
    main()
