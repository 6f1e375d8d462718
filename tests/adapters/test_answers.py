"""Answers and searches of every provider, asked over a real socket."""

from __future__ import annotations

import pytest

from groundwire.events import Done, TextDelta, Warned
from groundwire.model import Citation, Evidence, Json, UserMessage
from groundwire.sandbox import SandboxServer
from tests.adapters.questions import (
    ASKED,
    WAY,
    WAYS,
    WEATHER,
    Service,
    Way,
    citations_in,
    errors_in,
    found_in,
    queries_in,
    text_in,
    usage_in,
    warnings_in,
)

QUERY = "How dense is the fur of sea otters"
PAGES = ["https://wiki.example.net/sea-otter", "https://news.example.com/2026/05/otters-return"]
CLAIMS = [
    "Sea otters have the densest fur of all animals.",
    "River otters were counted at nine places along the valley this spring.",
]
REDIRECT = "https://vertexaisearch.cloud.google.com/"
STOPS = {
    "anthropic": "end_turn",
    "gemini": "STOP",
    "gemini-interactions": "completed",
    "openai": "stop",
    "openrouter": "stop",
}
# What the wire of a provider does not tell, nobody can know.
TELLS_QUERIES = {"anthropic", "openai-responses", "gemini", "codex"}
TELLS_HITS = {"anthropic", "openai-responses", "codex"}
TELLS_NO_PLACES = {"openrouter", "openrouter-server"}
LINKS_PAGES = {"openai", "openai-responses", "codex"}
MANY = "otters, tides, sourdough, chess, coffee, volcanoes and lighthouses"

each_way = pytest.mark.parametrize("way", WAYS, ids=str)


def _speaks_responses(way: Way) -> bool:
    return way.provider in {"openai-responses", "codex"} or "responses" in way.name


def _links_pages(way: Way) -> bool:
    return way.provider in LINKS_PAGES or _speaks_responses(way)


@each_way
async def test_a_plain_answer_streams_and_is_billed(service: Service, way: Way) -> None:
    events = await service.ask(way, "Hello, is anybody there?")

    text = text_in(events)
    usage = usage_in(events)
    stop = (
        "completed" if _speaks_responses(way) else STOPS.get(way.name, STOPS.get(way.provider, ""))
    )
    assert text.startswith("This is the sandbox speaking. You said: “Hello, is anybody there?”.")
    assert text.endswith("Grüße aus dem Sandkasten, 世界 🌍! Goodbye.")
    assert sum(isinstance(event, TextDelta) for event in events) > 1
    assert usage is not None
    assert usage.input_tokens is not None
    assert usage.input_tokens > 0
    assert usage.output_tokens == 32
    assert not usage.searches
    assert [event for event in events if isinstance(event, Done)] == [Done(stop)]
    assert errors_in(events) == warnings_in(events) == []
    assert citations_in(events) == []


@each_way
async def test_a_search_cites_pages_at_places_inside_the_text(service: Service, way: Way) -> None:
    events = await service.ask(way, ASKED, web_search=True)

    text, cited = text_in(events), citations_in(events)
    spans = [text[c.start : c.end] for c in cited if c.start is not None]
    if way.name in TELLS_NO_PLACES:
        assert [(c.start, c.end) for c in cited] == [(None, None)] * 2
    elif _links_pages(way):
        assert spans == [f"([{c.domain}]({c.url}))" for c in cited]
    else:
        assert spans == CLAIMS
    assert all(claim in text for claim in CLAIMS)
    assert errors_in(events) == warnings_in(events) == []


@each_way
async def test_a_citation_names_the_page_and_its_real_domain(service: Service, way: Way) -> None:
    events = await service.ask(way, ASKED, web_search=True)

    cited = citations_in(events)
    assert [c.domain for c in cited] == ["wiki.example.net", "news.example.com"]
    assert {c.evidence for c in cited} == {Evidence.CITED}
    if way.provider == "gemini":
        # It tells only a redirect, and the host behind it as the title.
        assert all(c.url.startswith(REDIRECT) for c in cited)
        assert [c.title for c in cited] == [c.domain for c in cited]
    else:
        assert [c.url.removesuffix("?utm_source=openai") for c in cited] == PAGES
        assert [c.title for c in cited] == ["Sea otter", "Otters return to the river"]


