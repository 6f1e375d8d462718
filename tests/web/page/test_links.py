"""Where a link may lead, and what of a text is one."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_only_whole_web_and_mail_addresses_are_links(modules: Page) -> None:
    texts = [
        "https://a.example/b",
        "HTTP://a.example",
        "mailto:a@b.example",
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        " https://a.example",
        "//a.example",
        "/settings",
        "data:text/html,x",
        "vbscript:x",
        "blob:https://a.example/x",
        "https://user:word@a.example",
        "https:\\\\a.example",
    ]

    safe = await modules.evaluate(
        """async (texts) => {
          const { safeUrl } = await import('/page/links.js');
          return texts.map((text) => safeUrl(text)?.href ?? null);
        }""",
        texts,
    )

    assert safe == [
        "https://a.example/b",
        "http://a.example/",
        "mailto:a@b.example",
        *[None] * 10,
    ]


async def test_an_answer_links_to_its_sources_and_nowhere_else(modules: Page) -> None:
    urls = [
        "https://a.example/b",
        "https://A.example:443/b#part",
        "https://a.example/b?c",
        "https://a.example",
    ]

    allowed = await modules.evaluate(
        """async (urls) => {
          const { Ledger } = await import('/page/links.js');
          const ledger = new Ledger(['https://a.example/b']);
          return urls.map((url) => ledger.allow(url));
        }""",
        urls,
    )

    assert allowed == ["https://a.example/b", "https://a.example/b#part", None, None]


async def test_urls_in_a_sentence_leave_its_punctuation(modules: Page) -> None:
    text = "See https://a.example/b_(c), (https://d.example) and https://e.example/f?g=h."

    found = await modules.evaluate(
        "async (text) => (await import('/page/links.js')).urlsIn(text)", text
    )

    assert found == ["https://a.example/b_(c)", "https://d.example", "https://e.example/f?g=h"]


QUOTES = {
    "short": ("https://a.example", "two-fold, a & b", "#:~:text=two%2Dfold%2C%20a%20%26%20b"),
    "long": (
        "https://a.example",
        " ".join(f"w{number}" for number in range(20)),
        "#:~:text=w0%20w1%20w2%20w3%20w4%20w5,w14%20w15%20w16%20w17%20w18%20w19",
    ),
    "markup": (
        "https://a.example",
        "## Food\n\n- Sea **otters** eat `crabs()` and [more](https://b.example/x_(y)) \\* here",
        "#:~:text=Sea%20otters%20eat%20crabs()%20and%20more%20*%20here",
    ),
    "a reference mark": (
        "https://a.example",
        "They rest.[3](#n3) A group is called a raft",
        "#:~:text=A%20group%20is%20called%20a%20raft",
    ),
    "cells": ("https://a.example", "| Venus | 6,052 km |", "#:~:text=Venus,6%2C052%20km"),
    "a cut": (
        "https://a.example",
        "One two three four ... five six seven eight",
        "#:~:text=One%20two%20three%20four,five%20six%20seven%20eight",
    ),
    "a document of the library": (
        "https://library.test/notes/otter.md",
        "Otters *hold* hands.",
        "?passage=Otters+hold+hands.#passage",
    ),
    "a fragment of its own": ("https://a.example#b", "c", ":~:text=c"),
    "no quote": ("https://a.example", "", ""),
    "no web page": ("mailto:a@b.example", "c", ""),
}


@pytest.mark.parametrize("name", QUOTES)
async def test_a_link_opens_the_page_at_the_quote(modules: Page, name: str) -> None:
    url, quote, fragment = QUOTES[name]

    link = await modules.evaluate(
        "async ([url, quote]) => (await import('/page/links.js')).linkToQuote(url, quote)",
        [url, quote],
    )

    assert link == url + fragment
