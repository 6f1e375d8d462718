"""Citations compared with their pages, over HTTP: in the stream, later, again, and to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox.played_citations import PLAYED, WINDMILLS
from groundwire.service.sandbox_library import Extractor
from groundwire.testing import SandboxServer
from tests.patience import wait_until
from tests.web.server import Event, Web

QUESTION = f"Windmills: {', '.join(each.words for each in PLAYED)}"


@pytest.fixture
def checking(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """Return a server that compares citations, as it does unless told otherwise."""
    with Web(sandbox, tmp_path, checks={}) as web:
        yield web


def _ask(web: Web, text: str = QUESTION) -> list[Event]:
    return web.ask(text, search="hosted")


def _settled(web: Web, message_id: str) -> Json:
    """Return the checks of an answer once none is pending."""

    def done() -> Json:
        told = web.get(f"/api/messages/{message_id}/checks")
        return told if told["state"] == "done" else None

    return wait_until(done)


def test_five_citations_come_to_five_different_things(checking: Web) -> None:
    done = _ask(checking)[-1]
    told = _settled(checking, done.data["message"]["id"])

    right, number, quote, missing, blocked = told["checks"]
    assert [each["claim"] for each in told["checks"]] == [each.text for each in PLAYED]
    assert (right["state"], right["quote"]["found"]) == ("found", "letter")
    assert (number["state"], number["missing_numbers"]) == ("absent", ["97"])
    assert (quote["state"], quote["quotations"][0]["found"]) == ("absent", "none")
    assert (missing["state"], missing["not_compared"]) == ("not_compared", "unreadable")
    assert (blocked["state"], blocked["not_compared"]) == ("not_compared", "blocked")
    assert told["summary"].startswith("1 of 5 citations")
    assert told["pending"] == 0


def test_the_end_of_the_stream_tells_what_is_open_and_markers_where_checks_belong(
    checking: Web,
) -> None:
    events = _ask(checking)
    done = events[-1].data
    told = _settled(checking, done["message"]["id"])

    markers = done["message"]["answer"]["markers"]
    streamed = [each.data["position"] for each in events if each.type == "marker"]
    assert done["message"]["checks_state"] == "pending"
    assert done["checks"]["pending"] + len(done["checks"]["checks"]) == 5
    assert [each["check_position"] for each in markers] == streamed
    assert [each["position"] for each in told["checks"]] == streamed


def test_a_session_that_is_opened_again_has_its_checks(checking: Web) -> None:
    message = _ask(checking)[-1].data["message"]
    told = _settled(checking, message["id"])

    opened = checking.get(f"/api/sessions/{message['session_id']}")

    assert opened["checks"] == {message["id"]: told}


def test_a_workspace_without_checks_compares_nothing(checking: Web) -> None:
    checking.client.patch("/api/workspaces/personal", json={"citation_checks": "off"})

    events = _ask(checking)

    done = events[-1].data
    again = checking.client.post(f"/api/messages/{done['message']['id']}/checks")
    assert "citation_checked" not in {each.type for each in events}
    assert (done["message"]["checks_state"], done["checks"]["checks"]) == ("", [])
    assert again.status_code == 409
    assert "citation_checks" in again.json()["error"]["message"]


def test_a_workspace_may_compare_opened_pages_only(checking: Web) -> None:
    checking.client.patch("/api/workspaces/personal", json={"citation_checks": "opened"})

    told = _settled(checking, _ask(checking)[-1].data["message"]["id"])

    assert {each["not_compared"] for each in told["checks"]} == {"not_opened"}
    assert not [each for each in checking.sandbox.requests if "/jina" in each.path]


def test_pages_that_the_model_opened_are_compared_as_it_read_them(tmp_path: Path) -> None:
    with (
        SandboxServer(answerer=Extractor()) as sandbox,
        Web(sandbox, tmp_path, checks={"pages": "opened"}) as web,
    ):
        message = web.ask(search="client")[-1].data["message"]
        told = _settled(web, message["id"])
        visits = [each.path for each in sandbox.requests if "jina" in each.path]

    assert {each["state"] for each in told["checks"]} == {"found"}
    assert len(visits) == message["pages_read"]


def test_check_again_compares_with_the_page_as_it_is_now(checking: Web) -> None:
    message = _ask(checking, "Windmills: cite rightly")[-1].data["message"]
    path = f"/api/messages/{message['id']}/checks"
    before = _settled(checking, message["id"])
    visits = len([each for each in checking.sandbox.requests if "jina" in each.path])

    begun = checking.client.post(path)
    after = _settled(checking, message["id"])

    assert begun.status_code == 202
    assert (begun.json()["state"], begun.json()["pending"]) == ("again", 1)
    assert after["checks"][0]["checked_at"] > before["checks"][0]["checked_at"]
    assert len([each for each in checking.sandbox.requests if "jina" in each.path]) == visits + 1


def test_an_answer_that_cites_nothing_cannot_be_compared(checking: Web) -> None:
    message = checking.ask("Hello", search="off")[-1].data["message"]
    path = f"/api/messages/{message['id']}/checks"

    told = checking.get(path)
    again = checking.client.post(path)

    assert told == {"state": "", "pending": 0, "checks": [], "summary": ""}
    assert again.status_code == 409
    assert checking.client.get(f"/api/messages/{message['parent_id']}/checks").status_code == 404


def test_a_source_is_there_as_it_was_read(checking: Web) -> None:
    message = _ask(checking)[-1].data["message"]
    told = _settled(checking, message["id"])

    source = checking.get(f"/api/messages/{message['id']}/sources/1")

    right = told["checks"][0]
    place = slice(right["quote"]["start"], right["quote"]["end"])
    assert source["url"] == WINDMILLS.url
    assert source["text"][place] == PLAYED[0].quote
    assert source["page_hash"] == right["page_hash"]
    assert [each["position"] for each in source["checks"]] == [
        each["position"] for each in told["checks"][:3]
    ]
    missing = checking.client.get(f"/api/messages/{message['id']}/sources/2")
    assert missing.status_code == 404


def test_the_source_page_marks_the_passage_beside_the_claim(checking: Web) -> None:
    message = _ask(checking)[-1].data["message"]
    told = _settled(checking, message["id"])

    page = checking.client.get(told["checks"][0]["source_url"])

    assert page.status_code == 200
    assert re.search(f"<mark[^>]*>{re.escape(PLAYED[0].quote)}</mark>", page.text)
    assert 'id="passage"' in page.text
    assert PLAYED[0].text in page.text
    assert "Quoted to the letter." in page.text
    assert "#:~:text=In%201850%20there" in page.text
    assert "script" not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert told["checks"][3]["source_url"] is None
    assert "#:~:text=In%201850%20there" in told["checks"][0]["live_url"]
    assert told["checks"][3]["live_url"] is None


def test_the_source_page_has_the_citations_compared_again_without_a_script(checking: Web) -> None:
    message = _ask(checking, "Windmills: cite rightly")[-1].data["message"]
    before = _settled(checking, message["id"])
    page = checking.client.get(before["checks"][0]["source_url"]).text
    action = re.search(r'<form method="post" action="([^"]+)"', page)
    assert action
    assert f'href="/s/{message["session_id"]}"' in page

    sent = checking.client.post(action[1])
    after = _settled(checking, message["id"])

    assert sent.status_code == 303
    assert sent.headers["location"] == before["checks"][0]["source_url"]
    assert after["checks"][0]["checked_at"] > before["checks"][0]["checked_at"]
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert checking.client.post(action[1], headers=foreign).status_code == 403


def test_a_source_that_was_not_read_has_a_page_that_says_so(checking: Web) -> None:
    message = _ask(checking)[-1].data["message"]
    _settled(checking, message["id"])

    page = checking.client.get(f"/sources/{message['id']}/2")

    assert page.status_code == 200
    assert "The text of this page is not kept" in page.text
    assert checking.client.get(f"/sources/{message['id']}/99").status_code == 404


def test_checks_go_with_the_session(checking: Web) -> None:
    message = _ask(checking, "Windmills: cite rightly")[-1].data["message"]
    _settled(checking, message["id"])

    checking.client.delete(f"/api/sessions/{message['session_id']}")

    for path in ("checks", "sources/1"):
        reply = checking.client.get(f"/api/messages/{message['id']}/{path}")
        assert reply.status_code == 404
