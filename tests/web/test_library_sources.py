"""A workspace's library over HTTP: uploads, pages and folders, read in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from groundwire import Settings
from groundwire.conversation import now
from groundwire.library import Collection, library_path, uploads_folder
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.service import library_worker
from groundwire.service.library_worker import LibraryWorker
from groundwire.service.program import Groundwire
from groundwire.service.workspace_library import LibraryState
from groundwire.store import Store
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState
from groundwire.web import Options
from tests.library.folders import HERON, OTTER, write
from tests.patience import wait_until
from tests.web.server import PASSWORD, SETUP_TOKEN, Web, set_up, signed_in

LIBRARY = "/api/workspaces/personal/library"


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    (tmp_path / "allowed").mkdir()
    folders = {"folders": [str(tmp_path / "allowed")], "max_file_bytes": 10_000}
    with Web(sandbox, tmp_path, library=folders) as web:
        yield web


def _settled(web: Web) -> Json:
    """Return the library once nothing of it waits or is read."""

    def settled() -> Json:
        told = web.get(LIBRARY)
        states = {each["state"] for each in told["sources"]}
        return None if {"waiting", "working"} & states else told

    return wait_until(settled)


def _upload(web: Web, name: str, content: str | bytes) -> int:
    return web.client.put(f"{LIBRARY}/files/{name}", content=content).status_code


def _found(web: Web, query: str) -> list[str]:
    found = web.get(f"{LIBRARY}/search?query={query}")
    return [each["title"] for each in found["hits"]]


def test_uploaded_files_are_found_and_counted(web: Web) -> None:
    sent = [_upload(web, "otter.md", OTTER), _upload(web, "heron.md", HERON)]

    told = _settled(web)

    assert sent == [202, 202]
    (source,) = told["sources"]
    assert (source["kind"], source["state"], source["failures"]) == ("uploads", "ready", [])
    assert told["documents"] == 2
    assert told["size"] > len(OTTER) + len(HERON)
    assert _found(web, "fish") == ["Herons"]


def test_a_file_of_the_same_name_takes_the_place_of_the_other(web: Web) -> None:
    _upload(web, "notes.md", OTTER)
    _settled(web)
    _upload(web, "notes.md", HERON)

    told = _settled(web)

    assert told["documents"] == 1
    assert (_found(web, "fish"), _found(web, "fur")) == (["Herons"], [])


def test_what_cannot_be_read_says_why_and_stops_no_other(web: Web) -> None:
    _upload(web, "broken.pdf", b"%PDF-1.7 and nothing more")
    _upload(web, "otter.md", OTTER)

    (source,) = _settled(web)["sources"]

    assert source["state"] == "ready"
    (failure,) = source["failures"]
    assert failure["name"] == "broken.pdf"
    assert failure["reason"]
    assert _found(web, "fur") == ["Sea otters"]
    assert web.client.delete(f"{LIBRARY}/files/broken.pdf").status_code == 204
    assert _settled(web)["sources"][0]["failures"] == []


@pytest.mark.parametrize(
    ("name", "content", "status", "words"),
    [
        ("song.mp3", b"la", 400, "is of a kind that is not read"),
        ("%2e%2e%2fotter.md", b"x", 404, "Not Found"),
        (".hidden.md", b"x", 400, "plain text"),
        ("large.txt", b"x" * 10_001, 413, "over the limit"),
    ],
)
def test_an_upload_that_cannot_be_kept_is_refused_with_the_reason(
    web: Web, name: str, content: bytes, status: int, words: str
) -> None:
    reply = web.client.put(f"{LIBRARY}/files/{name}", content=content)

    assert (reply.status_code, words in reply.text) == (status, True)
    assert web.get(LIBRARY)["sources"] == []


def test_an_upload_whose_length_nobody_said_is_stopped_at_the_limit(web: Web) -> None:
    def pieces() -> Iterator[bytes]:
        yield from [b"x" * 4_000] * 3

    reply = web.client.put(f"{LIBRARY}/files/large.txt", content=pieces())

    assert reply.status_code == 409
    assert not [*uploads_folder({}).iterdir()]


def test_a_folder_that_the_settings_allow_is_read_and_read_again(web: Web, tmp_path: Path) -> None:
    notes = write(tmp_path / "allowed" / "notes", {"otter.md": OTTER})
    body = {"kind": "folder", "location": str(notes), "refresh_hours": 24}
    source = web.client.post(f"{LIBRARY}/sources", json=body).json()
    before = _settled(web)
    write(notes, {"heron.md": HERON})
    (notes / "otter.md").unlink()

    web.client.post(f"{LIBRARY}/sources/{source['id']}/refresh").raise_for_status()
    after = _settled(web)

    assert (before["documents"], after["documents"]) == (1, 1)
    assert (_found(web, "fish"), _found(web, "fur")) == (["Herons"], [])
    assert after["sources"][0]["counts"]["removed"] == 1
    assert web.client.delete(f"{LIBRARY}/sources/{source['id']}").status_code == 204
    assert web.get(LIBRARY)["documents"] == 0
    assert (notes / "heron.md").exists()


def test_what_is_read_for_the_first_time_is_no_collection_of_the_command_line() -> None:
    def reading(kind: SourceKind, location: str) -> LibrarySource:
        state = SourceState.WORKING
        return LibrarySource(workspace_id="w", kind=kind, location=location, state=state)

    def collection(name: str, root: str, documents: int) -> Collection:
        return Collection(id=1, name=name, root=root, base_url="", documents=documents)

    sources = [
        reading(SourceKind.FOLDER, "/notes"),
        reading(SourceKind.UPLOADS, ""),
        reading(SourceKind.URL, "https://wiki.example.net/sea-otter"),
    ]
    own = [collection("web", "", 1), collection("n", "/notes", 64), collection("u", "/up", 2)]
    by_command = [collection("web", "", 2), collection("n", "/notes/more", 1)]

    def others(collections: list[Collection]) -> Sequence[Collection]:
        uploads = Path("/up")
        state = LibraryState(collections=collections, size=0, sources=sources, uploads=uploads)
        return state.others

    assert others(own) == []
    assert others(by_command) == by_command


def test_an_admin_of_a_workspace_adds_pages_and_no_folder_of_the_server(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    notes = write(tmp_path / "allowed" / "notes", {"otter.md": OTTER})
    options = Options(setup_token=Secret(SETUP_TOKEN))
    with Web(sandbox, tmp_path, options=options, library={"folders": [str(notes.parent)]}) as web:
        owner = set_up(web)
        ada = owner.post("/api/users", json={"name": "ada", "password": PASSWORD}).json()
        owner.put(f"/api/workspaces/personal/members/{ada['id']}", json={"role": "admin"})
        with closing(owner), closing(signed_in(web, "ada")) as admin:
            told = [each.get(LIBRARY).json()["folders"] for each in (owner, admin)]
            folder, page = (
                admin.post(f"{LIBRARY}/sources", json={"kind": kind, "location": location})
                for kind, location in (("folder", str(notes)), ("url", "https://example.org/"))
            )

    assert told == [[str(notes.parent)], []]
    assert (folder.status_code, page.status_code) == (403, 201)


@pytest.mark.parametrize(
    "location",
    [
        lambda folder: f"{folder}/secret",
        lambda folder: f"{folder}/allowed/../secret",
        lambda folder: f"{folder}/allowed/link",
        lambda folder: "allowed",  # noqa: ARG005 - a relative one
        lambda folder: f"{folder}/allowed/nothing",
    ],
)
def test_no_other_folder_of_the_server_can_be_added(
    web: Web, tmp_path: Path, location: Callable[[Path], str]
) -> None:
    write(tmp_path / "secret", {"otter.md": OTTER})
    (tmp_path / "allowed" / "link").symlink_to(tmp_path / "secret")

    body = {"kind": "folder", "location": location(tmp_path)}
    reply = web.client.post(f"{LIBRARY}/sources", json=body)

    assert reply.status_code == 400
    assert web.get(LIBRARY)["sources"] == []


def test_a_file_that_is_named_as_a_folder_is_said_to_be_one(web: Web, tmp_path: Path) -> None:
    folder = write(tmp_path / "allowed", {"otter.md": OTTER})

    body = {"kind": "folder", "location": str(folder / "otter.md")}
    reply = web.client.post(f"{LIBRARY}/sources", json=body)

    assert reply.status_code == 400
    assert "is a file: name its folder, or upload it" in reply.text


def test_a_page_is_added_found_read_again_and_removed(web: Web) -> None:
    body = {"kind": "url", "location": "https://wiki.example.net/sea-otter", "refresh_hours": 24}
    source = web.client.post(f"{LIBRARY}/sources", json=body).json()
    told = _settled(web)
    found = web.get(f"{LIBRARY}/search?query=hairs")["hits"]

    web.client.post(f"{LIBRARY}/sources/{source['id']}/refresh").raise_for_status()
    again = _settled(web)

    assert (told["documents"], again["documents"]) == (1, 1)
    assert [hit["url"] for hit in found] == [body["location"]]
    assert again["sources"][0]["refresh_hours"] == 24
    assert web.client.delete(f"{LIBRARY}/sources/{source['id']}").status_code == 204
    assert web.get(LIBRARY)["documents"] == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "file:///etc/passwd", "http://[::1]:22/"])
def test_a_page_that_the_guard_refuses_is_not_added(web: Web, url: str) -> None:
    reply = web.client.post(f"{LIBRARY}/sources", json={"kind": "url", "location": url})

    if reply.status_code == 201:
        # An address is looked at when it is opened.
        (source,) = _settled(web)["sources"]
        assert source["state"] == "failed"
    assert web.get(LIBRARY)["documents"] == 0


def test_a_page_outside_the_domains_of_the_workspace_is_not_added(web: Web) -> None:
    only = {"web_allowed_domains": ["example.org"]}
    web.client.patch("/api/workspaces/personal", json=only).raise_for_status()

    body = {"kind": "url", "location": "https://elsewhere.example/"}
    reply = web.client.post(f"{LIBRARY}/sources", json=body)

    assert reply.status_code == 400


def test_one_document_is_removed_with_its_file_at_once(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_worker, "EVERY_SECONDS", 3600.0)
    _upload(web, "otter.md", OTTER)
    _settled(web)
    (document,) = web.get(f"{LIBRARY}/documents?query=otter")

    assert web.client.delete(f"{LIBRARY}/documents/{document['id']}").status_code == 204

    assert _settled(web)["documents"] == 0
    assert [*uploads_folder({}).iterdir()] == []


async def test_a_source_is_claimed_once_and_taken_over_from_who_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "shared.sqlite3"
    source = LibrarySource(workspace_id="personal", kind=SourceKind.UPLOADS)
    async with Store.open(path) as one:
        async with Store.open(path) as other:
            await one.library_sources.create(source)
            first = await other.library_sources.claim()
            second = await one.library_sources.claim()
        third = await one.library_sources.claim()

    assert first is not None
    assert (first.id, second) == (source.id, None)
    assert third is not None
    assert third.id == source.id


async def test_a_run_that_was_missed_is_made_up_for_once(tmp_path: Path) -> None:
    folder = write(tmp_path / "allowed" / "notes", {"otter.md": OTTER})
    source = LibrarySource(
        workspace_id="personal",
        kind=SourceKind.FOLDER,
        location=str(folder),
        refresh_hours=1,
        state=SourceState.READY,
        due_at=now() - timedelta(days=3),
    )
    settings = {"library": {"folders": [str(tmp_path / "allowed")]}}
    made = Settings.model_validate(settings)
    async with Groundwire(settings=made, database=str(tmp_path / "w.sqlite3")) as program:
        await program.store.library_sources.create(source)
        worker = LibraryWorker(program)
        worked = [await worker.work(), await worker.work()]
        kept = await program.store.library_sources.get(source.id)

    assert worked == [True, False]
    assert kept.state is SourceState.READY
    assert kept.due_at is not None
    assert kept.due_at > now() + timedelta(minutes=50)
    assert library_path({}).exists()


async def test_what_was_asked_for_while_a_source_was_read_is_read_afterwards(
    tmp_path: Path,
) -> None:
    source = LibrarySource(workspace_id="personal", kind=SourceKind.UPLOADS)
    async with Store.open(tmp_path / "w.sqlite3") as store:
        sources = store.library_sources
        await sources.create(source)
        claimed = await sources.claim()
        assert claimed is not None
        await sources.want(source.id)
        await sources.finish(claimed)

        assert await sources.claim() is not None
