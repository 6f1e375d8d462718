"""What a server is told when it is started."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundwire.guard import is_loopback
from groundwire.redaction import Secret

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """A question that an empty chat offers, and the agent by name that answers it, "" for any."""

    text: str
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoMode:
    """That the server is a demo: where its providers are simulated, and whether any is real."""

    simulated_at: str
    has_keys: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Where a server listens, who may ask it, and how much it does at once.

    `allowed_hosts` are names that clients may use for it besides its own address;
    `trusted_proxies` are addresses or networks whose forwarded headers are believed. `setup_token`
    lets in whoever makes the first user, None where nobody may. `folder` is where the processes
    of one server find one another, "" where there is only one. `head_seconds` are for the head of
    a request, `body_seconds` for each megabyte of its body. The database has `ready_seconds` to
    answer for the server to be called ready. `starters` come before those of the settings.
    """

    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    setup_token: Secret | None = field(default=None, repr=False)
    max_answers: int = 1_000
    folder: str = ""
    keep_alive_seconds: float = 15.0
    stalled_seconds: float = 60.0
    kept_seconds: float = 300.0
    head_seconds: float = 20.0
    body_seconds: float = 60.0
    ready_seconds: float = 2.0
    starters: tuple[Starter, ...] = ()
    demo: DemoMode | None = None

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def is_for_others(self) -> bool:
        """Return whether somebody besides this machine's own user is meant to reach it."""
        return not self.is_local or not all(map(is_loopback, self.allowed_hosts))
