"""Host names: their one ASCII form, and which of them are names on the public web."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import idna

from groundwire.guard.addresses import address_problem

MAX_NAME_LENGTH = 253

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_IPV6_TEXT = re.compile(r"[0-9A-Fa-f:.]+")

# What resolvers and operating systems give a meaning of their own, and what people call their
# inner networks. `test` and `example` are harmless: nobody answers for them.
_SPECIAL_NAMES = frozenset(
    {
        "alt",
        "corp",
        "home",
        "home.arpa",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "onion",
        "private",
        "svc",
    }
)


def ascii_name(written: str) -> str | None:
    """Return a name in lower-case ASCII without its final dot, or None if it has no such form."""
    if written.isascii():
        return written.lower().removesuffix(".")
    try:
        encoded = idna.encode(written, uts46=True, std3_rules=True)
    except idna.IDNAError:
        return None
    return encoded.decode("ascii").lower().removesuffix(".")


def name_problem(name: str) -> str | None:
    """Return why an ASCII name cannot be a host on the public web, or None if it can."""
    labels = name.split(".")
    if len(name) > MAX_NAME_LENGTH:
        return f"the host is longer than {MAX_NAME_LENGTH} characters"
    bad = next((label for label in labels if not _LABEL.fullmatch(label)), None)
    if bad is not None:
        return f"{name!r} is not a host name: {label_problem(bad)}"
    if special := {labels[-1], ".".join(labels[-2:])} & _SPECIAL_NAMES:
        ending = f"ends in .{min(special)}, which" if name not in special else "is a name that"
        return f"{name} {ending} is not on the public web"
    if len(labels) == 1:
        return f"{name} is a name without a dot, which only an inner network knows"
    return None


def label_problem(label: str) -> str:
    """Return what is wrong with a label that is no label."""
    if not label:
        return "there is nothing between two dots"
    if len(label) > 63:
        return f"the part {label[:12]}… is longer than 63 characters"
    return f"{label!r} has other characters than letters, digits and hyphens"


def ends_in_number(name: str) -> bool:
    """Tell whether a browser would read the name as an IPv4 address, in whatever spelling."""
    last = name.rpartition(".")[2]
    return _NUMBER.fullmatch(last) is not None or _is_foreign_number(last)


def _is_foreign_number(label: str) -> bool:
    """Tell whether a label is a number in digits that IDNA keeps, such as Thai ones.

    No domain ends so, but some programs read these digits as they read ours.
    """
    try:
        return label.startswith("xn--") and label[4:].encode("ascii").decode("punycode").isdecimal()
    except UnicodeError:
        return False


def ipv4_problem(written: str) -> str | None:
    """Return why a host that ends in a number may not be opened, or None if it may.

    Only the plain spelling is an address. Others (2130706433, 0177.1, 0x7f.1, full-width digits)
    mean different things to different programs, and nobody writes them in good faith.
    """
    try:
        canonical = str(IPv4Address(written))
    except AddressValueError:
        canonical = ""
    if canonical != written:
        return f"{written!r} is not an IPv4 address in its plain form, like 93.184.215.14"
    return address_problem(written)


def ipv6_literal(written: str) -> str | None:
    """Return the shortest spelling of an IPv6 address, or None if it is not one."""
    if not _IPV6_TEXT.fullmatch(written):
        return None
    try:
        return IPv6Address(written).compressed
    except AddressValueError:
        return None
