"""Thumbs and notes over HTTP, and the files that hold them."""

from __future__ import annotations

import json

from groundwire.model import Json
from tests.web.server import Web


def answered(web: Web, text: str, **body: Json) -> Json:
    """Ask, and return the answer as it is kept."""
    return web.ask(text, **body)[-1].data["message"]


def test_feedback_is_shown_again_and_in_json_exports(web: Web) -> None:
    done = answered(web, "How do sea otters sleep?")
    session_id, answer_id = done["session_id"], done["id"]
    path = f"/api/messages/{answer_id}/feedback"

    said = web.client.put(path, json={"rating": "down", "note": " No dates. "})

    kept = {"rating": "down", "note": "No dates."}
    assert (said.status_code, said.json()) == (200, kept)
    assert web.get(f"/api/sessions/{session_id}")["feedback"] == {answer_id: kept}
    for exported in (f"sessions/{session_id}", f"messages/{answer_id}"):
        reply = web.client.get(f"/api/{exported}/export?format=json")
        assert json.loads(reply.content)["feedback"] == {answer_id: kept}


def test_a_key_in_a_note_is_not_kept(web: Web) -> None:
    answer_id = answered(web, "How do sea otters sleep?")["id"]

    path = f"/api/messages/{answer_id}/feedback"
    said = web.client.put(path, json={"rating": "up", "note": "mine is sk-ant-" + "a1B2" * 10})

    assert "a1B2" not in said.json()["note"]


def test_a_question_takes_no_feedback(web: Web) -> None:
    question_id = answered(web, "How do sea otters sleep?")["parent_id"]

    reply = web.client.put(f"/api/messages/{question_id}/feedback", json={"rating": "up"})

    assert reply.status_code == 404


def test_one_answer_is_exported_with_its_question_alone(web: Web) -> None:
    first = answered(web, "How do sea otters sleep?")
    second = answered(web, "And what do they eat?", session_id=first["session_id"])

    reply = web.client.get(f"/api/messages/{second['id']}/export?format=markdown")

    assert reply.headers["content-type"].startswith("text/markdown")
    assert reply.headers["content-disposition"].endswith(f'{second["id"][:12]}.md"')
    assert "And what do they eat?" in reply.text
    assert "How do sea otters sleep?" not in reply.text.split("## Question")[1]


def test_a_format_that_is_none_is_refused_with_those_there_are(web: Web) -> None:
    answer_id = answered(web, "How do sea otters sleep?")["id"]

    reply = web.client.get(f"/api/messages/{answer_id}/export?format=docx")

    assert reply.status_code == 404
    assert "markdown, json" in reply.json()["error"]["message"]
