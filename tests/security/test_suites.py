"""Hidden text, script payloads and event streams of the shared suites, wherever else they come.

Elsewhere: the reader (tests/reader/test_hidden.py), the page and the answer's own page
(tests/web/page/test_safety.py, tests/web/chat_page/test_safety.py, tests/web/test_pages.py), the
parsers of events (tests/wire/test_sse_conformance.py, tests/test_cli.py, tests/web/page).
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from groundwire import citations
from groundwire.client import Client
from groundwire.library import open_library
from groundwire.library.adder import Adder, reader
from groundwire.model import Citation, Json, SearchQuery, SearchReply, SearchResult
from groundwire.reader import read_document
from groundwire.tools import Ledger, search_result
from groundwire.web.answer_page import harmless_html
from groundwire.wire.contract import HttpRequest
from tests.client.echo import endpoint
from tests.loopback import raw, reply, serve
from tests.security.harmless import check_html
from tests.security.obedience import SITE, attacked, call, say
from tests.shared import shared

AT_ONCE = 10


def variants() -> list[Json]:
    """Return the pages with a hidden sentence."""
    found: list[Json] = json.loads(shared("suites/hidden_text.json").read_text("utf-8"))
    return found


def payloads() -> list[str]:
    """Return the payloads that are text."""
    kept = json.loads(shared("suites/xss_payloads.json").read_text())
    return [each["payload"] for each in kept]


def came_through(text: str) -> list[str]:
    """Return the variants whose hidden sentence, or the character that hides it, is in a text.

    Where zero-width characters split a sentence it is seen by everybody: only they must go.
    """
    marks = {
        each["variant"]: re.compile("[\U000e0000-\U000e007f]")
        if each["marker"].startswith("unicode tags")
        else re.compile("\u200b" if each["marker"] == "U+200B" else re.escape(each["marker"]))
        for each in variants()
    }
    return [variant for variant, mark in marks.items() if mark.search(text)]


def hidden() -> list[Json]:
    """Return the pages whose sentence nobody sees."""
    return [each for each in variants() if each["marker"] != "U+200B"]


async def test_no_hidden_sentence_reaches_a_model_in_a_conversation() -> None:
    every = hidden()
    pages = [reply(each["html"].encode(), content_type="text/html") for each in every]
    groups = [range(at, min(at + AT_ONCE, len(every))) for at in range(0, len(every), AT_ONCE)]
    urls = [[f"http://{SITE}/{number}" for number in group] for group in groups]
    moves = [move for group in urls for move in (call("open_page", url=group), say("Read."))]
    got = ""

    async with attacked(*moves, pages=pages, extract=None) as attack:
        for group in urls:
            await attack.ask("Read " + " ".join(group))
            got += "".join(each["content"] for each in attack.told() if each["role"] == "tool")

    assert came_through(got) == []
    assert got.count("quick brown fox") > len(every)


async def test_no_hidden_sentence_gets_into_a_library(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    every = hidden()
    for number, each in enumerate(every):
        (folder / f"{number}.html").write_text(each["html"], encoding="utf-8")

    with open_library({"path": str(tmp_path / "library.sqlite3")}, writes=True) as library:
        async with reader() as documents:
            report = await Adder(library, documents).add_folder(folder)
        kept = [library.read(each.url) for each in library.documents(report.collection)]

    texts = "".join(page.content for page in kept if page)
    assert (report.added, len(kept)) == (len(every), len(every))
    assert came_through(texts) == []


def test_no_payload_becomes_more_than_words_in_the_librarys_own_html() -> None:
    for text in payloads():
        citation = Citation(url=text, title=text, quote=text, start=0, end=len(text))
        marked = citations.place(f"{text}[1]", [citation], known={"1": citation})
        check_html(citations.to_html(marked) + citations.sources_to_html(marked))


def test_no_payload_survives_being_read_as_a_page_and_shown_again() -> None:
    for text in payloads():
        page = f"<title>T</title><article><h1>T</h1><p>Otters.</p>{text}<p>Otters.</p></article>"
        found = read_document(page.encode("utf-8", "replace"), "text/html", "https://a.example/")
        check_html(harmless_html(found.markdown))


def test_a_payload_in_a_search_result_stays_one_line_of_text() -> None:
    for text in payloads():
        hit = SearchResult(url=text, title=text, snippet=text)
        found = search_result(
            SearchQuery(text=text), SearchReply(service="x", results=(hit,)), Ledger()
        )
        [item] = found.results
        assert len(f"{item.title}\n{item.snippet}\n{item.url}".split("\n")) == 3


async def test_the_client_reads_every_stream_of_the_web_platform_tests() -> None:
    cases = json.loads(shared("suites/wpt_eventsource.json").read_text())["cases"]
    usual = [each for each in cases if each["content_type"].startswith("text/event-stream")]
    wrong = []

    async with Client() as client:
        for case in usual:
            head = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            )
            async with serve(raw(head + base64.b64decode(case["body_b64"]))) as server:
                request = HttpRequest(method="GET", url=server.url)
                async with client.stream(endpoint(server), request) as stream:
                    got = [data async for data in stream]
            if got != [event["data"] for event in case["events"]]:
                wrong.append(case["name"])

    assert wrong == []
    assert len(usual) > 40
