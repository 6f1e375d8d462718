"""Asks an installed Groundwire the demo's first question, and fails if it reaches another machine.

`python first_question.py VERSION FOLDER`: run by `make release` in an environment of its own.
"""

from __future__ import annotations

import asyncio
import ipaddress
import sys
from pathlib import Path

import groundwire
from groundwire.demo import LIBRARIAN, QUESTIONS, demonstration


def refuse_others(event: str, arguments: tuple[object, ...]) -> None:
    """Let nothing connect anywhere but to this machine; an audit hook, which nothing removes."""
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else "127.0.0.1"  # a path: a Unix socket
        if not ipaddress.ip_address(str(host)).is_loopback:
            raise RuntimeError(f"the demo is offline, and connects to {address!r}")


async def main(version: str, folder: Path) -> None:
    """Print the cited answer to the first question."""
    if groundwire.__version__ != version:
        raise SystemExit(f"this is {groundwire.__version__}, not {version}")
    sys.addaudithook(refuse_others)
    async with demonstration(folder) as demo:
        answer = await demo.program.ask(QUESTIONS[0], agent=LIBRARIAN)
    if not answer.sources or answer.incomplete:
        raise SystemExit(f"no whole answer: {answer!r} {answer.incomplete}")
    sys.stdout.write(f"{QUESTIONS[0]}\n\n{answer}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
