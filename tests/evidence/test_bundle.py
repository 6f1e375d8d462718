"""Bundles come back as they went, and whatever was changed in one is found."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from groundwire.config.settings import Settings
from groundwire.conversation import Agent
from groundwire.errors import BundleError, ConflictError
from groundwire.evidence import archive
from groundwire.evidence.bundle import (
    ANSWER,
    DIGEST,
    NAMES,
    PACKAGE,
    PAGE,
    WARC,
    bundle_bytes,
    container,
    digest_json,
    package_json,
)
from groundwire.evidence.dossier import to_json
from groundwire.evidence.verification import verified
from groundwire.service.evidence import dossier_of, import_dossier
from groundwire.store import PERSONAL, Store
from groundwire.web.export_page import export_html
from tests.evidence.dossiers import BODY, QUOTE, TEXT, dossier
from tests.store.conftest import (
    agent,
    cleared,
    store,
    url,
)

__all__ = ["agent", "cleared", "store", "url"]

WHOLE = dossier()
MADE = bundle_bytes(WHOLE, export_html(WHOLE))


def _files() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(MADE)) as file:
        return {name: file.read(name) for name in file.namelist()}


def _repaired(files: dict[str, bytes]) -> bytes:
    """Return a bundle whose list and digest fit what is in it, whatever that is."""
    rest = {name: files[name] for name in NAMES if name not in (PACKAGE, DIGEST)}
    package = package_json(rest, title="Otters", created="2026-11-18")
    return container({PACKAGE: package, DIGEST: digest_json(package), **rest})


def _written(folder: Path, body: bytes) -> Path:
    path = folder / "answer.wacz"
    path.write_bytes(body)
    return path


def test_a_bundle_is_sound_and_comes_back_value_by_value(tmp_path: Path) -> None:
    assert verified(_written(tmp_path, MADE)) == WHOLE


def test_the_same_answer_gives_the_same_file() -> None:
    again = dossier()

    assert bundle_bytes(again, export_html(again)) == MADE


def test_the_passages_are_text_quote_selectors() -> None:
    told = json.loads(_files()[ANSWER])["answers"][0]

    first = told["citations"][0]
    assert first["selector"]["type"] == "TextQuoteSelector"
    assert first["selector"]["exact"] == QUOTE
    assert f"{first['selector']['prefix']}{QUOTE}{first['selector']['suffix']}" in TEXT
    assert told["searches"][0]["results"][0]["url"] == WHOLE.snapshots[0].url
    assert (told["model"], told["question"]) == ("claude", "Otters?")


Change = Callable[[Any, random.Random], None]


def _each_answer(value: Any) -> list[Any]:
    """Return the places where an answer stands: for readers, and as it is kept."""
    kept = [each["marked"] for each in value["messages"] if each["marked"]]
    return [*value["answers"], *kept]


def _move_marker(value: Any, chance: random.Random) -> None:
    step = chance.choice([-3, -2, -1, 1, 2])
    kept = value["messages"][1]["marked"]["changes"][0]
    for marker in (value["answers"][0]["markers"][0], kept):
        marker["start"] += step
        if "end" in marker:
            marker["end"] += step


def _move_one_marker(value: Any, chance: random.Random) -> None:
    value["answers"][0]["markers"][chance.randrange(2)]["start"] += chance.choice([-2, -1, 1, 2])


def _quoted(value: Any) -> list[Any]:
    return [
        value["answers"][0]["citations"][0]["selector"],
        value["check_records"][0]["data"]["nearest"],
    ]


def _change_quote(value: Any, chance: random.Random) -> None:
    letter = chance.choice("xyz")
    for place in (
        value["answers"][0]["citations"][0]["selector"],
        value["check_records"][0]["data"]["nearest"],
    ):
        at = chance.randrange(len(QUOTE))
        place["exact"] = place["exact"][:at] + letter + place["exact"][at + 1 :]


def _change_prefix(value: Any, chance: random.Random) -> None:
    name = chance.choice(["prefix", "suffix"])
    for place in (
        value["answers"][0]["citations"][0]["selector"],
        value["check_records"][0]["data"]["nearest"],
    ):
        place[name] = f"{place[name]}q" if name == "prefix" else f"q{place[name]}"
    value["answers"][0]["citations"][0]["check"]["nearest"][name] = value["check_records"][0][
        "data"
    ]["nearest"][name]


def _drop_page(value: Any, chance: random.Random) -> None:
    del value["pages"][chance.randrange(2)]


def _swap_hashes(value: Any, chance: random.Random) -> None:
    name = chance.choice(["text_hash", "body_hash"])
    if name == "body_hash":
        value["pages"][0]["fetched"]["body_hash"] = value["pages"][0]["text_hash"]
    else:
        one, two = value["pages"]
        one["text_hash"], two["text_hash"] = two["text_hash"], one["text_hash"]


def _change_text(value: Any, chance: random.Random) -> None:
    value["messages"][1]["content"] = f"{chance.choice('abc')}{value['messages'][1]['content'][1:]}"


def _change_source(value: Any, chance: random.Random) -> None:
    place = chance.choice(_each_answer(value))
    place["sources"][0]["url"] = "https://other.example/"


def _drop_source(value: Any, chance: random.Random) -> None:
    for place in _each_answer(value):
        del place["sources"][chance.randrange(1, 2)]


def _other_time(value: Any, chance: random.Random) -> None:
    value["pages"][chance.randrange(2)]["read_at"] = "2026-11-16T08:30:00+00:00"


CHANGES: list[Change] = [
    _move_marker,
    _move_one_marker,
    _change_quote,
    _change_prefix,
    _drop_page,
    _swap_hashes,
    _change_text,
    _change_source,
    _drop_source,
    _other_time,
]


def damaged() -> Iterator[tuple[str, bytes]]:
    """Return 200 bundles with one damage each: half of them by somebody who repaired the hashes."""
    chance = random.Random(22)
    for number in range(90):
        at = chance.randrange(len(MADE))
        body = bytearray(MADE)
        body[at] ^= 1 << chance.randrange(8)
        yield f"bit at {at} ({number})", bytes(body)
    for number in range(100):
        change = CHANGES[number % len(CHANGES)]
        files = _files()
        value = json.loads(files[ANSWER])
        change(value, chance)
        yield f"{change.__name__} ({number})", _repaired({**files, ANSWER: _dumped(value)})
    for number, page in enumerate(WHOLE.snapshots * 5):
        # A byte of a page, archived anew with all of its digests.
        other = replace(page, text=page.text.replace("otters", f"otter{number}", 1))
        pages = [other if each is page else each for each in WHOLE.snapshots]
        files = {**_files(), WARC: archive.write_archive(pages).warc}
        yield f"a page ({number})", _repaired(files)


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def test_every_one_of_200_damages_is_found(tmp_path: Path) -> None:
    missed, count = [], 0
    for name, body in damaged():
        count += 1
        assert body != MADE
        try:
            verified(_written(tmp_path, body))
        except BundleError:
            continue
        missed.append(name)

    assert (count, missed) == (200, [])


def _zip(entries: dict[str, bytes], *, packed: bool = False, link: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as file:
        for name, body in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            if link:
                entry.external_attr = 0o120777 << 16
            file.writestr(entry, body)
    return out.getvalue()


def _with_page(html: bytes) -> bytes:
    return _repaired({**_files(), PAGE: html})


HOSTILE: dict[str, bytes] = {
    "climbs out": _zip({**_files(), "../../evil": b"x"}),
    "begins at the root": _zip({**_files(), "/etc/evil": b"x"}),
    "has a script beside it": _zip({**_files(), "pages/evil.js": b"alert(1)"}),
    "is a link": _zip(_files(), link=True),
    "is a bomb": _zip({**_files(), PAGE: bytes(50_000_000)}, packed=True),
    "has a bomb in the archive": _repaired({**_files(), WARC: gzip.compress(bytes(20_000_000))}),
    "runs a script": _with_page(b"<script>alert(1)</script>"),
    "runs on a click": _with_page(b"<p onclick=alert(1)>x</p>"),
    "links to a script": _with_page(b'<a href=" javascript:alert(1)">x</a>'),
    "loads a picture": _with_page(b'<img src="https://t.example/x">'),
    "is empty": b"",
    "is text": b"otters",
    "is half": MADE[: len(MADE) // 2],
    "has more behind it": MADE + b"more",
    "is nested without end": _repaired({**_files(), ANSWER: b"[" * 100_000}),
    "says nothing": _repaired({**_files(), ANSWER: b"{}"}),
    "lies about types": _repaired(
        {**_files(), ANSWER: _files()[ANSWER].replace(b'"position": ', b'"position": "x", "p": ')}
    ),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_bundle_gets_a_clear_error_and_touches_nothing(
    body: bytes, tmp_path: Path
) -> None:
    path = _written(tmp_path, body)

    with pytest.raises(BundleError) as error:
        verified(path)

    assert str(error.value)
    assert [*tmp_path.rglob("*")] == [path]


def test_an_archive_that_comes_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000)

    with pytest.raises(BundleError, match="more than the limit of 1,000"):
        verified(_written(tmp_path, MADE))


async def test_an_imported_session_equals_the_exported_one(
    store: Store, agent: Agent, tmp_path: Path
) -> None:
    brought = verified(_written(tmp_path, MADE))

    session = await import_dossier(store, brought, agent)
    again = await dossier_of(store, Settings(), session.id)

    theirs = replace(WHOLE.session, workspace_id=PERSONAL, agent_id=agent.id)
    assert again.session == theirs
    assert {each.id: each for each in again.messages} == {each.id: each for each in WHOLE.messages}
    assert again.checks == WHOLE.checks
    assert again.source_pages == WHOLE.source_pages
    assert {each.id: each for each in again.snapshots} == {
        each.id: each for each in WHOLE.snapshots
    }
    alone = await dossier_of(store, Settings(), "m2")
    assert (alone.messages, alone.snapshots) == (again.messages, again.snapshots)


async def test_what_is_here_already_is_refused_and_left_alone(store: Store, agent: Agent) -> None:
    await import_dossier(store, WHOLE, agent)
    before = await store.snapshots.sizes()

    with pytest.raises(ConflictError):
        await import_dossier(store, WHOLE, agent)

    assert await store.snapshots.sizes() == before
    assert len(await store.messages.history("s1")) == 2


def test_the_page_of_the_answer_runs_nothing_and_asks_nobody() -> None:
    html = export_html(WHOLE)

    assert "default-src 'none'" in html
    for word in ("<script", "<img", "<link", "url(", "@import", " src="):
        assert word not in html
    assert "densest fur" in html
    assert "prefers-color-scheme" in html or "light-dark(" in html
    assert "@media print" in html


def test_what_is_told_twice_is_the_same() -> None:
    told = json.loads(_files()[ANSWER])

    assert told == json.loads(json.dumps(to_json(WHOLE)))
    assert told["pages"][0]["fetched"]["body_hash"] == sha256(BODY.encode()).hexdigest()
    assert deepcopy(told)["pages"][1]["fetched"] is None
