"""Archives of strangers: office documents, books and bundles, damaged outside and inside."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest

from groundwire.evidence.bundle import (
    DIGEST,
    PACKAGE,
    bundle_bytes,
    digest_json,
    package_json,
    read_container,
    read_dossier,
)
from groundwire.evidence.verification import verified
from groundwire.reader import read_document
from groundwire.web.export_page import export_html
from tests.evidence.dossiers import dossier
from tests.reader.office_files import archive, docx, epub, ods, odt, pptx, xlsx
from tests.security.fuzzing import (
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    our_errors_only,
    written,
)
from tests.security.test_fuzz_pages import check


@cache
def _documents() -> Sequence[dict[str, bytes]]:
    return [_unpacked(each()) for each in (docx, xlsx, pptx, odt, ods, epub)]


@cache
def _bundle() -> dict[str, bytes]:
    whole = dossier()
    return _unpacked(bundle_bytes(whole, export_html(whole)))


def _unpacked(body: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        return {name: file.read(name) for name in file.namelist()}


def _inside(files: dict[str, bytes], chance: Random) -> dict[str, bytes]:
    """Return the files with one of them damaged, gone, or there under another name."""
    name = one_of([*files], chance)
    match chance.randrange(6):
        case 0:
            return {each: body for each, body in files.items() if each != name}
        case 1:
            return {**files, chance.choice(("../x", "/x", "x" * 300, name.upper())): files[name]}
        case 2 if name.endswith(".json"):
            changed = written(distorted(json.loads(files[name]), chance), chance)
            return {**files, name: changed}
    return {**files, name: damaged(files[name], chance)}


@fuzz(60, chance=chances)
def test_a_damaged_document_of_an_office_is_read_or_told_of(chance: Random) -> None:
    for module in ("docx", "openpyxl", "pptx", "odfdo"):
        pytest.importorskip(module)
    whole = archive(_inside(one_of(_documents(), chance), chance))
    body = damaged(whole, chance) if chance.random() < 0.2 else whole

    check(read_document(body, "application/zip", "https://a.example/file"))


@fuzz(60, chance=chances)
def test_a_damaged_bundle_is_sound_or_refused(
    tmp_path_factory: pytest.TempPathFactory, chance: Random
) -> None:
    files = _inside(_bundle(), chance)
    if chance.random() < 0.7:
        # By somebody who repaired the hashes.
        rest = {name: body for name, body in files.items() if name not in (PACKAGE, DIGEST)}
        package = package_json(rest, title="T", created="2026-11-18")
        files = {PACKAGE: package, DIGEST: digest_json(package), **rest}
    path = tmp_path_factory.getbasetemp() / "damaged.wacz"
    _write(path, files, chance)

    with our_errors_only():
        verified(path)
    with our_errors_only():
        read_dossier(read_container(path))


def _write(path: Path, files: dict[str, bytes], chance: Random) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, body in files.items():
            packed.writestr(name, body)
    if chance.random() < 0.2:
        path.write_bytes(damaged(path.read_bytes(), chance))
