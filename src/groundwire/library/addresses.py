"""The addresses of documents: what a search returns, a reader opens and an answer cites.

A file's own address, `file:///home/…`, says where on whose machine it lies, and no reader opens
it. So every file gets an address of the web: under the URL where its folder is published, if that
is given, else under a host that no network answers for (RFC 6761 keeps `.test` free). Such a page
can be had from the library alone; no other reader is asked for it (`search/read_chain.py`).
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from pathlib import PurePosixPath
from urllib.parse import quote

from groundwire import guard
from groundwire.citations import canonical_url
from groundwire.errors import SettingsError, UrlRefusedError
from groundwire.guard.domains import LIBRARY_HOST

HOST = LIBRARY_HOST

# No collection has a name that begins so.
_REDIRECT = f"https://{HOST}/_redirect/"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def own_base(collection: str) -> str:
    """Return the address of a collection that is published nowhere."""
    return f"https://{HOST}/{collection}/"


def checked_base(base_url: str) -> str:
    """Return the address of a folder, with a slash at its end.

    Raises:
        SettingsError: It is none.
    """
    problem = "it may have no ? and no #: paths are added to its end"
    if "?" not in base_url and "#" not in base_url:
        try:
            return str(guard.parse(base_url, ports=guard.ANY_PORT)).rstrip("/") + "/"
        except UrlRefusedError as error:
            problem = error.reason
    raise SettingsError("base URL", f"{base_url!r} cannot be one: {problem}")


def url_of(base_url: str, path: PurePosixPath) -> str:
    """Return the address of a file of a collection.

    Raises:
        UrlRefusedError: It would be too long to be opened.
    """
    return str(guard.parse(base_url + quote(str(path)), ports=guard.ANY_PORT))


def redirect_to(url: str) -> str:
    """Return an address that leads to a document without naming it, as some providers cite."""
    return _REDIRECT + urlsafe_b64encode(url.encode()).decode().rstrip("=")


def target_of(url: str) -> str:
    """Return where an address of `redirect_to` leads, "" for any other address."""
    if not url.startswith(_REDIRECT):
        return ""
    packed = re.split("[?#]", url.removeprefix(_REDIRECT), maxsplit=1)[0]
    try:
        return urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
    except (Error, UnicodeError, ValueError):
        return ""


def key_of(url: str) -> str:
    """Return what is the same for all spellings of an address."""
    url = target_of(url) or url
    try:
        return canonical_url(str(guard.parse(url, ports=guard.ANY_PORT)))
    except UrlRefusedError:
        return canonical_url(url)


def host_of(url: str) -> str:
    """Return the host of an address that was checked."""
    return guard.parse(url, ports=guard.ANY_PORT).host


def checked_name(name: str) -> str:
    """Return the name of a collection.

    Raises:
        SettingsError: It cannot stand in an address.
    """
    if _NAME.fullmatch(name):
        return name
    raise SettingsError(
        "name", f"{name!r} cannot name a collection: use a-z, 0-9, dots, _ and -, at most 64"
    )


def name_from(words: str) -> str:
    """Return the name of a collection made of a folder's name."""
    kept = re.sub(r"[^a-z0-9._-]+", "-", words.lower()).strip("-._")[:64]
    return kept or "files"
