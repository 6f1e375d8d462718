"""Passages found by what they mean: kept, compared without a package, and mixed in by rank."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from groundwire.library import Document, DocumentText, Library, Meaning, cut
from groundwire.library.fusion import fused
from groundwire.library.index import passage_id
from groundwire.sandbox.embeddings import vector

FORM = "played 256"
TEXTS = {
    "car": "# Garage\n\nThe automobile stands in the garage.",
    "river": "# River\n\nThe river is wide and slow.",
    "otter": "# Otters\n\nOtters nap on their backs.",
}


def _filled(path: Path) -> None:
    with Library(path, index="fts5", writes=True) as library:
        library.put_collection("notes", "/", "")
        for name, text in TEXTS.items():
            url = f"https://library.test/notes/{name}"
            document = Document(collection="notes", path=name, url=url, title=name)
            library.put([(document, DocumentText(markdown=text, passages=cut(text)))])


def _embed(path: Path, *, form: str = FORM) -> int:
    with Library(path, writes=True) as library:
        library.use_vectors(form)
        some = library.without_vectors(10)
        for document, entries in some:
            library.put_vectors(document, [(each.id, vector(each.body, 256)) for each in entries])
        return len(some)


def _found(path: Path, query: str, *, form: str = FORM) -> list[str]:
    meaning = Meaning(form=form, vector=tuple(vector(query, 256)))
    with Library(path) as library:
        return [hit.document.path for hit in library.search(query, meaning=meaning, limit=1)]


def test_what_means_alike_is_found_without_its_words(tmp_path: Path) -> None:
    _filled(tmp_path / "l")
    before = _found(tmp_path / "l", "vehicle")
    _embed(tmp_path / "l")

    assert (before, _found(tmp_path / "l", "vehicle")) == ([], ["car"])


def test_vectors_of_another_model_are_not_compared_and_make_room(tmp_path: Path) -> None:
    _filled(tmp_path / "l")
    first = _embed(tmp_path / "l")

    other = _found(tmp_path / "l", "vehicle", form="another model")
    again, after = _embed(tmp_path / "l"), _embed(tmp_path / "l", form="another model")

    assert (first, again, after, other) == (3, 0, 3, [])


def test_a_removed_document_takes_its_vectors_along(tmp_path: Path) -> None:
    _filled(tmp_path / "l")
    _embed(tmp_path / "l")

    with Library(tmp_path / "l", writes=True) as library:
        document = library.document("https://library.test/notes/car")
        assert document is not None
        library.remove([document])
        counts = library.embedded()

    assert counts == (2, 2)
    assert "car" not in _found(tmp_path / "l", "vehicle")


def test_what_others_add_is_seen_by_a_library_that_is_open(tmp_path: Path) -> None:
    _filled(tmp_path / "l")
    meaning = Meaning(form=FORM, vector=tuple(vector("vehicle", 256)))
    with Library(tmp_path / "l") as library:
        before = library.search("vehicle", meaning=meaning, limit=1)
        _embed(tmp_path / "l")
        after = library.search("vehicle", meaning=meaning, limit=1)

    assert ([hit.document.path for hit in before], after[0].document.path) == ([], "car")


def test_of_many_the_nearest_comes_first(tmp_path: Path) -> None:
    chance = random.Random(7)
    vectors = [[chance.gauss(0, 1) for _ in range(64)] for _ in range(2_000)]
    with Library(tmp_path / "l", index="fts5", writes=True) as library:
        library.put_collection("notes", "/", "")
        text = DocumentText(markdown="x", passages=cut("x"))
        made = [
            (Document(collection="notes", path=str(n), url=f"https://library.test/{n}"), text)
            for n in range(len(vectors))
        ]
        library.put(made)
        library.use_vectors(FORM)
        for document in library.documents():
            passages = [(passage_id(document.id, 0), vectors[int(document.path)])]
            library.put_vectors(document, passages)
        near = [number + chance.gauss(0, 0.3) for number in vectors[1_234]]
        hits = library.search("?", meaning=Meaning(form=FORM, vector=tuple(near)), limit=3)

    assert hits[0].document.path == "1234"


@pytest.mark.parametrize(
    ("orders", "mixed"),
    [
        ([[1, 2, 3], []], [1, 2, 3]),
        ([[1, 2], [2, 1]], [1, 2]),
        ([[1, 2, 3], [3, 4]], [3, 1, 2, 4]),
        ([], []),
    ],
)
def test_two_orders_are_mixed_by_rank(orders: list[list[int]], mixed: list[int]) -> None:
    assert fused(orders) == mixed
