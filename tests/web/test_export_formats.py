"""Every form in which an answer or a chat can be taken away, over HTTP."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from playwright.async_api import Browser

from groundwire.evidence.verification import verified
from groundwire.testing import SandboxServer
from groundwire.web.export_formats import EXPORT_FORMATS
from tests.patience import wait_until
from tests.web.server import Web

_OVERLAP = """
() => [...document.querySelectorAll('.exported')].map((each) => [
  each.querySelector('.question').getBoundingClientRect().bottom
    <= each.querySelector('.answer').getBoundingClientRect().top,
  getComputedStyle(document.body).backgroundColor,
])
"""


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


def test_json_has_the_pages_with_what_they_say_of_themselves(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    page = (
        "<html lang=en><head><title>Fur</title><meta name=author content='Ada Marsh'></head><body>"
        "<article><h1>Fur</h1><p>Zebrafish have stripes that run along their bodies, and they"
        " heal their own hearts.</p></article></body></html>"
    )
    library = "/api/workspaces/personal/library"
    with Web(sandbox, tmp_path, checks={}) as web:
        web.client.put(f"{library}/files/fur.html", content=page)
        # Counted it is before it can be found.
        wait_until(lambda: [each["state"] for each in web.get(library)["sources"]] == ["ready"])

        asked = web.ask("What do zebrafish heal?", provider_id="extractive")[-1].data["message"]
        path = f"/api/messages/{asked['id']}/export?format=json"
        # A page is kept when it was compared, which may be after the answer.
        pages = wait_until(lambda: web.client.get(path).json()["pages"])

    assert {each["title"]: each["about"] for each in pages}["Fur"] == {
        "authors": ["Ada Marsh"],
        "language": "en",
    }


def test_a_chat_in_markdown_tells_the_versions_of_an_answer_apart(web: Web) -> None:
    first = web.ask()[-1].data["message"]
    session = {"session_id": first["session_id"]}
    web.ask(**session, retry_of=first["id"], parent_id=first["parent_id"])
    web.ask("And where?", **session, parent_id=first["id"])

    text = web.client.get(f"/api/sessions/{first['session_id']}/export").text

    heads = [line for line in text.splitlines() if line.startswith("## ")]
    versions = ["## Answer (version 1 of 2)", "## Answer (version 2 of 2)"]
    assert heads == ["## Question", *versions, "## Question", "## Answer"]


def test_a_chat_in_html_tells_the_versions_of_an_answer_apart(web: Web) -> None:
    first = web.ask()[-1].data["message"]
    session = {"session_id": first["session_id"]}
    web.ask(**session, retry_of=first["id"], parent_id=first["parent_id"])

    text = web.client.get(f"/api/sessions/{first['session_id']}/export?format=html").text

    made = re.findall(r'<p class="made">([^<]*) · [-0-9: ]+ UTC', text)
    assert [each.rpartition(" · ")[2] for each in made] == ["version 1 of 2", "version 2 of 2"]


def test_an_answer_that_is_called_as_its_question_asks_it_once(web: Web) -> None:
    message = web.ask("How do sea otters sleep?")[-1].data["message"]

    text = web.client.get(f"/api/messages/{message['id']}/export?format=html").text

    assert text.count("How do sea otters sleep?</") == 2  # Title of the file and of the page.


@pytest.mark.asyncio(loop_scope="session")
async def test_a_printed_chat_has_each_question_above_its_answer_on_white(
    web: Web, browser: Browser, tmp_path: Path
) -> None:
    first = web.ask("How do sea otters sleep?")[-1].data["message"]
    web.ask("And where?", session_id=first["session_id"], parent_id=first["id"])
    path = tmp_path / "chat.html"
    exported = web.client.get(f"/api/sessions/{first['session_id']}/export?format=html")
    path.write_bytes(exported.content)
    page = await browser.new_page()
    await page.emulate_media(media="print")

    await page.goto(path.as_uri())

    assert await page.evaluate(_OVERLAP) == [[True, "rgba(0, 0, 0, 0)"]] * 2
    await page.close()
