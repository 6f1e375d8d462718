"""Where a server of ours listens, and whether others can reach it."""

from __future__ import annotations

import os
import socket

from groundwire.errors import ConfigError


def listening(host: str, port: int, *, backlog: int | None = None) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free.

    Raises:
        ConfigError: The address is taken or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=backlog)
    except OSError as error:
        # The library repeats the address in its words.
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise ConfigError(f"{host}:{port}: {reason}; choose another with --port") from error
