"""A fresh machine, without key or network: the demo's page answers, and so does `ask`."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from groundwire.demo import LIBRARIAN, QUESTIONS, demonstration
from groundwire.store import PERSONAL
from tests.forked import groundwire
from tests.web.browser import violations

pytestmark = pytest.mark.asyncio(loop_scope="session")


def _bare(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a demo in an empty home."""
    tmp_path = tmp_path_factory.mktemp("demo")
    with subprocess.Popen(
        [sys.executable, "-m", "groundwire", "demo", "--no-browser", "--port", "0"],
        env={**_bare(tmp_path), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield next(line.strip() for line in process.stdout if "://" in line)
        process.terminate()
        process.wait(30)
    assert [*tmp_path.iterdir()] == []


async def test_the_demo_answers_in_a_browser_with_sources(browser: Browser, demo: str) -> None:
    page = await browser.new_page()
    await page.goto(demo)
    await expect(page.get_by_label("Agent", exact=True)).to_be_enabled()

    await page.get_by_label("Agent", exact=True).select_option(label=LIBRARIAN)
    await page.get_by_label("Your question").fill(QUESTIONS[0])
    await page.get_by_label("Your question").press("Enter")

    answer = page.get_by_role("article", name="Answer")
    await expect(answer).to_have_attribute("data-status", "complete")
    await expect(answer.get_by_text("Sources (")).to_be_visible()
    marker = answer.get_by_role("link", name="Source 1").first
    await expect(marker).to_be_visible()
    place = str(await marker.get_attribute("href")).partition("#")[0]
    document = await (await page.request.get(demo + place)).text()
    await page.close()
    assert place.startswith("/library/groundwire/")
    assert "<h1" in document


async def test_the_page_says_what_the_demo_is(browser: Browser, demo: str) -> None:
    page = await browser.new_page()
    await page.goto(demo)
    bar = page.get_by_role("complementary", name="About this demo")
    agents = page.get_by_label("Agent", exact=True)
    await expect(agents).to_be_enabled()

    await expect(bar).to_contain_text("Demo: nothing leaves this machine.")
    await expect(bar.get_by_text("groundwire serve --open")).to_be_hidden()
    await bar.get_by_text("Go on with a key").click()
    await expect(bar.get_by_text("groundwire serve --open")).to_be_visible()
    await expect(agents.locator("option:checked")).to_have_text(LIBRARIAN)
    model = page.get_by_label("Model", exact=True)
    await expect(model.locator("option:checked")).to_have_text("extractive (agent’s)")
    # What does not think is not asked how to.
    await expect(page.get_by_label("How the model thinks")).to_be_hidden()
    simulated = agents.locator("optgroup")
    await expect(simulated).to_have_attribute("label", "Simulated on this machine")
    await expect(simulated.locator("option")).to_have_count(6)
    assert await violations(page) == []
    assert [each["text"] for each in await _starters(page, demo)] == [*QUESTIONS]
    await page.close()


async def _starters(page: Page, demo: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (await (await page.request.get(f"{demo}/api/me")).json())[
        "starters"
    ]
    return found


async def test_every_marker_of_every_agent_opens_at_its_passage(
    browser: Browser, demo: str
) -> None:
    page = await browser.new_page()
    found: list[tuple[str, str, str]] = []
    for agent in await (await page.request.get(f"{demo}/api/agents")).json():
        answers = await _markers(page, demo, agent["id"])
        for question, links in zip(QUESTIONS, answers, strict=True):
            assert links, (agent["name"], question)
            found += [(agent["name"], question, link) for link in links]
    # Agents cite the same passages of the same pages: each is opened once.
    is_at: dict[str, bool] = {}
    for link in dict.fromkeys(link for _, _, link in found):
        await page.goto(demo + link)
        is_at[link] = await page.evaluate(_IS_AT_PASSAGE)
    await page.close()

    assert [each for each in found if not is_at[each[-1]]] == []
    assert len(found) > 7 * len(QUESTIONS)


# The words of the address, or the first dozen of them, stand in the element that is on the screen.
_IS_AT_PASSAGE = """() => {
  const passage = document.querySelector('#passage');
  const wanted = new URLSearchParams(location.search).get('passage') ?? '';
  const words = (text) => text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];
  if (!passage || !words(wanted).length) return false;
  const { top, bottom } = passage.getBoundingClientRect();
  const said = ` ${words(passage.textContent).join(' ')} `;
  const isSeen = top < innerHeight && bottom > 0;
  return isSeen && said.includes(` ${words(wanted).slice(0, 12).join(' ')} `);
}"""


async def _markers(page: Page, demo: str, agent: str) -> list[list[str]]:
    """Ask all in one chat; return where the markers of each answer lead, once they are compared."""
    # Not typed into the page, as above: to show an answer as it comes costs more than all the rest.
    session: dict[str, str] = {}
    for question in QUESTIONS:
        data = {"text": question, **session}
        asked = await page.request.post(f"{demo}/api/agents/{agent}/message", data=data)
        told = re.search('"session_id":"([^"]+)"', await asked.text())
        assert told
        session = {"session_id": told[1]}
    await page.goto(f"{demo}/s/{session['session_id']}")
    answers = page.get_by_role("article", name="Answer")
    await expect(answers).to_have_count(len(QUESTIONS))
    found: list[list[str]] = []
    for answer in await answers.all():
        await expect(answer).to_have_attribute("data-status", "complete")
        marks = answer.locator("a.mark")
        compared = marks.and_(answer.locator("[href*='passage=']"))
        await expect(compared).to_have_count(await marks.count())
        found.append(
            await marks.evaluate_all("(marks) => marks.map((mark) => mark.getAttribute('href'))")
        )
    return found


# What an answer says, early, if it answers.
SAID = dict(
    zip(
        QUESTIONS,
        (r"without a key|no key", r"compared", r"Markdown.*PDF", r"quotes|quoted to the letter"),
        strict=True,
    )
)
EARLY = 1_000
# Words of the sandbox's own, which tests of offsets and of failures are for.
FIXTURES = ("naïve", "That is all I found", "sandbox speaking", "no page answers")


async def test_every_agent_answers_every_starter_from_the_page_that_does(tmp_path: Path) -> None:
    async with demonstration(tmp_path) as demo:
        agents = await demo.program.store.agents.list(PERSONAL)
        asked = [(agent.name, question) for agent in agents for question in QUESTIONS]
        given = {
            (agent, question): await demo.program.ask(question, agent=agent)
            for agent, question in asked
        }

    assert agents[0].name == LIBRARIAN
    assert len(agents) == 7
    for (agent, question), answer in given.items():
        words = " ".join(answer.text.split())
        marked = [source.url for source in answer.sources if source.is_marked]
        assert re.search(SAID[question], words[:EARLY]), (agent, answer.text)
        assert not [each for each in FIXTURES if each in words], (agent, answer.text)
        assert marked, (agent, question)
        assert {url.split("/")[2] for url in marked} == {"library.test"}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_ask_answers_from_the_library_of_a_fresh_machine(
    tmp_path: Path, question: str
) -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        groundwire("ask", question),
        env=_bare(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )

    text, _, sources = done.stdout.partition("\n\nSources:\n")
    assert done.returncode == 0, done.stderr
    assert re.search(SAID[question], " ".join(text.split()))
    assert "[1]" in text
    assert "[1] " in sources
    assert "https://library.test/groundwire/" in sources
