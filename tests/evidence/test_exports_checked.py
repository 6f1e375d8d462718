"""What we export is read again for its claims, whatever its form: each has its own page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from groundwire.evidence.bibliography import references
from groundwire.evidence.dossier import Dossier
from groundwire.model import Evidence
from groundwire.service.cited_input import cited_input
from groundwire.web.export_text import exported
from groundwire.web.shapes import message_json
from tests.evidence.dossiers import URL, dossier

NEWS = "https://news.example.com/otters"
FOUND = "https://found.example/"
CLAIMS = [
    (1, URL, "Sea otters have the densest fur."),
    (2, NEWS, "The valley has 450 otters."),
    (1, NEWS, "Sea otters have the densest fur."),
    (2, URL, "The valley has 450 otters."),
]


def _two_answers() -> Dossier:
    """Return a session whose second answer numbers the same pages the other way round."""
    one = dossier()
    question, answer = one.messages
    assert answer.marked is not None
    first, second = answer.marked.sources
    found = replace(first, number=3, url=FOUND, is_marked=False, evidence=Evidence.FOUND)
    marked = replace(
        answer.marked,
        sources=(replace(second, number=1), replace(first, number=2), found),
    )
    return replace(one, messages=(question, answer, question, replace(answer, marked=marked)))


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
def test_every_claim_of_an_export_has_its_own_page(form: str) -> None:
    found = cited_input(exported(_two_answers(), form)).citations

    assert [(each.number, each.url, each.claim.text) for each in found] == CLAIMS


def test_what_the_page_exports_as_json_is_read_too() -> None:
    text = json.dumps({"messages": [*map(message_json, _two_answers().messages)]}, default=str)

    found = cited_input(text)

    assert [(each.number, each.url, each.claim.text) for each in found.citations] == CLAIMS
    assert all(
        found.text[each.claim.start : each.claim.end].strip() == each.claim.text
        for each in found.citations
    )


def test_what_was_only_found_is_in_no_bibliography() -> None:
    assert [each.url for each in references(_two_answers().answers)] == [URL, NEWS]
