"""Pages as records of a web archive (WARC), with the index and the list that replayers want."""

from __future__ import annotations

import io
import json
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from groundwire.checks.records import Snapshot
from groundwire.errors import BundleError, NotInstalledError
from groundwire.evidence.codec import loaded
from groundwire.model import Fetched
from groundwire.system.compression import pack, unpack
from groundwire.version import VERSION

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

NAME = "pages.warc.gz"
MAX_PAGE_BYTES = 100_000_000
MAX_BYTES = 1_000_000_000
"""What all records of an archive may come to, unpacked."""

_MARKDOWN = "text/markdown; charset=utf-8"
_PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The archive, and the lines of its index."""

    warc: bytes
    index: str


def write_archive(snapshots: Sequence[Snapshot]) -> Archive:
    """Return the pages as an archive; the same pages give the same bytes."""
    writer_class = _warcio()
    out = io.BytesIO()
    writer = writer_class(out, gzip=True)
    if snapshots:
        writer.write_record(_information(writer, snapshots))
    lines = []
    for page in snapshots:
        for record in _records(writer, page):
            offset = out.tell()
            writer.write_record(record)
            if record.rec_type != "conversion":
                lines.append(_index_line(page, record, offset, out.tell() - offset))
    return Archive(warc=out.getvalue(), index="".join(sorted(lines)))


def read_archive(warc: bytes, pages: Sequence[Any]) -> tuple[Snapshot, ...]:
    """Return the pages that `answer.json` lists, from their records.

    Raises:
        BundleError: A record is damaged, is missing, or is one too many.
    """
    found = {each.key: each for each in _read_records(warc)}
    snapshots = []
    for number, page in enumerate(pages):
        try:
            snapshots.append(_snapshot(page, found))
        except (KeyError, TypeError, ValueError) as error:
            raise BundleError(f"page {number + 1} of answer.json: {error}") from error
    if found:
        raise BundleError(f"the archive has a record that answer.json does not list: {min(found)}")
    return tuple(snapshots)


def pages_list(snapshots: Sequence[Snapshot], title: str) -> str:
    """Return the list of pages that replayers offer."""
    head = {"format": "json-pages-1.0", "id": "pages", "title": title}
    lines = [
        {"id": each.id, "url": each.url, "ts": _time(each), "title": each.title or each.url}
        for each in snapshots
    ]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in [head, *lines])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    key: str
    body: bytes
    url: str
    time: str


def _warcio() -> Any:  # noqa: ANN401 - its class
    try:
        from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - an extra
    except ImportError as error:
        fix = "pip install 'groundwire[bundle]'"
        raise NotInstalledError("bundle", "the package warcio", fix) from error
    return WARCWriter


def _information(writer: Any, snapshots: Sequence[Snapshot]) -> ArcWarcRecord:  # noqa: ANN401 - warcio's
    headers = {"WARC-Date": _time(snapshots[0]), "WARC-Record-ID": _record_id("info", NAME)}
    body = f"software: groundwire {VERSION}\r\nformat: WARC File Format 1.1\r\n".encode()
    return writer.create_warc_record(
        NAME,
        "warcinfo",
        io.BytesIO(body),
        len(body),
        "application/warc-fields",
        warc_headers_dict=headers,
    )


def _records(writer: Any, page: Snapshot) -> Iterator[ArcWarcRecord]:  # noqa: ANN401 - warcio's
    """Return what is written of a page: what its server sent, and the text that was read."""
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    text = page.text.encode("utf-8", "replace")
    common = {"WARC-Date": _time(page)}
    body_id, text_id = _record_id("body", page.id), _record_id("text", page.id)
    if page.fetched is None:
        headers = {**common, "WARC-Record-ID": text_id}
        yield writer.create_warc_record(
            page.url, "resource", io.BytesIO(text), len(text), _PLAIN, headers
        )
        return
    body = unpack(page.fetched.packed, MAX_PAGE_BYTES)
    status = StatusAndHeaders(
        f"{page.fetched.status} OK",
        [*page.fetched.headers.items(), ("content-length", str(len(body)))],
        protocol="HTTP/1.1",
    )
    yield writer.create_warc_record(
        page.url,
        "response",
        io.BytesIO(body),
        len(body),
        "",
        {**common, "WARC-Record-ID": body_id},
        http_headers=status,
    )
    headers = {**common, "WARC-Record-ID": text_id, "WARC-Refers-To": body_id}
    yield writer.create_warc_record(
        page.url, "conversion", io.BytesIO(text), len(text), _MARKDOWN, headers
    )


def _record_id(kind: str, key: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'groundwire:{kind}:{key}')}>"


def _time(page: Snapshot) -> str:
    return page.read_at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _index_line(page: Snapshot, record: ArcWarcRecord, offset: int, length: int) -> str:
    kind = (page.fetched.headers.get("content-type", "") if page.fetched else "") or _PLAIN
    values = {
        "url": page.url,
        "mime": kind.partition(";")[0].strip(),
        "status": str(page.fetched.status if page.fetched else 200),
        "digest": record.rec_headers.get_header("WARC-Payload-Digest"),
        "length": str(length),
        "offset": str(offset),
        "filename": NAME,
    }
    return f"{sort_key(page.url)} {page.read_at:%Y%m%d%H%M%S} {json.dumps(values)}\n"


def sort_key(url: str) -> str:
    """Return a URL as indexes of archives sort it: `org,example)/path?query`."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    path = parts.path.rstrip("/") or "/"
    query = f"?{'&'.join(sorted(parts.query.split('&')))}" if parts.query else ""
    return f"{','.join(reversed(host.split('.')))}{port}){path}{query}".lower().replace(" ", "%20")


