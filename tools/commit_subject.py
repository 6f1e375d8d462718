"""Checks a commit message: `python -m tools.commit_subject FILE`, for the hook `commit-msg`."""

from __future__ import annotations

import sys
from pathlib import Path

LONGEST_SUBJECT = 71


def problems(message: str) -> list[str]:
    """Return what is wrong with a message, in words; lines that begin with # are git's own."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].strip() if lines else ""
    found = []
    if not subject:
        found.append("the message is empty: say in the first line what the commit does")
    if len(subject) > LONGEST_SUBJECT:
        found.append(
            f"the subject has {len(subject)} characters, {LONGEST_SUBJECT} at most: "
            "give the why a body of its own"
        )
    if subject.endswith("."):
        found.append("the subject ends with a full stop: leave it out")
    if len(lines) > 1 and lines[1].strip():
        found.append("the second line is not empty: subject and body are a blank line apart")
    return found


def main() -> int:
    """Print what is wrong with the message in a file; the exit code is 1 if anything is."""
    found = problems(Path(sys.argv[1]).read_text())
    for problem in found:
        sys.stderr.write(f"{problem}\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