async def test_claude_quotes_the_page(service: Service) -> None:
    events = await service.ask(WAY["anthropic"], ASKED, web_search=True)

    assert [c.quote.strip() for c in citations_in(events)] == CLAIMS


@each_way
async def test_queries_hits_and_the_number_of_searches_are_told(service: Service, way: Way) -> None:
    events = await service.ask(way, ASKED, web_search=True)

    usage = usage_in(events)
    tells_query = way.provider in TELLS_QUERIES or _speaks_responses(way)
    assert queries_in(events) == ([QUERY] if tells_query else [])
    assert [hit.url for hit in found_in(events)] == (PAGES if way.name in TELLS_HITS else [])
    assert usage is not None
    assert usage.searches == (None if way.name == "openai" else 1)


@pytest.mark.parametrize("name", sorted(TELLS_HITS))
async def test_what_was_found_is_more_than_what_is_cited(service: Service, name: str) -> None:
    events = await service.ask(WAY[name], MANY, web_search=True)

    found = {hit.url for hit in found_in(events)}
    cited = {c.url.removesuffix("?utm_source=openai") for c in citations_in(events)}
    assert cited < found
    assert all(hit.title for hit in found_in(events))


@pytest.mark.parametrize("name", ["anthropic", "openai-responses", "gemini", "codex"])
async def test_two_searches_are_told_and_counted(service: Service, name: str) -> None:
    events = await service.ask(WAY[name], "Compare otters and volcanoes", web_search=True)

    usage = usage_in(events)
    assert queries_in(events) == ["Compare otters", "volcanoes"]
    assert usage is not None
    assert usage.searches == 2


@each_way
async def test_spans_are_characters_where_bytes_and_surrogates_differ(
    service: Service, way: Way
) -> None:
    events = await service.ask(way, "Umlaute, 新幹線 and emoji", web_search=True)

    text, cited = text_in(events), citations_in(events)
    assert len(text.encode()) > len(text)
    assert len(cited) >= 3
    for citation in cited:
        _check_span(way, text, citation)


def _check_span(way: Way, text: str, citation: Citation) -> None:
    if citation.start is None or citation.end is None:
        assert way.name in TELLS_NO_PLACES
        return
    cut = text[citation.start : citation.end]
    assert 0 <= citation.start < citation.end <= len(text)
    if _links_pages(way):
        assert cut == f"([{citation.domain}]({citation.url}))"
    else:
        assert cut == cut.strip()
        assert text[citation.start - 2 : citation.start] == "- "
        assert text[citation.end] == "\n"


FILTERED = [way for way in WAYS if way.provider not in {"openai", "gemini"}]


def _filter_in(body: Json, way: Way) -> Json:
    """Return the list of allowed domains in a request, wherever the provider wants it."""
    if way.name in {"openrouter", "openrouter-responses"}:
        return body["plugins"][0]["include_domains"]
    tool = body["tools"][0]
    inner = tool.get("filters") or tool.get("parameters") or tool
    return inner["allowed_domains"]


@pytest.mark.parametrize("way", FILTERED, ids=str)
async def test_an_allowed_list_is_sent_as_the_provider_wants_it_and_honoured(
    service: Service, way: Way
) -> None:
    events = await service.ask(way, ASKED, web_search=True, allowed_domains=("*.example.net",))

    takes_stars = way.name in {"openrouter", "openrouter-responses"}
    expected = ["*.example.net"] if takes_stars else ["example.net"]
    assert _filter_in(service.sandbox.requests[0].body, way) == expected
    assert {c.domain for c in citations_in(events)} == {"wiki.example.net"}
    assert errors_in(events) == warnings_in(events) == []


