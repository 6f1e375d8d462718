"""What adding a document costs does not depend on how many there are."""

from __future__ import annotations

from pathlib import Path

from groundwire.library import Document, DocumentText, Library


def _document(number: int) -> tuple[Document, DocumentText]:
    path = f"{number}.md"
    document = Document(collection="notes", path=path, url=f"https://example.org/{path}")
    return document, DocumentText(markdown="Otters.")


def _steps_to_look_for_the_old_one(library: Library, number: int) -> int:
    """Count what SQLite does to find which document another takes the place of."""
    steps = 0

    def note() -> int:
        nonlocal steps
        steps += 1
        return 0

    library._connection.set_progress_handler(note, 1)
    found = library._store.replaced_by(_document(number)[0])
    library._connection.set_progress_handler(None, 1)
    assert len(found) == 1
    return steps


def test_a_document_finds_the_one_it_replaces_without_looking_at_all_others(tmp_path: Path) -> None:
    with Library(tmp_path / "library.sqlite3", writes=True) as library:
        library.put_collection("notes", "/", "")
        library.put([_document(number) for number in range(3)])
        few = _steps_to_look_for_the_old_one(library, 1)
        library.put([_document(number) for number in range(3, 300)])

        many = _steps_to_look_for_the_old_one(library, 1)

    assert many == few
