"""URLs of the public web: one strict parser, and redirects that cannot change the host unseen."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from groundwire.errors import UrlRefusedError
from groundwire.guard.addresses import address_problem
from groundwire.guard.domains import (
    ascii_name,
    ends_in_number,
    ipv4_problem,
    ipv6_literal,
    name_problem,
)

MAX_URL_LENGTH = 2048
WEB_PORTS = frozenset({80, 443, 8080, 8443})
ANY_PORT = frozenset(range(1, 65_536))
"""For addresses that are only compared or kept, and never opened."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
# Letters are spelled out: under IGNORECASE without ASCII, `s` also matches U+017F.
_WEB_URL = re.compile(
    r"(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?)://"
    r"(?P<authority>[^/?#]*)(?P<path_and_query>[^#]*)(?:#.*)?",
    re.ASCII | re.DOTALL,
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_BRACKETED = re.compile(r"\[(?P<host>[^\[\]]*)\](?::(?P<port>.*))?", re.DOTALL)
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_NEVER = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff]")
# A percent sign stays only where it begins an escape, so that encoding twice changes nothing.
_TO_ENCODE = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9._~!$&'()*+,;=:@/?%-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUrl:
    """A URL that passed the parser; `str()` is the only spelling that may be fetched.

    `host` is ASCII in lower case, without final dot, an IPv6 address without brackets.
    `path_and_query` begins with a slash and is percent-encoded.
    """

    scheme: str
    host: str
    port: int
    path_and_query: str

    @property
    def is_address(self) -> bool:
        """Tell whether the host is an IP address, so that there is nothing to look up."""
        return ":" in self.host or self.host.rpartition(".")[2].isdigit()

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path_and_query}"


def parse(url: str, *, ports: AbstractSet[int] = WEB_PORTS) -> WebUrl:
    """Return the parts of a URL whose host can be on the public web.

    Raises:
        UrlRefusedError: The URL is malformed, ambiguous, or leads inward.
    """
    _refuse(url, _text_problem(url))
    parts = _WEB_URL.fullmatch(url)
    if parts is None:
        raise UrlRefusedError(url, _scheme_problem(url))
    scheme = parts["scheme"].lower()
    host, port_text = _split_authority(url, parts["authority"])
    port = _port(url, port_text) if port_text else _DEFAULT_PORTS[scheme]
    if port not in ports:
        raise UrlRefusedError(url, f"port {port} is not a web port ({_listed(ports)})")
    path_and_query = _encoded(parts["path_and_query"])
    if not path_and_query.startswith("/"):
        path_and_query = "/" + path_and_query
    result = WebUrl(scheme=scheme, host=host, port=port, path_and_query=path_and_query)
    _refuse(url, _length_problem(str(result)))
    return result


def follow(base: WebUrl, location: str, *, ports: AbstractSet[int] = WEB_PORTS) -> WebUrl:
    """Return the target of a redirect.

    A Location with a scheme, or one that begins with two slashes, is parsed like any other URL.
    All others are paths, queries or fragments: they are resolved as RFC 3986 says, and scheme,
    host and port are copied from the base without being read again, so they cannot change.

    Raises:
        UrlRefusedError: The target may not be opened.
    """
    _refuse(location, _text_problem(location))
    if _SCHEME.match(location):
        return parse(location, ports=ports)
    if location.startswith("//"):
        return parse(f"{base.scheme}:{location}", ports=ports)
    reference = _encoded(location.partition("#")[0])
    result = replace(base, path_and_query=_resolved(base.path_and_query, reference))
    _refuse(location, _length_problem(str(result)))
    return result


def _refuse(url: str, problem: str | None) -> None:
    if problem is not None:
        shown = url if len(url) <= MAX_URL_LENGTH else f"{url[:80]}…"
        raise UrlRefusedError(shown, problem)


def _text_problem(url: str) -> str | None:
    if length := _length_problem(url):
        return length
    never = _NEVER.search(url)
    if never is None:
        return None
    match never[0]:
        case " ":
            return "it contains a space"
        case "\\":
            return "it contains a backslash"
        case character if "\ud800" <= character <= "\udfff":
            return "it contains half a character (a lone surrogate)"
        case character:
            return f"it contains the control character U+{ord(character):04X}"


def _length_problem(url: str) -> str | None:
    if len(url) <= MAX_URL_LENGTH:
        return None
    return f"it is longer than {MAX_URL_LENGTH:,} characters"


def _scheme_problem(url: str) -> str:
    scheme = _SCHEME.match(url)
    if scheme is None:
        return "it does not begin with http:// or https://"
    if scheme[1].lower() in _DEFAULT_PORTS:
        return f"two slashes must follow {scheme[0]}"
    return f"only http and https pages are opened, not {scheme[1].lower()}"


def _split_authority(url: str, authority: str) -> tuple[str, str]:
    """Return the checked host and the text of the port, "" if there is none."""
    if "@" in authority:
        raise UrlRefusedError(url, "it carries a user name or password")
    if "%" in authority:
        raise UrlRefusedError(url, "its host contains a percent sign")
    if not authority.startswith("["):
        written, _, port = authority.partition(":")
        return _named_host(url, written), port
    bracketed = _BRACKETED.fullmatch(authority)
    host = ipv6_literal(bracketed["host"]) if bracketed else None
    if bracketed is None or host is None:
        raise UrlRefusedError(url, "its host is not an IPv6 address in brackets")
    _refuse(url, address_problem(host))
    return host, bracketed["port"] or ""


def _named_host(url: str, written: str) -> str:
    if not written:
        raise UrlRefusedError(url, "it names no host")
    name = ascii_name(written)
    if name is None:
        raise UrlRefusedError(url, f"{written!r} is not a valid international host name")
    _refuse(url, ipv4_problem(written) if ends_in_number(name) else name_problem(name))
    return name


def _port(url: str, text: str) -> int:
    if not _PORT.fullmatch(text):
        raise UrlRefusedError(url, f"{text!r} is not a port number")
    return int(text)


def _listed(ports: AbstractSet[int]) -> str:
    *others, last = [str(port) for port in sorted(ports)]
    return f"{', '.join(others)} or {last}" if others else last


def _encoded(text: str) -> str:
    return _TO_ENCODE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)


def _resolved(base: str, reference: str) -> str:
    """Return the path and query that a relative reference means from a base path and query."""
    base_path, _, _ = base.partition("?")
    path, mark, query = reference.partition("?")
    if not path:
        return base_path + mark + query if mark else base
    if not path.startswith("/"):
        path = base_path[: base_path.rindex("/") + 1] + path
    return _without_dots(path) + mark + query


def _without_dots(path: str) -> str:
    """Remove `.` and `..` segments; `..` at the root stays at the root."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
