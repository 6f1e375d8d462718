"""Words that rest on a removed source, folded on the page."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Page

from groundwire.citations import MarkerShown, MarkerStream, PassageFolded, TextShown, to_json
from groundwire.model import Citation, Evidence
from tests.web.page.markdown_view import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """Otters 🦦 sleep. They *hold hands. They eat [urchins](https://known.test/u)* daily. Good.

- One item. Another sentence.
- A second item

```py
code. here
```
"""
REMOVED = ["They eat [urchins]", "Another", "second", "code. here"]
SHOW = """
const root = document.createElement('div');
document.body.append(root);
const view = new MarkdownView(root, setting);
for (const [, data] of given.events) view.take([data]);
if (given.answer) view.replace(given.answer);
else view.finish();
const seen = () => root.innerText;
const closed = seen();
const buttons = [...root.querySelectorAll('button.fold')];
const states = buttons.map((button) => button.getAttribute('aria-expanded'));
for (const button of buttons) { button.focus(); button.click(); }
const open = seen();
const after = buttons.map((button) => button.getAttribute('aria-expanded'));
root.remove();
return { closed, open, states, after, words: buttons.map((button) => button.textContent) };
"""


def cited() -> list[Citation]:
    return [
        Citation(
            url="https://x.example/page",
            start=TEXT.index(words),
            end=TEXT.index(words) + len(words),
            evidence=Evidence.REMOVED,
        )
        for words in REMOVED
    ]


def told(seed: int, *, is_late: bool) -> tuple[list[Any], dict[str, Any]]:
    """Return the events of a stream cut at random, and the answer as it is kept."""
    at = random.Random(seed)
    places = sorted(at.sample(range(1, len(TEXT)), 12))
    stream = MarkerStream()
    pieces = [] if is_late else stream.cite(cited())
    for start, end in pairwise([0, *places, len(TEXT)]):
        pieces += stream.feed(TEXT[start:end])
    pieces += stream.cite(cited()) if is_late else []
    finished = stream.finish()
    answer = to_json(finished.marked)
    markers = [
        {
            **each,
            "position": each["start"],
            "label": answer["text"][each["start"] : each["end"]],
        }
        for each in answer["markers"]
    ]
    events = [_event(piece) for piece in [*pieces, *finished.pieces]]
    return events, {**answer, "markers": markers}


def _event(piece: TextShown | MarkerShown | PassageFolded) -> list[Any]:
    if isinstance(piece, TextShown):
        return ["text", piece.text]
    if isinstance(piece, PassageFolded):
        return ["folded", {"start": piece.start, "end": piece.end, "domains": [*piece.domains]}]
    fields = {name: getattr(piece, name) for name in ("position", "before", "after")}
    lists = {name: [*getattr(piece, name)] for name in ("numbers", "unknown", "struck")}
    return ["marker", {**fields, **lists}]


@pytest.mark.parametrize("is_late", [True, False])
@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("seed", range(5))
async def test_words_of_a_removed_source_are_folded_and_can_be_shown(
    modules: Page, seed: int, is_kept: bool, is_late: bool
) -> None:
    events, answer = told(seed, is_late=is_late)

    given = {"events": events, "answer": answer if is_kept else None}
    shown = await run(modules, SHOW, given)

    hidden = ["They eat", "urchins", "daily", "Another", "sentence", "second", "code. here"]
    assert [words for words in hidden if words in shown["closed"]] == []
    assert [words for words in hidden if words not in shown["open"]] == []
    visible = ["Otters 🦦 sleep.", "They hold hands.", "Good.", "One item."]
    assert [words for words in visible if words not in shown["closed"]] == []
    assert shown["states"] == ["false"] * 4
    assert shown["after"] == ["true"] * 4
    assert set(shown["words"]) == {"Folded by policy: this rests on x.example"}


async def test_a_fold_that_grows_stays_one(modules: Page) -> None:
    folded = {"start": 5, "end": 11, "domains": ["x.example"]}
    events = [
        ["text", "One. Otters"],
        ["folded", folded],
        ["text", " are heavy. Three."],
        ["folded", {**folded, "end": 22}],
    ]

    shown = await run(modules, SHOW, {"events": events, "answer": None})

    words = " ".join(shown["closed"].split())
    assert words == "One. Folded by policy: this rests on x.example Three."
