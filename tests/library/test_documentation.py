"""What a first start puts into an empty library."""

from __future__ import annotations

from pathlib import Path

from groundwire.library import Library
from groundwire.service.documentation import ABOUT_THE_PROJECT, add_documentation


async def test_pages_about_the_project_itself_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite3"

    await add_documentation({"path": str(path)})

    with Library(path) as library:
        paths = {document.path for document in library.documents()}
    assert {"README.md", "architecture.md", "comparison.md", "questions.md"} <= paths
    assert paths & ABOUT_THE_PROJECT == set()
    assert not [path for path in paths if path.startswith("decisions/")]
