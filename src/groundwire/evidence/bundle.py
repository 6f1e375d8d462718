"""Bundles: WACZ files with the pages of an answer, the answer itself, and a hash of everything.

A bundle of the same answer is the same file, byte for byte: what is in it is not packed twice, and
every byte of the container follows from what it holds. So a reader can ask for exactly these bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from groundwire.errors import BundleError
from groundwire.evidence.archive import pages_list, read_archive, write_archive
from groundwire.evidence.dossier import from_json_file, to_json
from groundwire.system.files import replace_file
from groundwire.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groundwire.evidence.dossier import Dossier

MAX_FILE_BYTES = 1_000_000_000

PACKAGE, DIGEST = "datapackage.json", "datapackage-digest.json"
WARC, INDEX, PAGES = "archive/pages.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"
# In a folder: the validator of py-wacz looks for no file beside its own.
ANSWER, PAGE = "answer/answer.json", "answer/answer.html"
NAMES = (PACKAGE, DIGEST, WARC, INDEX, PAGES, ANSWER, PAGE)
"""What is in a bundle, in this order, and nothing else."""

_EPOCH = (1980, 1, 1, 0, 0, 0)


def bundle_bytes(dossier: Dossier, html: str) -> bytes:
    """Return a bundle; `html` is the answer as a page of its own.

    Raises:
        NotInstalledError: The package that writes archives is missing.
    """
    archive = write_archive(dossier.snapshots)
    files = {
        WARC: archive.warc,
        INDEX: archive.index.encode(),
        PAGES: pages_list(dossier.snapshots, dossier.title).encode(),
        ANSWER: orjson.dumps(to_json(dossier), option=orjson.OPT_INDENT_2),
        PAGE: html.encode(),
    }
    package = package_json(files, title=dossier.title, created=dossier.made_at.isoformat())
    return container({PACKAGE: package, DIGEST: digest_json(package), **files})


def write_bundle(path: Path, dossier: Dossier, html: str) -> int:
    """Write a bundle, whole or not at all, and return its size.

    Raises:
        BundleError: It cannot be written there.
    """
    body = bundle_bytes(dossier, html)
    try:
        replace_file(path, body, mode=0o644)
    except OSError as error:
        raise BundleError(f"{path} cannot be written: {error.strerror}") from error
    return len(body)


def package_json(files: Mapping[str, bytes], *, title: str, created: str) -> bytes:
    """Return the list of what is in a bundle, with hashes."""
    resources = [
        {
            "name": name.rpartition("/")[2],
            "path": name,
            "hash": f"sha256:{sha256(body).hexdigest()}",
            "bytes": len(body),
        }
        for name, body in files.items()
    ]
    package = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": title,
        "software": f"groundwire {VERSION}",
        "created": created,
        "resources": resources,
    }
    return json.dumps(package, ensure_ascii=False, indent=2).encode()


def digest_json(package: bytes) -> bytes:
    """Return what the list itself is known by."""
    found = {"path": PACKAGE, "hash": f"sha256:{sha256(package).hexdigest()}"}
    return json.dumps(found, indent=2).encode()


def container(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file of which every byte follows from what is in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as made:
        for name in NAMES:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            made.writestr(entry, files[name])
    return out.getvalue()


def read_container(path: Path) -> dict[str, bytes]:
    """Return what is in a bundle.

    Nothing is written anywhere, and nothing is unpacked: what is packed, has another name or comes
    twice is refused before it is read.

    Raises:
        BundleError: The file is no bundle, or not as it was written.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise BundleError(f"{path} is over the limit of {MAX_FILE_BYTES:,}")
        body = path.read_bytes()
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            _check_entries(file.infolist(), len(body))
            files = {each.filename: file.read(each) for each in file.infolist()}
    except (zipfile.BadZipFile, EOFError, ValueError, OverflowError, NotImplementedError) as error:
        raise BundleError(f"{path.name} is no bundle, or it is damaged: {error}") from error
    if container(files) != body:
        raise BundleError(f"{path.name} is not as it was written: its container was changed")
    return files


def _check_entries(entries: list[zipfile.ZipInfo], size: int) -> None:
    names = [each.filename for each in entries]
    for each in entries:
        if each.filename not in NAMES:
            raise BundleError(f"a bundle has no file {each.filename!r}")
        if each.compress_type != zipfile.ZIP_STORED or each.file_size > size:
            raise BundleError(f"{each.filename} is packed, which nothing in a bundle is")
    if missing := [name for name in NAMES if names.count(name) != 1]:
        raise BundleError(
            f"a bundle has one file {missing[0]!r}, this has {names.count(missing[0])}"
        )


def read_dossier(files: Mapping[str, bytes]) -> Dossier:
    """Return what a bundle was made of.

    Raises:
        BundleError: It does not hold together.
    """
    value = read_json(files, ANSWER)
    pages = value.get("pages") if isinstance(value, dict) else None
    if not isinstance(pages, list):
        raise BundleError("answer.json has no list of pages")
    try:
        return from_json_file(value, read_archive(files[WARC], pages))
    except (TypeError, ValueError, KeyError, RecursionError) as error:
        raise BundleError(f"answer.json cannot be used: {error}") from error


def read_json(files: Mapping[str, bytes], name: str) -> Any:  # noqa: ANN401 - a stranger's
    """Return a file of a bundle as JSON.

    Raises:
        BundleError: It is none.
    """
    try:
        return json.loads(files[name])
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name} is no JSON: {error}") from error
