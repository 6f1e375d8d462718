"""Where a URL leads: its addresses, and what becomes of it over a chain of redirects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

from groundwire.errors import UrlRefusedError
from groundwire.guard.addresses import address_problem
from groundwire.guard.urls import WebUrl, follow, parse

MAX_REDIRECTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a URL would be opened, and why."""

    url: str
    verdict: Literal["allow", "block"]
    reason: str


def check_answers(url: WebUrl, addresses: Sequence[str]) -> None:
    """Check every address that a look-up gave; one that is not public spoils all the others.

    Names with public and inner addresses are how rebinding begins, so none is picked out.

    Raises:
        UrlRefusedError: There is no address, or one of them is not public.
    """
    if not addresses:
        raise UrlRefusedError(str(url), f"{url.host} has no address")
    for address in addresses:
        if problem := address_problem(address):
            raise UrlRefusedError(str(url), f"{url.host} leads inward: {problem}")


def judge(
    url: str,
    *,
    resolve: Callable[[str], Sequence[str]],
    redirects: Sequence[str] = (),
    loops: bool = False,
) -> Verdict:
    """Walk a URL and its redirects as the client does, and say how that ends.

    `resolve` gives the addresses of a name, none if it has none; it is asked once per hop.
    `redirects` are the Location headers met on the way; with `loops` they come again for ever.
    """
    try:
        addresses = _walk(url, resolve, cycle(redirects) if loops else redirects)
    except UrlRefusedError as error:
        return Verdict(url=url, verdict="block", reason=error.reason)
    noun = "address" if len(addresses) == 1 else "addresses"
    return Verdict(url=url, verdict="allow", reason=f"public {noun} {', '.join(addresses)}")


def _walk(
    url: str, resolve: Callable[[str], Sequence[str]], redirects: Iterable[str]
) -> Sequence[str]:
    """Return the addresses of the last hop."""
    target = parse(url)
    addresses = _checked_addresses(target, resolve)
    for number, location in enumerate(redirects, start=1):
        if number > MAX_REDIRECTS:
            raise UrlRefusedError(str(target), f"too many redirects (more than {MAX_REDIRECTS})")
        try:
            target = follow(target, location)
            addresses = _checked_addresses(target, resolve)
        except UrlRefusedError as error:
            reason = f"it redirects to {error.url!r}: {error.reason}"
            raise UrlRefusedError(error.url, reason) from error
    return addresses


def _checked_addresses(url: WebUrl, resolve: Callable[[str], Sequence[str]]) -> Sequence[str]:
    if url.is_address:
        return (url.host,)
    addresses = resolve(url.host)
    check_answers(url, addresses)
    return addresses