@pytest.mark.parametrize("way", FILTERED, ids=str)
async def test_a_blocked_list_is_honoured(service: Service, way: Way) -> None:
    events = await service.ask(way, ASKED, web_search=True, blocked_domains=("wiki.example.net",))

    assert {c.domain for c in citations_in(events)} == {"news.example.com"}
    assert errors_in(events) == []


@pytest.mark.parametrize("name", ["openai", "gemini"])
async def test_a_provider_without_a_filter_says_that_it_has_none(
    service: Service, name: str
) -> None:
    events = await service.ask(
        WAY[name], ASKED, web_search=True, allowed_domains=("*.example.net",)
    )

    assert warnings_in(events) == ["domains_enforced_locally"]
    assert "example.net" not in str(service.sandbox.requests[0].body)


@each_way
async def test_nobody_searches_when_every_domain_is_blocked(service: Service, way: Way) -> None:
    events = await service.ask(
        way, "Hello", web_search=True, blocked_domains=("*",), model=way.model
    )

    body = service.sandbox.requests[0].body
    assert warnings_in(events) == ["web_search_dropped"]
    assert not {"tools", "plugins", "web_search_options"} & set(body)
    assert queries_in(events) == []
    assert citations_in(events) == []


async def test_gemini_of_old_searches_only_without_functions(service: Service) -> None:
    events = await service.ask(
        WAY["gemini"], ASKED, web_search=True, tools=(WEATHER,), model="gemini-2.5-pro"
    )

    assert warnings_in(events) == ["web_search_dropped"]
    assert errors_in(events) == []


async def test_chat_completions_refuse_to_search_with_a_model_that_cannot(
    service: Service,
) -> None:
    events = await service.ask(WAY["openai"], ASKED, web_search=True, model="gpt-5")

    assert errors_in(events) == ["web_search_unsupported"]
    assert service.sandbox.requests == []


async def test_a_pause_is_continued_and_the_bill_added_up(service: Service) -> None:
    events = await service.ask(WAY["anthropic"], "Pause, then tell me about tides", web_search=True)

    first, second = service.sandbox.requests
    assert first.body["messages"] == second.body["messages"][:1]
    assert second.body["messages"][1]["role"] == "assistant"
    assert queries_in(events) == ["Pause then tell me about tides"]
    assert {c.domain for c in citations_in(events)} >= {"wiki.example.net"}
    assert [event for event in events if isinstance(event, Done)] == [Done("end_turn")]
    assert errors_in(events) == []


async def test_an_endless_pause_is_left_after_ten_times(service: Service) -> None:
    events = await service.ask(WAY["anthropic"], "Pause forever at the tides", web_search=True)

    assert len(service.sandbox.requests) == 10
    roles = [
        [each["role"] for each in asked.body["messages"]] for asked in service.sandbox.requests
    ]
    assert roles == [["user"], *[["user", "assistant"]] * 9]
    assert events[-2:] == [
        Warned("the answer paused more than 10 times", "paused"),
        Done("pause_turn"),
    ]
    assert errors_in(events) == []


RETIRED = {
    "anthropic": ("claude-sonnet-4-20250514", "claude-sonnet-5-5"),
    "openai": ("gpt-4-turbo", "gpt-5.5"),
    "openai-responses": ("o4-mini", "gpt-5.5"),
    "gemini": ("gemini-2.5-flash", "gemini-3.8-flash"),
    "openrouter": ("openai/o4-mini", "gpt-5.5"),
    "codex": ("gpt-5.1-codex", "gpt-5.5"),
}


@pytest.mark.parametrize("name", RETIRED)
async def test_a_retired_model_is_a_warning_that_names_the_successor(
    service: Service, name: str
) -> None:
    model, successor = RETIRED[name]

    async with SandboxServer(extra_models=(model,)) as sandbox:
        moved = Service(sandbox=sandbox, client=service.client, pauses=[])
        events = await moved.ask(WAY[name], UserMessage(content="Hello"), model=model)

    warning = events[0]
    assert isinstance(warning, Warned)
    assert warning.code == "retired_model"
    assert f"use '{successor}' instead" in warning.message
    assert text_in(events).startswith("This is the sandbox speaking.")
