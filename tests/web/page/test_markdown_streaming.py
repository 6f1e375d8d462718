"""Markdown that grows, and markers that find their place in it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from playwright.async_api import Page

from tests.web.page.markdown_view import marker, run, streamed, whole

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """# Sea *otters* 🦦

Otters **hold hands** while they sleep,
and see [the page](https://known.example/a) or `code`.

- one
  - two ~~three~~

    four
- [x] five

> a quote
> - with a list

| a | b |
|---|--:|
| 1 | **2** |
| 3 | 4 |

1. first

   ```python
   def f():

       return "```"
   ```
2. second

Setext
------

```
never closed
- really
"""


def cut(text: str, at: random.Random) -> list[str]:
    places = sorted(at.sample(range(1, len(text)), at.randint(1, 60)))
    return [text[start:end] for start, end in pairwise([0, *places, len(text)])]


@pytest.mark.parametrize("seed", range(25))
async def test_what_came_in_pieces_looks_like_the_whole(modules: Page, seed: int) -> None:
    pieces = cut(TEXT, random.Random(seed))

    shown = await streamed(modules, pieces, [])

    assert [shown] == await whole(modules, [TEXT])


async def test_letter_by_letter_looks_like_the_whole(modules: Page) -> None:
    shown = await streamed(modules, list(TEXT), [])

    assert [shown] == await whole(modules, [TEXT])


@pytest.mark.parametrize("seed", range(10))
async def test_markers_find_their_place_whenever_they_come(modules: Page, seed: int) -> None:
    at = random.Random(seed)
    words = ["otters* 🦦", "sleep", "four", "a quote", "first", "second"]
    places = [TEXT.index(word) + len(word) for word in words]
    events: list[object] = [*cut(TEXT, at)]
    for number, place in enumerate(places, 1):
        events.insert(at.randint(0, len(events)), marker(place, number))
    kept_text, kept = TEXT, []
    for number, place in reversed(list(enumerate(places, 1))):
        kept_text = f"{kept_text[:place]}[{number}]{kept_text[place:]}"
    for number, place in enumerate(places, 1):
        position = place + 3 * (number - 1)
        kept.append({**marker(position, number), "label": f"[{number}]", "supports": []})

    shown = await run(
        modules,
        """const show = (use) => {
          const root = document.createElement('div');
          use(new MarkdownView(root, setting));
          return plain(root);
        };
        const streamed = show((view) => {
          // A marker that is ahead of its words waits at the end; the server never sends it.
          const late = given.events.filter((each) => typeof each !== 'string');
          for (const each of given.events) if (typeof each === 'string') view.take([each]);
          for (const each of late) view.take([each]);
          view.finish();
        });
        return [streamed, show((view) => view.replace(given.kept))];""",
        {"events": events, "kept": {"text": kept_text, "markers": kept}},
    )

    assert shown[0] == shown[1]
    assert shown[0].count("<sup>") == len(places)


async def test_a_marker_that_comes_again_replaces_itself(modules: Page) -> None:
    shown = await streamed(modules, ["a b\n\nc"], [marker(3, 1), marker(3, 1, 2)])

    assert shown == "<p>a b<sup>[[1,2],[],[]]</sup></p><p>c</p>"


async def test_what_a_marker_brings_with_it_is_markdown(modules: Page) -> None:
    shown = await streamed(modules, ["```\na\n```\n"], [marker(9, 1, before="\n", after="\n")])

    assert shown == '<pre aria-label="Code"><code>a</code></pre><p><sup>[[1],[],[]]</sup></p>'


HALVES = {
    "bold": ("a **bo", "<p>a <strong>bo</strong></p>"),
    "a bare sign": ("a **", "<p>a </p>"),
    "code": ("a `co", "<p>a <code>co</code></p>"),
    "the words of a link": ("a [wor", "<p>a wor</p>"),
    "a link's target": ("a [word](https://known.ex", "<p>a word</p>"),
    "a list sign": ("a\n\n-", "<p>a</p>"),
    "a heading sign": ("a\n\n##", "<p>a</p>"),
    "a number": ("a\n\n1.", "<p>a</p>"),
    "a fence": ("a\n\n```py", "<p>a</p>"),
    "a table's head": ("a\n\n| b | c |\n|--", "<p>a</p>"),
    "an underline": ("a\n--", "<p>a</p>"),
}


@pytest.mark.parametrize("name", HALVES)
async def test_half_a_sign_is_never_shown_as_text(modules: Page, name: str) -> None:
    text, expected = HALVES[name]

    shown = await run(
        modules,
        """const root = document.createElement('div');
        new MarkdownView(root, setting).take([given]);
        return plain(root);""",
        text,
    )

    assert shown == expected


async def test_the_kept_answer_leaves_what_looks_the_same(modules: Page) -> None:
    is_same = await run(
        modules,
        """const root = document.createElement('div');
        const view = new MarkdownView(root, setting);
        view.take(['One.\\n\\nTwo.\\n\\nThree']);
        view.take([{ position: 3, numbers: [1], unknown: [], struck: [], before: '', after: '' }]);
        view.finish();
        const before = [...root.children];
        const marker = { position: 3, label: '[1]', numbers: [1], unknown: [], struck: [] };
        const markers = [{ ...marker, supports: [] }];
        view.replace({ text: 'On\\u{65}[1].\\n\\nTwo!\\n\\nThree', markers });
        return [...root.children].map((each, index) => each === before[index]);""",
    )

    assert is_same == [True, False, True]


async def test_no_line_ends_before_a_marker(modules: Page) -> None:
    shown = await streamed(modules, ["“They hold hands.”"], [marker(18, 1, before=" ")])

    assert shown == "<p>“They hold hands.”&nbsp;<sup>[[1],[],[]]</sup></p>"
