"""Installs what a lock names, and says how far it is: `python tools/install_packages.py LOCK`.

Run by make with the Python of a new environment, so nothing but the standard library is here.
pip's own output has a line for each package and each wheel; where all goes well nobody reads it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

# Byte code is made where a module is first imported: what is never imported costs nothing.
_PIP = ("-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile")
_STARTED = re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)")
_LAST_LINES = 15


def main(lock: str) -> int:
    """Install a lock and then Groundwire itself from this folder; the exit code is pip's."""
    total = len(re.findall(r"^[\w.\[\]-]+==", Path(lock).read_text(), re.MULTILINE))
    locked = ("--require-hashes", "-r", lock)
    itself = ("--quiet", "--no-deps", "--no-build-isolation", "-e", ".")
    return _install(f"packages of {lock}", locked, total) or _install("Groundwire itself", itself)


def _install(what: str, arguments: tuple[str, ...], total: int = 0) -> int:
    """Run pip once; its output is shown only where it failed."""
    began, lines, seen = time.monotonic(), list[str](), set[str]()
    with subprocess.Popen(  # noqa: S603 - this Python, and arguments of our own
        [sys.executable, *_PIP, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as pip:
        for line in pip.stdout or ():
            lines.append(line)
            if found := _STARTED.match(line):
                seen.add(found[1])
                _show(f"{what}: {len(seen)} of at most {total}, {found[1]}")
            elif line.startswith("Installing collected packages"):
                _show(f"{what}: unpacking")
    if pip.returncode:
        sys.stderr.write("".join(["\n", *lines[-_LAST_LINES:]]))
        sys.stderr.write(f"could not install {what}: pip ended with {pip.returncode}\n")
    else:
        _show(f"{what}: done in {time.monotonic() - began:.0f} s", is_last=True)
    return pip.returncode


def _show(text: str, *, is_last: bool = False) -> None:
    """Write one line over the last one on a terminal; elsewhere only what stays."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[2K  {text}" + ("\n" if is_last else ""))
    elif is_last:
        sys.stdout.write(f"  {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
