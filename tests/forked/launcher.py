"""Hands its arguments, environment, folder and streams to the server, and ends as the program does.

It stands where the program would: a signal that it gets is passed on.
"""

import json
import os
import signal
import socket
import sys

_PASSED_ON = {
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGUSR1,
    signal.SIGUSR2,
}


def _ask(server: socket.socket) -> int:
    """Hand over, and return the process that took it."""
    request = {"words": sys.argv[2:], "variables": dict(os.environ), "folder": os.getcwd()}  # noqa: PTH109 - `pathlib` takes as long to load as all else here
    data = json.dumps(request).encode()
    socket.send_fds(server, [len(data).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(data)
    # Whoever reads or writes the other ends shall see when the command closes its own.
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return int.from_bytes(server.recv(4), "big")


def main() -> None:
    """Be there for as long as the command is, and end as it does."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        process = _ask(server)
        for number in _PASSED_ON:
            signal.signal(number, lambda got, _: os.kill(process, got))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _PASSED_ON)
        status = int.from_bytes(server.recv(4), "big")
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
