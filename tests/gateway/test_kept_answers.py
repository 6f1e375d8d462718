"""Answers are kept only where somebody asks for it."""

from __future__ import annotations

from groundwire.model import Json
from tests.gateway.asking import LOCAL, QUESTION, SEARCH, Asked

KEEP = {"x-groundwire-keep": "on"}


def _sessions(gateway: Asked) -> list[Json]:
    found: list[Json] = gateway.client.get("/api/sessions").json()["sessions"]
    return found


def test_nothing_is_kept_unasked(gateway: Asked) -> None:
    before = len(_sessions(gateway))

    assert gateway.post("/messages", gateway.messages(tools=[SEARCH])).status_code == 200

    assert len(_sessions(gateway)) == before


def test_a_header_keeps_a_question_with_its_cited_answer(gateway: Asked) -> None:
    body = gateway.messages(tools=[SEARCH])
    assert gateway.post("/messages", body, headers=KEEP).status_code == 200

    session = next(each for each in _sessions(gateway) if each["title"] == QUESTION)
    kept = gateway.client.get(f"/api/sessions/{session['id']}").json()
    question, answer = kept["messages"]
    assert question["content"] == QUESTION
    assert answer["status"] == "complete"
    assert len(answer["citations"]) == 2


def test_words_that_pass_untouched_are_kept_too(gateway: Asked) -> None:
    body = gateway.chat(model=LOCAL, messages=[{"role": "user", "content": "Only words"}])
    reply = gateway.post("/chat/completions", body, headers=KEEP).json()

    session = next(each for each in _sessions(gateway) if each["title"] == "Only words")
    kept = gateway.client.get(f"/api/sessions/{session['id']}").json()
    said = reply["choices"][0]["message"]["content"]
    assert kept["messages"][1]["content"] == said
