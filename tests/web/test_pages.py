"""The page's files, and one answer that needs no JavaScript."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from groundwire.citations import from_json, place, to_json
from groundwire.conversation import ChatMessage, MessageKind, Status
from groundwire.model import Citation, Json
from groundwire.web.answer_page import answer_html, answer_page, harmless_html
from groundwire.web.page_files import FOLDER
from tests.shared import shared
from tests.web.server import Web


@pytest.mark.parametrize(
    "path", ["/", "/s/any", "/settings", "/settings/agents", "/login", "/setup"]
)
def test_every_address_of_the_page_is_the_page(web: Web, path: str) -> None:
    reply = web.client.get(path)

    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("base.css", "text/css; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_file_has_its_type_and_a_tag_by_its_content(web: Web, name: str, kind: str) -> None:
    reply = web.client.get(f"/page/{name}", headers={"Accept-Encoding": "identity"})
    digest = hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()[:20]

    again = web.client.get(
        f"/page/{name}",
        headers={"Accept-Encoding": "identity", "If-None-Match": reply.headers["etag"]},
    )

    assert (reply.headers["content-type"], reply.headers["etag"]) == (kind, f'"{digest}"')
    assert reply.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")


def test_a_file_asked_for_by_its_version_need_never_be_asked_for_again(web: Web) -> None:
    version = hashlib.sha256((FOLDER / "main.js").read_bytes()).hexdigest()[:20]

    reply = web.client.get(f"/page/main.js?v={version}")
    other = web.client.get("/page/main.js?v=older")

    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert other.headers["cache-control"] == "no-cache"


def test_a_file_is_packed_for_those_who_can_unpack_it(web: Web) -> None:
    with web.client.stream("GET", "/page/main.js", headers={"Accept-Encoding": "gzip"}) as reply:
        body = b"".join(reply.iter_raw())

    assert reply.headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == (FOLDER / "main.js").read_bytes()


@pytest.mark.parametrize(
    "name", ["nothing.js", "../app.py", "%2e%2e/app.py", "..%2fapp.py", "%00", "/etc/passwd", ""]
)
def test_only_files_of_the_page_are_served(web: Web, name: str) -> None:
    assert web.client.get(f"/page/{name}").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/answers/none", "/s/a/b", "/library/none/at-all", "/sources/none/99"],
)
def test_an_address_that_leads_nowhere_is_a_page_for_people_and_json_for_programs(
    web: Web, path: str
) -> None:
    seen = web.client.get(path, headers={"Accept": "text/html,*/*"})
    told = web.client.get(path, headers={"Accept": "*/*"})

    assert (seen.status_code, told.status_code) == (404, 404)
    assert '<h1 dir="auto">There is nothing here</h1>' in seen.text
    assert 'href="/"' in seen.text
    assert "Content-Security-Policy" in seen.headers
    assert told.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize("path", ["/sources/{}/99", "/sources/{}/0", "/sources/{}/otters"])
def test_a_source_that_an_answer_does_not_have_is_a_page_for_people(web: Web, path: str) -> None:
    address = path.format(web.ask()[-1].data["message"]["id"])
    headers = {"Accept": "text/html,*/*", "Origin": web.url}

    seen = web.client.get(address, headers=headers)
    pressed = web.client.post(f"{address}/check", headers=headers)

    for reply in (seen, pressed):
        assert reply.status_code == 404
        assert '<h1 dir="auto">There is nothing here</h1>' in reply.text


def test_an_api_answers_a_browser_in_json_too(web: Web) -> None:
    told = web.client.get("/api/sessions/none", headers={"Accept": "text/html"})

    assert told.status_code == 404
    assert told.json()["error"]["code"] == "not_found"


def test_an_answer_can_be_read_without_javascript(web: Web) -> None:
    message = web.ask()[-1].data["message"]

    page = web.client.get(f"/answers/{message['id']}").text

    assert "<script" not in page
    assert f'<sup class="citation cited"><a href="{message["answer"]["sources"][0]["url"]}"' in page
    assert f"Sources ({len(message['answer']['sources'])})" in page
    assert "<li>" in page


def answered(text: str, sources: list[Json] | None = None, **changes: Json) -> ChatMessage:
    answer = {"text": text, "markers": [], "sources": sources or [], "removed": [], **changes}
    marked = from_json(answer)
    return ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, content=text, marked=marked)


def source(url: str) -> Json:
    return {
        "number": 1,
        "url": url,
        "title": "Sea otter",
        "domain": "wiki.example.net",
        "evidence": "cited",
        "quotes": [],
        "spans": [],
    }


def marker(start: int, **what: Json) -> Json:
    return {
        "start": start,
        "end": start + 3,
        "numbers": [],
        "struck": [],
        "unknown": [],
        "supports": [],
        **what,
    }


def test_markdown_is_rendered_and_markers_are_links() -> None:
    message = answered(
        "**Otters** sleep[1]",
        [source("https://wiki.example.net/otter")],
        markers=[marker(16, numbers=[1])],
    )

    assert answer_html(message) == (
        '<p dir="auto"><strong>Otters</strong> sleep<sup class="citation cited">'
        '<a href="https://wiki.example.net/otter" rel="noopener noreferrer" '
        'aria-label="Source 1: Sea otter">[1]</a></sup></p>\n'
    )


def test_what_rests_on_a_removed_source_is_said_to_be_folded_and_is_not_there() -> None:
    fold = {"start": 16, "end": 27, "domains": ["x.y"]}

    shown = answer_html(answered("Otters **sleep. They** eat.[removed] Good.", folded=[fold]))

    assert 'class="folded-note">(Folded by policy: this rests on x.y.)</span>[removed]' in shown
    assert "eat" not in shown
    assert "Good." in shown


def test_words_of_a_link_that_became_a_marker_stay_in_an_answer_that_was_just_made() -> None:
    cited = Citation(url="https://wiki.example.net/otter", start=0, end=45)
    marked = place("See [the sea](https://wiki.example.net/otter) now.", [cited])
    message = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE, content=marked.text)

    shown = answer_html(replace(message, marked=marked))

    assert shown == answer_html(replace(message, marked=from_json(to_json(marked))))
    assert shown.startswith('<p dir="auto">See the sea<sup')
    assert shown.endswith("</sup> now.</p>\n")


def test_a_link_that_is_no_source_is_its_words_and_its_host() -> None:
    message = answered(
        "[here](https://evil.example/?q=secret) and [there](https://wiki.example.net/otter)",
        [source("https://wiki.example.net/otter")],
    )

    assert answer_html(message) == (
        '<p dir="auto">here (evil.example) and <a href="https://wiki.example.net/otter" '
        'rel="noopener noreferrer nofollow ugc">there</a></p>\n'
    )


def test_characters_that_stand_for_markers_cannot_be_written_by_a_model() -> None:
    message = answered("\ue0000\ue001 and [x](https://a.example/\ue0000\ue001)[1]", markers=[])

    assert answer_html(message) == '<p dir="auto">0 and x (a.example)[1]</p>\n'


def test_a_line_of_dashes_makes_a_heading_in_a_document_and_none_in_an_answer() -> None:
    text = "Otters\n-\n\nSeals\n==="

    assert "<h" not in answer_html(answered(text))
    assert harmless_html(text).count("<h") == 2


def test_an_incomplete_answer_says_so() -> None:
    message = answered("Otters sl")
    cut = ChatMessage(
        session_id="s",
        kind=MessageKind.AI_RESPONSE,
        content="Otters sl",
        marked=message.marked,
        status=Status.INTERRUPTED,
    )

    assert "was interrupted: it is not complete" in answer_page(cut, "Otters?")


class Inspector(HTMLParser):
    """Collects what could do something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


def test_nothing_of_any_payload_can_run_or_load_in_the_page() -> None:
    payloads: Json = json.loads(shared("suites/xss_payloads.json").read_text())
    texts = [row["payload"] for row in payloads]
    assert len(texts) > 500
    allowed = {
        *("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "ul"),
        *("ol", "li", "strong", "em", "s", "a", "table", "thead", "tbody", "tr", "th", "td"),
        *("sup", "span", "del"),
    }

    for text in texts:
        inspector = Inspector()
        title = {**source("https://wiki.example.net/otter"), "title": text, "url": text}
        message = answered(f"{text}[1]", [title], markers=[marker(len(text), numbers=[1])])
        inspector.feed(answer_html(message))
        assert inspector.tags <= allowed, text
        names = {name for name, _ in inspector.attributes}
        assert names <= {"href", "rel", "class", "aria-label", "role", "dir"}, text
        links = [value for name, value in inspector.attributes if name == "href"]
        assert all(re.match(r"(?i)https?://|mailto:", link) for link in links), text
