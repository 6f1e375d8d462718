"""Bundles of ours open in programs of web archives that others wrote."""

from __future__ import annotations

import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

import pytest
from warcio.archiveiterator import ArchiveIterator

from groundwire.evidence.bundle import read_container, write_bundle
from groundwire.reader.documents import read_document
from groundwire.web.export_page import export_html
from tests.evidence.dossiers import BODY, QUOTE, dossier
from tests.mcp.peers import PEERS, run
from tests.patience import wait_until

WHOLE = dossier()


def _program(name: str) -> str:
    found = PEERS / "replayers" / "bin" / name
    if not found.exists():
        pytest.skip(f"{name} is not installed: run tools/install-replayers")
    return str(found)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "answer.wacz"
    write_bundle(path, WHOLE, export_html(WHOLE))
    return path


@pytest.mark.slow
def test_py_wacz_finds_a_bundle_valid(bundle: Path, tmp_path: Path) -> None:
    done = run([_program("wacz"), "validate", "-f", str(bundle)], home=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "is valid" in done.stdout


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(f"{address}/").close()
    except (URLError, ConnectionError):
        return False
    return True


@contextmanager
def _playing(bundle: Path, folder: Path) -> Iterator[str]:
    """Play a bundle back with pywb, and give its address."""
    manager = _program("wb-manager")
    for words in (["init", "t"], ["add", "t", str(bundle), "--unpack-wacz"]):
        assert run([manager, *words], home=folder).returncode == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [_program("wayback"), "-b", "127.0.0.1", "-p", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until(lambda: process.poll() is not None or _answers(address))
            yield address
        finally:
            process.terminate()


@pytest.mark.slow
def test_pywb_plays_back_every_page_with_the_words_that_are_quoted(
    bundle: Path, tmp_path: Path
) -> None:
    played = []
    with _playing(bundle, tmp_path) as address:
        for page in WHOLE.snapshots:
            url = f"{address}/t/{page.read_at:%Y%m%d%H%M%S}id_/{page.url}"
            with urllib.request.urlopen(url) as reply:
                played.append(reply.read())

    assert played == [BODY.encode(), WHOLE.snapshots[1].text.encode()]
    read = read_document(played[0], "text/html; charset=utf-8", WHOLE.snapshots[0].url)
    assert QUOTE in read.markdown


def test_warcio_reads_every_record_with_its_digests(bundle: Path, tmp_path: Path) -> None:
    archive = tmp_path / "pages.warc.gz"
    archive.write_bytes(read_container(bundle)["archive/pages.warc.gz"])

    with archive.open("rb") as file:
        found = []
        for record in ArchiveIterator(file, check_digests=True):
            body = record.content_stream().read()
            found.append((record.rec_type, body, record.digest_checker.passed))

    first, second = WHOLE.snapshots
    assert found[1:] == [
        ("response", BODY.encode(), True),
        ("conversion", first.text.encode(), True),
        ("resource", second.text.encode(), True),
    ]
