"""Answers of ten thousand lines: a change costs what is new, not what is there.

Nothing here is timed: V8 counts how often each piece of the page's code runs.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
import pytest_asyncio
from playwright.async_api import Browser, CDPSession, Page

from tests.web.conftest import FLAGS, program
from tests.web.page.markdown_view import marker, run, streamed, whole

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINES = 10_000
AT_ONCE = 10
SAMPLE = 20
# What V8 has optimised it no longer counts, and when it does so depends on the machine.
NOT_OPTIMIZED = "--js-flags=--no-opt --no-maglev"
KINDS = {
    "paragraphs": ("", "Paragraph {n} has *some* words.\n\n"),
    "a list": ("", "- Item {n} has *some* words.\n"),
    "a loose list": ("", "- Item {n} has *some* words.\n\n"),
    "a numbered list": ("", "{n}. Item has `some` words.\n"),
    "a table": ("| a | b |\n|---|---|\n", "| {n} | *d* |\n"),
    "code": ("```py\n", "x = {n}\n"),
    "one paragraph": ("", "Line {n} has **some** words,\n"),
    "quotes": ("", "> Quoted {n}.\n>\n"),
}
GROW = """
globalThis.grown ??= {};
const { grown } = globalThis;
if (given.head !== undefined) {
  grown.root?.remove();
  const root = document.createElement('div');
  document.querySelector('#root').append(root);
  const view = new MarkdownView(root, setting);
  let changes = 0;
  new MutationObserver((records) => { changes += records.length; }).observe(
    root, { childList: true, characterData: true, attributes: true, subtree: true });
  Object.assign(grown, { root, view, number: 0, position: 0, changes: () => changes });
  if (given.head) grown.view.take([given.head]);
  grown.position = given.head.length;
}
const before = grown.changes();
for (let time = 0; time < given.times; time++) {
  const pieces = [];
  for (let line = 0; line < given.lines; line++) {
    const text = given.line.replace('{n}', ++grown.number);
    pieces.push(text);
    grown.position += text.length;
    // Behind its last word, before the line ends.
    const place = grown.position - (text.length - text.trimEnd().length);
    if (given.isMarked) pieces.push({ ...given.marker, position: place });
  }
  grown.view.take(pieces);
}
// Those who observe are told after this.
await new Promise((resolve) => { setTimeout(resolve); });
return grown.changes() - before;
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def counted(browser: Browser, modules_url: str) -> AsyncIterator[tuple[Page, CDPSession]]:
    """Return an empty page whose code is counted while it runs."""
    counting = await browser.browser_type.launch(
        executable_path=program(), args=[*FLAGS, NOT_OPTIMIZED]
    )
    context = await counting.new_context()
    page = await context.new_page()
    await page.goto(modules_url)
    session = await context.new_cdp_session(page)
    await session.send("Profiler.enable")
    await session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
    yield page, session
    await counting.close()


async def _work(session: CDPSession) -> int:
    """Return how often pieces of the page's code ran since the last time."""
    found = await session.send("Profiler.takePreciseCoverage")
    return sum(
        piece["count"]
        for script in found["result"]
        if "/page/" in script["url"]
        for function in script["functions"]
        for piece in function["ranges"]
    )


@pytest.mark.parametrize("is_marked", [False, True], ids=["plain", "marked"])
@pytest.mark.parametrize("kind", KINDS)
async def test_the_last_lines_of_ten_thousand_cost_what_the_first_did(
    counted: tuple[Page, CDPSession], kind: str, is_marked: bool
) -> None:
    page, session = counted
    head, line = KINDS[kind]
    given = {"line": line, "lines": AT_ONCE, "isMarked": is_marked, "marker": marker(0, 1)}
    # A part of a block is a hundred items or two hundred lines: both samples have whole ones.
    early, late = 40, LINES // AT_ONCE - SAMPLE

    await run(page, GROW, {**given, "head": head, "times": early})
    await _work(session)
    first_changes = await run(page, GROW, {**given, "times": SAMPLE})
    first = await _work(session)
    await run(page, GROW, {**given, "times": late - early - SAMPLE})
    await _work(session)
    last_changes = await run(page, GROW, {**given, "times": SAMPLE})
    last = await _work(session)

    assert last <= 1.25 * first
    assert last_changes <= 1.25 * first_changes
    assert await page.evaluate("grown.number") == LINES


@pytest.mark.parametrize("kind", KINDS)
async def test_long_blocks_that_came_in_pieces_look_like_the_whole(
    modules: Page, kind: str
) -> None:
    head, line = KINDS[kind]
    text = head + "".join(line.replace("{n}", str(number)) for number in range(1, 451))
    text = f"{text}```\n\nAfter.\n" if kind == "code" else f"{text}\n\nAfter.\n"
    places = [0, 7, 1_000, *range(1_001, 1_100), 5_000, len(text)]

    shown = await streamed(modules, [text[a:b] for a, b in pairwise(places)], [])

    assert [shown] == await whole(modules, [text])
    numbers = re.findall(r"\d+", re.sub(r"<[^>]*>", " ", shown))
    if kind != "a numbered list":
        assert numbers == [str(number) for number in range(1, 451)]


async def test_a_long_list_goes_on_with_its_numbers_whatever_its_lines_say(modules: Page) -> None:
    [shown] = await whole(modules, ["".join("1. word\n" for _ in range(250))])

    assert re.findall(r"<ol[^>]*>", shown) == [
        "<ol>",
        '<ol start="101" class="is-part">',
        '<ol start="201" class="is-part">',
    ]


async def test_a_long_program_is_one_text(modules: Page) -> None:
    lines = [f"line {number}" if number % 7 else "" for number in range(1_000)]
    program = "\n".join(lines)

    text, parts = await run(
        modules,
        """const root = document.createElement('div');
        new MarkdownView(root, setting).replace({ text: given, markers: [] });
        const code = root.querySelectorAll('code');
        return [[...code].map((each) => each.textContent).join('|'), code[0].childElementCount];""",
        f"```py\n{program}\n```\n",
    )

    assert text == program
    assert parts == 5


async def test_late_markers_find_their_place_in_a_long_answer(modules: Page) -> None:
    text = "".join(f"- Item {number}\n" for number in range(1_000))
    places = [text.index(f"Item {number}\n") + len(f"Item {number}") for number in (3, 500, 999)]

    shown = await streamed(modules, [text], [marker(place, 1) for place in reversed(places)])

    assert re.findall(r"Item (\d+)<sup>", shown) == ["3", "500", "999"]
