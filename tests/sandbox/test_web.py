"""The sandbox's built-in web: what its search finds and what it opens."""

from __future__ import annotations

from groundwire.sandbox import PAGES, BuiltInWeb, Domains
from groundwire.sandbox.arguments import arguments_for

WEB = BuiltInWeb(PAGES)


def test_the_best_page_comes_first_with_its_best_passage_first() -> None:
    hits = WEB.search("Where do sea otters sleep in kelp?", limit=2)

    assert [hit.page.title for hit in hits] == ["Sea otter", "Otters return to the river"]
    assert hits[0].passages[0].startswith("Resting sea otters wrap themselves in kelp")


def test_a_word_without_spaces_around_it_is_found() -> None:
    hits = WEB.search("新幹線", limit=5)

    assert [hit.page.url for hit in hits] == ["https://wiki.example.net/ja/shinkansen"]


def test_domains_narrow_a_search_with_subdomains_and_paths() -> None:
    everywhere = WEB.search("asyncio", limit=9)
    allowed = WEB.search("asyncio", limit=9, domains=Domains(allowed=("example.org/asyncio/*",)))
    blocked = WEB.search("asyncio", limit=9, domains=Domains(blocked=("*.example.org",)))

    assert len(everywhere) == 3
    assert {hit.page.host for hit in allowed} == {"docs.example.org"}
    assert blocked == []


def test_a_page_is_opened_whatever_its_query() -> None:
    page = WEB.open("https://wiki.example.net/tide/?utm_source=openai#spring")

    assert page is not None
    assert page.title == "Tide"


def test_every_page_has_its_own_address() -> None:
    assert len({page.url for page in PAGES}) == len(PAGES)


def test_arguments_fit_the_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "maxLength": 12},
            "unit": {"enum": ["celsius", "kelvin"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 7},
            "when": {"type": ["string", "null"], "format": "date"},
            "places": {"type": "array", "items": {"$ref": "#/$defs/place"}, "minItems": 2},
            "is_exact": {"anyOf": [{"type": "null"}, {"type": "boolean"}]},
            "ignored": {"type": "string"},
        },
        "required": ["query", "unit", "days", "when", "places", "is_exact"],
        "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }

    arguments = arguments_for(schema, "The weather in Paris for 14 days")

    assert arguments == {
        "query": "The weather ",
        "unit": "celsius",
        "days": 7,
        "when": "2026-11-01",
        "places": [{"city": "Paris"}, {"city": "Paris"}],
        "is_exact": True,
    }


def test_a_tool_without_parameters_gets_no_arguments() -> None:
    assert arguments_for({"type": "object", "properties": {}}, "Do it") == {}
