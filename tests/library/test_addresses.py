"""Addresses that lead to a document without naming it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.library.addresses import redirect_to, target_of
from tests.library.folders import adding, write

URL = "https://library.test/notes/sea otter ?ü.md"


def test_a_redirect_leads_back_to_what_it_was_made_of() -> None:
    assert target_of(redirect_to(URL)) == URL
    assert target_of(redirect_to(URL) + "?passage=a#passage") == URL
    assert "otter" not in redirect_to(URL)


@pytest.mark.parametrize("tail", ["_redirect/!!", "_redirect/", "_redirect/_____w", "notes/a.md"])
def test_any_other_address_leads_nowhere(tail: str) -> None:
    assert target_of(f"https://library.test/{tail}") == ""


async def test_a_document_is_read_at_its_redirect(tmp_path: Path) -> None:
    folder = write(tmp_path / "notes", {"otter.md": "# Otter\n\nOtters hold hands.\n"})
    async with adding(tmp_path / "l") as (adder, library):
        await adder.add_folder(folder)

        page = library.read(redirect_to("https://library.test/notes/otter.md"))

    assert page is not None
    assert page.url == "https://library.test/notes/otter.md"
