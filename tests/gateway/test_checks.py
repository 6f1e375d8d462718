"""What citations came to, held against their pages, travels along; no stream waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.checks import CheckState
from groundwire.model import Json, Usage
from groundwire.sandbox import SandboxServer
from groundwire.wire.anthropic.outbound import MessagesWriter
from groundwire.wire.openai.chat_outbound import ChatWriter
from groundwire.wire.openai.responses_outbound import ResponsesWriter
from groundwire.wire.outbound import Compared, Ended, SentCitation, Stop, Text, Writer
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, Asked
from tests.gateway.citing import PATHS, asking, own_fields

WRITERS: dict[str, type[MessagesWriter | ChatWriter | ResponsesWriter]] = {
    "/messages": MessagesWriter,
    "/chat/completions": ChatWriter,
    "/responses": ResponsesWriter,
}
KEY = (12, 1)
CITED = SentCitation(
    number=1, url="https://a.example/", title="A", start=9, end=12, quote="Otters.", key=KEY
)


def _checking(sandbox: SandboxServer, folder: Path, **fields: Json) -> Asked:
    tables: Json = {"checks": {"pages": "all"}, "gateway": {"check_seconds": 60}}
    return Asked(sandbox, folder, **{**tables, **fields})


@pytest.fixture(scope="module")
def checking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return a gateway that compares citations with their pages."""
    folder = tmp_path_factory.mktemp("checking")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with SandboxServer() as sandbox, _checking(sandbox, folder) as asked:
            yield asked


@pytest.fixture
def stuck(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return one whose pages never come."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with _checking(sandbox, tmp_path, faults={"jina": "silence"}) as asked:
            yield asked


WINDMILLS = "Windmills: cite rightly, invent a number, cite a missing page"


def test_a_check_finds_its_citation_where_the_providers_own_link_was_in_the_text(
    checking: Asked,
) -> None:
    messages = [{"role": "user", "content": WINDMILLS}]
    body = checking.chat(model="openai/gpt-5-search-api", messages=messages, web_search_options={})

    reply = checking.post("/chat/completions", body)

    told = [one["check"]["state"] for one in own_fields("/chat/completions", reply.json())]
    assert told == ["found", "absent", "not_compared"]
    assert reply.headers["x-groundwire-checks"].endswith("pending=0")


@pytest.mark.parametrize("path", PATHS)
def test_a_source_that_is_named_for_no_words_is_sent_and_waits_for_no_check(
    checking: Asked, path: str
) -> None:
    reply = checking.post(path, asking(checking, path, "openrouter/openai/gpt-5.5"))

    assert [one["number"] for one in own_fields(path, reply.json())] == [1, 2]
    assert "not_compared=2, pending=0" in reply.headers["x-groundwire-checks"]
    assert "Sources: [1](https://" in reply.text


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
def test_a_whole_reply_has_a_check_in_every_citation_and_counts_them(
    checking: Asked, path: str, model: str
) -> None:
    reply = checking.post(path, asking(checking, path, model))

    fields = own_fields(path, reply.json())
    assert len(fields) == 2
    for own in fields:
        # The sandbox's model without search has markers with hardly a word of their own.
        compared = ("found",) if model == CLAUDE else [*CheckState]
        assert own["check"]["state"] in compared
        assert own["check"]["claim"]
        assert own["check"]["label"]
        assert own["quote"]
    counts = dict(part.split("=") for part in reply.headers["x-groundwire-checks"].split(", "))
    assert [*counts] == ["found", "plain", "absent", "not_compared", "pending"]
    states = [own["check"]["state"] for own in fields]
    assert {name: int(count) for name, count in counts.items() if count != "0"} == {
        state: states.count(state) for state in states
    }


@pytest.mark.parametrize("path", PATHS)
def test_a_stream_does_not_wait_for_pages_that_never_come(stuck: Asked, path: str) -> None:
    events = stuck.sse(path, asking(stuck, path, CLAUDE))

    last = {"/messages": "message_stop", "/responses": "response.completed"}
    assert events[-1].name == last.get(path, "")
    assert any("https://wiki.example.net/sea-otter" in event.raw for event in events)
    assert stuck.sandbox.wait_for_end(len(stuck.sandbox.requests) - 1).ended != "open"


def test_a_whole_reply_waits_so_long_and_no_longer(sandbox: SandboxServer, tmp_path: Path) -> None:
    tables: Json = {"gateway": {"check_seconds": 0.01}, "faults": {"jina": "silence"}}
    with _checking(sandbox, tmp_path, **tables) as asked:
        reply = asked.post("/chat/completions", asking(asked, "/chat/completions", CLAUDE))

    fields = own_fields("/chat/completions", reply.json())
    assert [own.get("check") for own in fields] == [None, None]
    assert reply.headers["x-groundwire-checks"].endswith("pending=2")


def test_where_nobody_compares_nothing_is_said_of_it(gateway: Asked) -> None:
    reply = gateway.post("/messages", gateway.messages(tools=[SEARCH]))

    assert "x-groundwire-checks" not in reply.headers
    assert all("check" not in own for own in own_fields("/messages", reply.json()))


@pytest.mark.parametrize("path", PATHS)
def test_a_stream_carries_what_is_known_by_its_end(path: str) -> None:
    writer: Writer = WRITERS[path]("m")
    check = {"state": "found"}

    told = writer.write([Text("Otters so.[1]", (CITED,))])
    sent = writer.write(
        [Compared(key=KEY, check=check), Ended(stop=Stop.END, usage=Usage())]
    ).decode()

    assert b'"check"' not in told
    assert '"groundwire":{"number":1,"quote":"Otters.","check":{"state":"found"}}' in sent or (
        path == "/messages"
        and '"citations":[{"number":1,"quote":"Otters.","start_index":9,"end_index":12,"check":{'
        in sent
    )
    assert own_fields(path, writer.body())[0]["check"] == check


def test_the_checks_of_a_kept_answer_are_kept_with_it(checking: Asked) -> None:
    body = asking(checking, "/messages", CLAUDE)
    headers = {"x-groundwire-keep": "on"}

    for streams in (False, True):
        before = {each["id"] for each in checking.client.get("/api/sessions").json()["sessions"]}
        reply = checking.client.post(
            "/v1/messages", json={**body, "stream": streams}, headers=headers
        )
        assert reply.status_code == 200
        sessions = checking.client.get("/api/sessions").json()["sessions"]
        (made,) = [each["id"] for each in sessions if each["id"] not in before]
        kept = checking.client.get(f"/api/sessions/{made}").json()["messages"][-1]
        events = checking.client.get(f"/api/messages/{kept['id']}/checks").json()
        while events["state"] == "pending":
            events = checking.client.get(f"/api/messages/{kept['id']}/checks").json()

        assert [each["number"] for each in events["checks"]] == [1, 2]
