"""Payloads of strangers in every place of the page: nothing of them runs, loads or leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from groundwire.sandbox import SandboxServer
from tests.shared import shared
from tests.web.chat_page.chat import ChatPage, add_provider
from tests.web.chat_page.replies import anthropic_reply
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

BATCH = 162
REPLY = "reply.sse"


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the provider's next reply is taken from."""
    return tmp_path_factory.mktemp("replies")


@pytest.fixture(scope="module")
def server(replies: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server whose provider says what the test wrote down."""
    folder = tmp_path_factory.mktemp("web")
    with SandboxServer(recordings=replies, replay=REPLY) as sandbox, Web(sandbox, folder) as web:
        add_provider(web, "Anthropic")
        yield web


def payloads() -> list[str]:
    """Return the shared payloads, as far as text can be sent at all."""
    kept = json.loads(shared("suites/xss_payloads.json").read_text())
    texts = [each["payload"].replace("\x00", "") for each in kept]
    return [text.encode("utf-8", "replace").decode() for text in texts if text.strip()]


async def provoke(chat: ChatPage) -> None:
    """Open everything, and let every element have what a payload may wait for."""
    await chat.page.evaluate(
        """() => {
          for (const each of document.querySelectorAll('details')) each.open = true;
          for (const each of document.querySelectorAll('#chat *, #side *')) {
            for (const name of ['mouseover', 'focus', 'pointerover', 'error', 'load']) {
              each.dispatchEvent(new Event(name));
            }
          }
        }"""
    )


async def schemes(chat: ChatPage) -> list[str]:
    """Return where the links of the page lead, without what it links to itself."""
    found: list[str] = await chat.page.evaluate(
        """[...new Set([...document.querySelectorAll('[href], [src], [action], [formaction]')]
          .map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? 'odd')
          .filter((link) => !link.startsWith('/') && !link.startsWith('#'))
          .map((link) => link.split(':')[0]))].sort()"""
    )
    return found


async def test_answers_titles_quotes_and_queries_of_strangers_stay_words(
    chat: ChatPage, replies: Path
) -> None:
    every = payloads()
    assert len(every) > 1500

    for start in range(0, len(every), BATCH):
        batch = every[start : start + BATCH]
        (replies / REPLY).write_bytes(anthropic_reply(batch))
        await chat.open()
        answer = await chat.answered(f"Payloads from {start}")
        await expect(answer.locator(".source")).to_have_count(len(batch))
        await provoke(chat)
        assert set(await schemes(chat)) <= {"http", "https", "mailto"}
        assert await chat.witnessed() == []
        await chat.page.goto(f"{chat.web.url}/answers/{chat.kept()[-1]['id']}")
        await expect(chat.page.locator("body")).to_contain_text("Source")
        assert await chat.witnessed() == []


async def test_names_of_agents_and_titles_of_chats_stay_words(chat: ChatPage) -> None:
    client = chat.web.client
    short = [text for text in payloads() if len(text) <= 90 and text.isprintable()]
    chosen = short[:: max(1, len(short) // 60)]
    for number, text in enumerate(chosen):
        named = client.post("/api/agents", json={"name": f"{number} {text}"})
        titled = client.post("/api/sessions", json={"title": text})
        assert (named.status_code, titled.status_code) == (201, 201), named.text

    await chat.open()
    await expect(chat.page.locator("#agent option")).to_have_count(len(chosen) + 2)
    await provoke(chat)

    titles = await chat.page.locator(".session a").all_inner_texts()
    assert {" ".join(text.split()) for text in chosen[-40:]} <= {
        " ".join(title.split()) for title in titles
    }
    assert await schemes(chat) == []


async def test_the_witnesses_see_a_script_that_runs_and_one_that_is_stopped(
    chat: ChatPage,
) -> None:
    await chat.page.evaluate("alert(1)")
    await chat.page.evaluate(
        """() => new Promise((resolve) => {
          addEventListener('securitypolicyviolation', resolve, { once: true });
          const picture = document.createElement('img');
          picture.src = 'https://stranger.example/x.png';
          document.body.append(picture);
        })"""
    )

    seen = await chat.witnessed()
    chat.faults.clear()
    await chat.open()
    picture = "https://stranger.example/x.png"
    assert seen == [f"request to a stranger: {picture}", "alert 1", f"img-src {picture}"]


async def test_many_sentences_without_their_sources_are_told_in_one_line(
    chat: ChatPage, replies: Path
) -> None:
    (replies / REPLY).write_bytes(anthropic_reply(["Otters sleep.", "Otters eat.", "Otters dive."]))
    only = {"web_allowed_domains": ["wiki.example.net"]}
    chat.web.client.patch("/api/workspaces/personal", json=only)
    await chat.open()

    answer = await chat.answered("Otters?", search="Hosted")

    chat.web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["*"]})
    cited = answer.locator(".notice", has_text="from citations")
    await expect(cited).to_have_count(1)
    await expect(cited).to_contain_text("3 sources removed by policy from citations: site.example")
