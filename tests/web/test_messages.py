"""What a message may say: where it stands in the conversation, what it brings, what is refused."""

from __future__ import annotations

import httpx2
import pytest

from groundwire.model import Json
from tests.chat.program import OTTERS
from tests.web.server import Web, events_of


def test_an_edit_of_the_first_question_begins_anew(web: Web) -> None:
    first = web.ask("Otters?", parent_id=None)[-1].data["message"]
    session_id = first["session_id"]

    web.ask("Tides?", session_id=session_id, parent_id=None)

    messages = web.get(f"/api/sessions/{session_id}")["messages"]
    assert [each["parent_id"] for each in messages[::2]] == [None, None]
    [sent] = web.sandbox.requests[-1].body["messages"]
    assert sent["content"][0]["text"] == "Tides?"


def test_without_a_parent_a_message_follows_the_newest(web: Web) -> None:
    first = web.ask("Otters?")[-1].data["message"]

    second = web.ask("And tides?", session_id=first["session_id"])

    messages = web.get(f"/api/sessions/{first['session_id']}")["messages"]
    assert messages[2]["parent_id"] == first["id"]
    assert second[0].data["session_id"] == first["session_id"]


def test_a_retry_is_a_second_answer_to_the_same_question(web: Web) -> None:
    first = web.ask("Otters?")[-1].data["message"]

    again = web.ask("", retry_of=first["id"], session_id=first["session_id"], search="off")

    message = again[-1].data["message"]
    messages = web.get(f"/api/sessions/{first['session_id']}")["messages"]
    assert [each["kind"] for each in messages] == ["USER", "AI_RESPONSE", "AI_RESPONSE"]
    assert (message["parent_id"], message["mode"]) == (first["parent_id"], "off")


def test_a_waiting_turn_goes_on_once_it_is_approved(web: Web) -> None:
    asked = web.ask(
        "Use create_provider for my server", agent="setup", provider_id="openai", search="off"
    )
    waiting = next(event for event in asked if event.type == "approval_requested")
    decisions = {run["id"]: False for run in waiting.data["runs"]}
    body = {"message_id": waiting.data["message_id"], "decisions": decisions}

    with web.client.stream("POST", "/agents/setup/approve", json=body) as reply:
        rest = list(events_of(reply))
    with web.client.stream("POST", "/agents/setup/approve", json=body) as reply:
        once_more = list(events_of(reply))
    body["decisions"] = dict.fromkeys(decisions, True)
    contrary = web.client.post("/api/agents/setup/approve", json=body)

    assert asked[-1].data["message"]["status"] == "awaiting_approval"
    assert rest[-1].data["message"]["status"] == "complete"
    assert [run["status"] for run in rest[-1].data["message"]["tool_runs"]] == ["declined"]
    assert once_more[-1].data["message"] == rest[-1].data["message"]
    assert contrary.status_code == 409


def test_an_attachment_is_kept_and_comes_back(web: Web) -> None:
    file = {
        "type": "image",
        "mime_type": "image/png",
        "base64_data": "iVBORw0KGgo=",
        "file_name": "x.png",
    }
    told = web.ask("What is this?", attachments=[file], search="off")

    question = web.get(f"/api/sessions/{told[0].data['session_id']}")["messages"][0]
    [kept] = question["attachments"]
    reply = web.client.get(f"/api/attachments/{kept['id']}")
    assert {**kept, "id": ""} == {
        "type": "image",
        "mime_type": "image/png",
        "file_name": "x.png",
        "id": "",
    }
    assert (reply.content, reply.headers["content-type"]) == (b"\x89PNG\r\n\x1a\n", "image/png")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": "  "}, 400, "invalid"),
        ({"text": "x", "session_id": "nowhere"}, 404, "not_found"),
        ({"text": "x", "provider_id": "nobody"}, 400, "unknown_provider"),
        ({"text": "x", "retry_of": "nothing"}, 404, "not_found"),
        ({"text": "x", "search": "maybe"}, 422, "invalid"),
        ({"text": "x", "surprise": 1}, 422, "invalid"),
    ],
)
def test_a_message_that_cannot_be_answered_leaves_nothing_behind(
    web: Web, body: Json, status: int, code: str
) -> None:
    reply = web.client.post("/api/agents/assistant/message", json=body)

    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert web.get("/api/sessions")["sessions"] == []


def test_a_message_is_sent_on_both_paths(web: Web) -> None:
    body = {"text": OTTERS, "provider_id": "anthropic"}

    with web.client.stream("POST", "/agents/assistant/message", json=body) as reply:
        kinds = [event.type for event in events_of(reply)]

    assert (kinds[0], kinds[-1]) == ("turn_started", "done")
    assert isinstance(reply, httpx2.Response)
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"


@pytest.mark.parametrize("where", ["parent_id", "retry_of"])
def test_a_message_has_nothing_to_do_with_those_of_another_session(web: Web, where: str) -> None:
    own = web.ask("Otters?")[-1].data["message"]
    other = web.ask("Tides?")[-1].data["message"]

    reply = web.client.post(
        "/api/agents/assistant/message",
        json={"text": "x", "session_id": own["session_id"], where: other["id"]},
    )

    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert len(web.get(f"/api/sessions/{own['session_id']}")["messages"]) == 2


def test_an_agent_that_is_called_like_anothers_id_does_not_answer_for_it(web: Web) -> None:
    asked = web.client.post("/api/agents", json={"name": "Asked"}).json()["id"]
    web.client.patch("/api/agents/assistant", json={"name": asked})

    told = web.ask("Otters?", agent=asked)

    session = web.get(f"/api/sessions/{told[0].data['session_id']}")["session"]
    assert (session["agent_id"], session["title"]) == (asked, "Otters?")