def _read_records(warc: bytes) -> Iterator[_Record]:
    """Return the records that have pages in them, each checked against its own digest."""
    _warcio()
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - an extra
    from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415 - an extra

    try:
        for record in ArchiveIterator(io.BytesIO(_unpacked(warc)), check_digests=True):
            body = record.content_stream().read()
            if record.digest_checker.passed is not True:
                raise BundleError("a record of the archive does not fit its digest")
            if record.rec_type == "warcinfo":
                continue
            header = record.rec_headers.get_header
            yield _Record(
                key=header("WARC-Record-ID"),
                body=body,
                url=header("WARC-Target-URI"),
                time=header("WARC-Date"),
            )
    except (ArchiveLoadFailed, AttributeError, EOFError, KeyError, OSError, ValueError) as error:
        raise BundleError(f"the archive cannot be read: {error}") from error


def _unpacked(warc: bytes) -> bytes:
    """Return all records unpacked, but never more than an archive may have."""
    out, rest = bytearray(), warc
    while rest:
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            out += member.decompress(rest, MAX_BYTES - len(out) + 1)
        except zlib.error as error:
            raise BundleError(f"the archive cannot be unpacked: {error}") from error
        if len(out) > MAX_BYTES:
            raise BundleError(f"the archive comes to more than the limit of {MAX_BYTES:,}")
        if not member.eof:
            raise BundleError("the archive is cut off")
        rest = member.unused_data
    return bytes(out)


def _snapshot(page: Any, found: dict[str, _Record]) -> Snapshot:  # noqa: ANN401 - a stranger's
    """Return one page; its records are taken out of what was found."""
    known = {key: value for key, value in page.items() if key not in ("text_bytes", "fetched")}
    bare = loaded(Snapshot, {**known, "text": "", "fetched": None})
    body_record = found.pop(_record_id("body", bare.id), None) if page["fetched"] else None
    text_record = found.pop(_record_id("text", bare.id))
    for record in filter(None, (body_record, text_record)):
        if (record.url, record.time) != (bare.url, _time(bare)):
            raise ValueError("its record has another address or time")
    if _hash(text_record.body) != bare.text_hash or len(text_record.body) != page["text_bytes"]:
        raise ValueError("its text does not fit its hash")
    fetched = None
    if page["fetched"]:
        if body_record is None:
            raise ValueError("its bytes are missing")
        known_body = loaded(Fetched, {**page["fetched"], "packed": ""})
        if (known_body.body_hash, known_body.size) != (
            _hash(body_record.body),
            len(body_record.body),
        ):
            raise ValueError("its bytes do not fit their hash")
        fetched = replace(known_body, packed=pack(body_record.body))
    return replace(bare, text=text_record.body.decode("utf-8"), fetched=fetched)


def _hash(body: bytes) -> str:
    return sha256(body).hexdigest()
