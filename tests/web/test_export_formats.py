"""Every form in which an answer or a chat can be taken away, over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
import rispy
from bibtexparser.entrypoint import parse_string

from groundwire.evidence.verification import verified
from groundwire.web.export_formats import EXPORT_FORMATS
from tests.web.server import Web


@pytest.mark.parametrize("subject", ["sessions", "messages"])
def test_every_form_is_a_file_of_its_type(web: Web, tmp_path: Path, subject: str) -> None:
    message = web.ask("How do sea otters sleep?")[-1].data["message"]
    key = message["session_id"] if subject == "sessions" else message["id"]
    files = {}

    for form in EXPORT_FORMATS:
        reply = web.client.get(f"/api/{subject}/{key}/export?format={form.name}")
        assert (reply.status_code, bool(reply.content)) == (200, True), form.name
        assert reply.headers["content-type"].startswith(form.media_type)
        assert f'.{form.ending}"' in reply.headers["content-disposition"]
        files[form.name] = reply.content

    sources = message["answer"]["sources"]
    assert len(parse_string(files["bibtex"].decode()).entries) == len(sources)
    assert [each["urls"] for each in rispy.loads(files["ris"].decode())] == [
        [each["url"]] for each in sources
    ]
    assert b"<script" not in files["html"]
    bundle = tmp_path / "answer.wacz"
    bundle.write_bytes(files["wacz"])
    assert [each.id for each in verified(bundle).answers] == [message["id"]]


def test_a_chat_in_markdown_tells_the_versions_of_an_answer_apart(web: Web) -> None:
    first = web.ask()[-1].data["message"]
    session = {"session_id": first["session_id"]}
    web.ask(**session, retry_of=first["id"], parent_id=first["parent_id"])
    web.ask("And where?", **session, parent_id=first["id"])

    text = web.client.get(f"/api/sessions/{first['session_id']}/export").text

    heads = [line for line in text.splitlines() if line.startswith("## ")]
    versions = ["## Answer (version 1 of 2)", "## Answer (version 2 of 2)"]
    assert heads == ["## Question", *versions, "## Question", "## Answer"]
