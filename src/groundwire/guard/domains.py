"""Host names in their one ASCII form, and domain lists: which hosts may be visited."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import idna

from groundwire.errors import DomainNotAllowedError, SettingsError
from groundwire.guard.addresses import address_problem

if TYPE_CHECKING:
    from groundwire.guard.urls import WebUrl

REDIRECT_HOST = "vertexaisearch.cloud.google.com"
"""Google names its sources by redirects of this host."""
LIBRARY_HOST = "library.test"
"""The host of the library's files that are published nowhere: no network answers for it."""

MAX_NAME_LENGTH = 253

_HOST_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
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
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_SHOWN_ENTRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainPolicy:
    """The hosts that may be visited; with nothing allowed, none may.

    `example.com` covers itself and its subdomains, `*.example.com` only the subdomains, `*` the
    whole web. A blocked entry wins over an allowed one. Entries are kept in lower-case ASCII; one
    that `domain_problem` objects to raises SettingsError, because a blocked entry that matches
    nothing would let everything pass.
    """

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("allowed", "blocked"):
            entries = []
            for entry in getattr(self, field):
                written = entry if entry.isascii() else _ascii_entry(entry) or entry
                if problem := domain_problem(written):
                    raise SettingsError(f"{field} domains", problem)
                entries.append(written.lower())
            object.__setattr__(self, field, tuple(entries))

    @property
    def is_open(self) -> bool:
        """Tell whether the whole web is allowed and nothing is blocked."""
        return "*" in self.allowed and not self.blocked

    @property
    def words(self) -> str:
        """Return what is allowed and blocked, for people; of long lists their beginning."""
        allowed = "everything" if "*" in self.allowed else _listed(self.allowed) or "nothing"
        return f"{allowed} but {_listed(self.blocked)}" if self.blocked else allowed

    @property
    def reason(self) -> str:
        """Return why a source is outside, in the words of whoever set the lists."""
        return f"only {self.words} is allowed in this workspace"

    def permits(self, host: str) -> bool:
        """Tell whether a host may be visited."""
        name = ascii_name(host)
        if not name or "" in name.split("."):
            return False
        return _covering(self.allowed, name) is not None and _covering(self.blocked, name) is None

    def permits_source(self, url: str, domain: str = "") -> bool:
        """Tell whether an answer may name a URL as its source; a provider's filter is no proof.

        Google names its sources by a redirect of its own; then `domain` is where it leads.
        """
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme not in ("http", "https"):
            return False
        return self.permits(domain if host == REDIRECT_HOST and not self.is_open else host)

    def narrowed(self, wish: DomainPolicy) -> DomainPolicy:
        """Return what both policies permit; with nothing in common, nothing is allowed.

        The one way in which the lists of settings, a workspace, a message and a call come
        together: allowed is what all allow, blocked is what any blocks.
        """
        if self.is_open and wish.is_open:
            return self
        ours = [entry for entry in self.allowed if _covered(wish.allowed, entry)]
        theirs = [entry for entry in wish.allowed if _covered(self.allowed, entry)]
        blocked = tuple(dict.fromkeys([*self.blocked, *wish.blocked]))
        common = dict.fromkeys([*theirs, *ours])
        return DomainPolicy(
            allowed=tuple(entry for entry in common if not _covered(blocked, entry)),
            blocked=blocked,
        )

    def check(self, url: WebUrl) -> None:
        """Check the host of a URL.

        Raises:
            DomainNotAllowedError: The host may not be visited.
        """
        if self.permits(url.host):
            return
        raise DomainNotAllowedError(str(url), url.host, self._objection(url.host))

    def _objection(self, host: str) -> str:
        if entry := _covering(self.blocked, host):
            return f"{host} is among the blocked domains ({entry})"
        if not self.allowed:
            return f"no domain is allowed: add {host} to the allowed domains"
        return f"{host} is not among the allowed domains ({_listed(self.allowed)})"


def _listed(entries: tuple[str, ...]) -> str:
    more = len(entries) - _SHOWN_ENTRIES
    rest = f" and {more} more" if more > 0 else ""
    return ", ".join(entries[:_SHOWN_ENTRIES]) + rest


def domain_problem(entry: str) -> str | None:
    """Return why an entry may not stand in a domain list, or None if it may."""
    if entry == "*":
        return None
    problem = next((problem for rule in _RULES if (problem := rule(entry))), None)
    return f"{entry!r} {problem}" if problem else None


def _ascii_entry(entry: str) -> str | None:
    star = "*." if entry.startswith("*.") else ""
    name = ascii_name(entry.removeprefix("*."))
    return star + name if name else None


def _covering(entries: Iterable[str], name: str) -> str | None:
    """Return the first entry that covers a name, or None."""
    for entry in entries:
        if entry in ("*", name) or name.endswith("." + entry.removeprefix("*.")):
            return entry
    return None


def _covered(entries: Iterable[str], entry: str) -> bool:
    """Tell whether everything that an entry stands for is within a list."""
    name = entry.removeprefix("*.")
    for each in entries:
        # `*.a.org` lies within itself and within `a.org`, but `a.org` not within `*.a.org`.
        if each in ("*", entry) or name.endswith("." + each.removeprefix("*.")):
            return True
        if entry.startswith("*.") and name == each:
            return True
    return False


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
    bad = next((label for label in labels if not _HOST_LABEL.fullmatch(label)), None)
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


def _emptiness(entry: str) -> str | None:
    return None if entry else "is empty: write a domain such as example.com"


def _whitespace(entry: str) -> str | None:
    found = any(character.isspace() for character in entry)
    return "contains white space: write one domain per entry" if found else None


def _scheme(entry: str) -> str | None:
    _, mark, rest = entry.partition("://")
    return f"has a scheme: write {rest.partition('/')[0] or 'example.com'}" if mark else None


def _path(entry: str) -> str | None:
    host = re.split(r"[/?#]", entry)[0]
    return f"has a path: write {host or 'example.com'}" if host != entry else None


def _address(entry: str) -> str | None:
    try:
        ip_address(entry.strip("[]"))
    except ValueError:
        return "ends in a number, as only addresses do" if ends_in_number(entry.lower()) else None
    return "is an IP address: only names can be listed"


def _port(entry: str) -> str | None:
    host, mark, _ = entry.partition(":")
    return f"has a port: write {host or 'example.com'}" if mark else None


def _script(entry: str) -> str | None:
    if entry.isascii():
        return None
    written = _ascii_entry(entry)
    return f"is not ASCII: write {written}" if written else "is not ASCII and not a valid name"


def _star(entry: str) -> str | None:
    if "*" not in entry.removeprefix("*."):
        return None
    return "has a * elsewhere than in front: write *.example.com"


def _labels(entry: str) -> str | None:
    name = entry.lower().removeprefix("*.")
    labels = name.split(".")
    for label in labels:
        if label.startswith("-") or label.endswith("-"):
            return f"has the part {label!r}, which begins or ends with a hyphen"
        if not _LABEL.fullmatch(label):
            return f"is not a domain: {label_problem(label)}"
    if len(name) > MAX_NAME_LENGTH:
        return f"is longer than {MAX_NAME_LENGTH} characters"
    return "is a single word: write a whole domain such as example.com" if len(labels) < 2 else None


_RULES = (
    _emptiness,
    _whitespace,
    _scheme,
    _path,
    _address,
    _port,
    _script,
    _star,
    _labels,
)

# Last, because making it runs the rules above.
ANYWHERE = DomainPolicy(allowed=("*",))
