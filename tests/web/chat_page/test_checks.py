"""What was compared with the pages, in a real browser: markers, cards, counts and the line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.played_citations import PLAYED
from tests.web.chat_page.chat import ChatPage, add_providers
from tests.web.chat_page.gate import Gate
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALL = f"Windmills: {', '.join(each.words for each in PLAYED)}"
RIGHT = "Windmills: cite rightly"
FORBIDDEN = ("support", "verif", "confirm", "true", "false", "contradict", "hallucinat", "%")
"""What no comparison of words can tell."""

# What each case shows: the marker's state, its label's end, the card's fact.
CASES = {
    "cite rightly": ("found", "quoted to the letter", "Quoted to the letter."),
    "invent a number": (
        "absent",
        "something is not on the page. 97 is not on this page.",
        "97 is not on this page.",
    ),
    "misquote": (
        "absent",
        "built again by spring” is not on this page.",
        "“a mill that burns down in a winter is built again by spring” is not on this page.",
    ),
    "cite a missing page": (
        "not_compared",
        "not compared: the page could not be read",
        "Not compared: the page could not be read.",
    ),
    "cite a blocked page": (
        "not_compared",
        "not compared: the page shows a block notice instead of its text",
        "Not compared: the page shows a block notice instead of its text.",
    ),
}

# Everything of a pill that is seen without colours.
SHAPE = """(mark) => {
  const pill = mark.firstElementChild;
  const style = getComputedStyle(pill);
  const sign = (part) => getComputedStyle(pill, part).content.match(/^"([^"]+)"/)?.[1];
  const signs = ['::before', '::after'].map(sign);
  return [style.borderStyle, style.borderRadius, ...signs].join(' ');
}"""


@pytest.fixture(scope="module")
def played() -> Iterator[SandboxServer]:
    """Return the sandbox that plays the providers and the pages."""
    with SandboxServer() as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def gate(played: SandboxServer) -> Iterator[Gate]:
    """Return what stands before the reader of pages."""
    with Gate(played.base_url("jina")) as gate:
        yield gate


@pytest.fixture(scope="module")
def server(
    played: SandboxServer, gate: Gate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Web]:
    """Return a server that compares citations, and reads pages through the gate."""
    folder = tmp_path_factory.mktemp("web")
    with Web(played, folder, checks={}, addresses={"jina": gate.url}) as web:
        add_providers(web)
        yield web


@pytest.fixture(autouse=True)
def opened(gate: Gate) -> None:
    """Let pages be read, unless a test closes the gate."""
    gate.open()


def marks(answer: Locator) -> Locator:
    return answer.locator(".words .mark")


def card(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("dialog")


async def compared(chat: ChatPage, text: str) -> Locator:
    """Ask, and return the answer once all of its citations were compared."""
    answer = await chat.answered(text, search="Hosted")
    await expect(answer.locator(".checks-line")).not_to_be_empty()
    return answer


async def shown_on_card(chat: ChatPage, mark: Locator) -> str:
    """Return the words of a marker's card."""
    await mark.hover()
    await expect(card(chat)).to_be_visible()
    words = await card(chat).inner_text()
    await chat.page.keyboard.press("Escape")
    await chat.page.mouse.move(5, 5)
    await expect(card(chat)).to_be_hidden()
    return words


def told(chat: ChatPage) -> Json:
    """Return what the server keeps of the last answer's checks."""
    return chat.web.get(f"/api/messages/{chat.kept()[-1]['id']}/checks")


async def test_five_answers_have_five_markers_and_five_cards(chat: ChatPage) -> None:
    names, cards = [], []
    for words, (state, name, fact) in CASES.items():
        await chat.open()
        answer = await compared(chat, f"Windmills: {words}")
        mark = marks(answer).first

        await expect(mark).to_have_attribute("data-check", state)
        names.append(await mark.get_attribute("aria-label") or "")
        assert name in names[-1]
        cards.append(await shown_on_card(chat, mark))
        assert fact in cards[-1]

    assert [each.words for each in PLAYED] == [*CASES]
    assert len(set(names)) == len(set(cards)) == len(CASES)


async def test_the_states_differ_in_shape_and_not_in_colour_alone(
    chat: ChatPage, gate: Gate
) -> None:
    answer = await compared(chat, ALL)
    shapes = {
        await mark.get_attribute("data-check"): await mark.evaluate(SHAPE)
        for mark in await marks(answer).all()
    }
    gate.close()
    late = await chat.answered(RIGHT, search="Hosted")
    shapes["pending"] = await marks(late).first.evaluate(SHAPE)
    shapes["plain"] = await chat.page.evaluate(
        f"""() => {{
          const mark = document.querySelector('.words .mark').cloneNode(true);
          mark.dataset.check = 'plain';
          document.querySelector('.words').append(mark);
          const shape = ({SHAPE})(mark);
          mark.remove();
          return shape;
        }}"""
    )

    assert shapes.keys() == {"found", "plain", "absent", "not_compared", "pending"}
    assert len(set(shapes.values())) == 5


async def test_the_card_has_facts_the_nearest_passage_and_the_way_to_both_pages(
    chat: ChatPage,
) -> None:
    answer = await compared(chat, "Windmills: misquote")

    await marks(answer).first.hover()

    shown = card(chat)
    nearest = "The miller Antje Vos wrote in her diary: a mill that stands still for a winter"
    await expect(shown.locator("figcaption")).to_have_text("Nearest passage")
    await expect(shown.locator("blockquote")).to_contain_text(nearest)
    live = shown.get_by_role("link", name="Open at the passage")
    await expect(live).to_have_attribute(
        "href", re.compile(r"^https://wiki\.example\.net/windmill#:~:text=The%20miller")
    )
    kept = shown.get_by_role("link", name="Show in the page as it was read")
    await expect(kept).to_have_attribute("href", told(chat)["checks"][0]["source_url"])


async def test_a_page_that_was_not_read_is_not_offered_as_it_was_read(chat: ChatPage) -> None:
    answer = await compared(chat, "Windmills: cite a missing page")

    await marks(answer).first.hover()

    await expect(card(chat).get_by_role("link", name="Open page")).to_be_visible()
    await expect(card(chat).get_by_role("link", name="as it was read")).to_have_count(0)


async def test_the_line_is_the_servers_and_folds_open_to_every_claim(chat: ChatPage) -> None:
    answer = await compared(chat, ALL)
    line = answer.locator(".checks-line")

    await expect(line).to_have_text(told(chat)["summary"])
    await expect(line).to_have_text(re.compile("^1 of 5 citations stand on their pages; 1 number"))
    await line.click()
    claims = answer.locator(".claim")
    await expect(claims.locator(".claim-words")).to_have_text([each.text for each in PLAYED])
    await expect(claims.nth(1)).to_contain_text("97 is not on this page.")
    await claims.nth(1).get_by_role("button").click()
    await expect(marks(answer).nth(1)).to_be_focused()


async def test_sources_count_what_their_claims_came_to(chat: ChatPage) -> None:
    answer = await compared(chat, ALL)

    await chat.show_sources(answer)

    counts = answer.locator(".source-checks")
    await expect(counts.nth(0).get_by_role("listitem")).to_have_text(
        ["Quoted to the letter", "2 × something is not on the page"]
    )
    await expect(counts.nth(1)).to_have_text("Not compared: the page could not be read")


async def test_no_word_on_the_page_says_more_than_was_compared(chat: ChatPage) -> None:
    answer = await compared(chat, ALL)
    await answer.locator(".checks-line").click()
    await chat.show_sources(answer)
    said = [await answer.locator(".checks").inner_text()]
    said += [await each.inner_text() for each in await answer.locator(".source-checks").all()]
    for mark in await marks(answer).all():
        said += [await mark.get_attribute("aria-label") or "", await shown_on_card(chat, mark)]

    found = [word for word in FORBIDDEN for each in said if word in each.lower()]

    assert len(said) == 1 + 4 + 2 * 5
    assert found == []


async def test_a_reload_shows_the_same(chat: ChatPage) -> None:
    answer = await compared(chat, ALL)
    before = await _seen(chat, answer)

    await chat.page.reload()
    await expect(chat.answer.locator(".checks-line")).not_to_be_empty()

    assert await _seen(chat, chat.answer) == before


async def _seen(chat: ChatPage, answer: Locator) -> Json:
    return [
        await answer.locator(".checks-line").inner_text(),
        [
            [
                await mark.get_attribute("data-check"),
                await mark.get_attribute("aria-label"),
                await mark.get_attribute("href"),
                await shown_on_card(chat, mark),
            ]
            for mark in await marks(answer).all()
        ],
    ]


async def test_late_checks_come_without_a_reload(chat: ChatPage, gate: Gate) -> None:
    gate.close()
    answer = await chat.answered(RIGHT, search="Hosted")
    mark = marks(answer).first

    await expect(mark).to_have_attribute("data-check", "pending")
    await expect(mark).to_have_attribute("aria-label", re.compile("not yet compared$"))
    await expect(answer.get_by_text("0 of 1 citation compared with its page…")).to_be_visible()
    await mark.hover()
    await expect(card(chat)).to_contain_text("Not yet compared")
    gate.open()

    await expect(mark).to_have_attribute("data-check", "found")
    await expect(card(chat)).to_contain_text("Quoted to the letter.")
    await expect(answer.locator(".checks-line")).to_have_text("1 of 1 citation stands on its page")


async def test_late_checks_come_to_a_page_that_was_opened_later(chat: ChatPage, gate: Gate) -> None:
    gate.close()
    await chat.answered(RIGHT, search="Hosted")
    await chat.page.reload()
    await expect(marks(chat.answer).first).to_have_attribute("data-check", "pending")

    gate.open()

    await expect(marks(chat.answer).first).to_have_attribute("data-check", "found")


async def test_a_hidden_page_and_a_chat_that_was_left_ask_for_nothing(
    chat: ChatPage, gate: Gate
) -> None:
    gate.close()
    session_id = chat.web.ask(RIGHT, search="hosted")[-1].data["message"]["session_id"]
    page = await chat.page.context.new_page()
    await page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    await page.goto(f"{chat.web.url}/s/{session_id}")
    await expect(page.locator(".words .mark")).to_have_attribute("data-check", "pending")
    async with page.expect_response("**/checks"):
        await page.clock.run_for(1100)

    await _hide(page, is_hidden=True)
    asked.clear()
    await page.clock.run_for(60_000)
    hidden = [*asked]
    async with page.expect_response("**/checks"):
        await _hide(page, is_hidden=False)
    await page.get_by_role("link", name="New chat").first.click()
    await expect(page.get_by_text("What do you want to know?")).to_be_visible()
    asked.clear()
    await page.clock.run_for(60_000)
    await page.close()

    assert hidden == []
    assert "checks" not in asked


async def _hide(page: Page, *, is_hidden: bool) -> None:
    """Do what a browser does when another tab is shown."""
    await page.evaluate(
        """(isHidden) => {
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
          document.dispatchEvent(new Event('visibilitychange'));
        }""",
        is_hidden,
    )


async def test_check_again_compares_with_the_pages_of_now(chat: ChatPage, gate: Gate) -> None:
    answer = await compared(chat, RIGHT)
    before = told(chat)["checks"][0]["checked_at"]
    again = answer.get_by_role("button", name="Check again")
    gate.close()

    await again.focus()
    await chat.page.keyboard.press("Enter")

    await expect(answer.get_by_text("0 of 1 citation compared with its page…")).to_be_visible()
    await expect(again).to_have_attribute("aria-disabled", "true")
    await expect(marks(answer).first).to_have_attribute("data-check", "pending")
    gate.open()
    await expect(answer.locator(".checks-line")).to_have_text("1 of 1 citation stands on its page")
    await expect(again).to_be_focused()
    assert told(chat)["checks"][0]["checked_at"] > before


async def test_check_again_says_why_it_cannot(chat: ChatPage) -> None:
    answer = await compared(chat, RIGHT)
    workspace = "/api/workspaces/personal"
    chat.web.client.patch(workspace, json={"citation_checks": "off"})

    await answer.get_by_role("button", name="Check again").click()

    await expect(chat.page.locator(".toast")).to_contain_text("citation_checks")
    await expect(answer.locator(".checks-line")).not_to_be_empty()
    chat.web.client.patch(workspace, json={"citation_checks": ""})


async def test_without_checks_a_marker_says_that_it_was_not_compared(chat: ChatPage) -> None:
    chat.web.client.patch("/api/workspaces/personal", json={"citation_checks": "off"})

    answer = await chat.answered(RIGHT, search="Hosted")

    chat.web.client.patch("/api/workspaces/personal", json={"citation_checks": ""})
    await expect(marks(answer).first).to_have_attribute("data-check", "not_compared")
    await expect(marks(answer).first).to_have_attribute("aria-label", re.compile(": not compared$"))
    await expect(answer.locator(".checks")).to_be_hidden()


async def test_the_source_view_is_reached_by_keyboard_and_shows_the_passage(
    chat: ChatPage,
) -> None:
    answer = await compared(chat, "Windmills: invent a number")
    keyboard = chat.page.keyboard
    await answer.locator(".timeline > summary").focus()
    mark = marks(answer).first
    while not await mark.evaluate("(each) => each === document.activeElement"):
        await keyboard.press("Tab")
    link = card(chat).get_by_role("link", name="Show in the page as it was read")
    while not await link.evaluate("(each) => each === document.activeElement"):
        await keyboard.press("Tab")

    async with chat.page.context.expect_page() as opening:
        await keyboard.press("Enter")
    view = await opening.value

    await expect(view.locator("mark")).to_have_text("Only 38 of them still turn.")
    await expect(view.locator("mark")).to_be_in_viewport()
    claim = view.locator(".source-claim[aria-current]")
    await expect(claim).to_contain_text("97 is not on this page.")
    seen = ChatPage(web=chat.web, page=view)
    for scheme in ("light", "dark"):
        await view.emulate_media(color_scheme=scheme)
        assert await seen.check_access() == []
    await view.close()


async def test_the_source_view_compares_again_and_leads_back(chat: ChatPage, gate: Gate) -> None:
    await compared(chat, RIGHT)
    before = told(chat)["checks"][0]
    view = await chat.page.context.new_page()
    await view.goto(f"{chat.web.url}{before['source_url']}")
    gate.close()

    await view.get_by_role("button", name="Check again").click()
    await expect(view.get_by_role("status")).to_contain_text("are being compared")
    gate.open()

    await expect(view.get_by_role("button", name="Check again")).to_be_visible()
    assert told(chat)["checks"][0]["checked_at"] > before["checked_at"]
    await expect(view.locator("mark")).to_have_text(before["nearest"]["exact"])
    await view.get_by_role("link", name="Back to the answer").click()
    await expect(view.locator(".words .mark").first).to_be_visible()
    await view.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_markers_cards_counts_and_the_line_have_no_violation(
    chat: ChatPage, gate: Gate, scheme: Literal["light", "dark"]
) -> None:
    await chat.page.emulate_media(color_scheme=scheme)
    answer = await compared(chat, ALL)
    await answer.locator(".checks-line").click()
    await chat.show_sources(answer)
    found = await chat.check_access()
    for mark in await marks(answer).all():
        await mark.hover()
        await expect(card(chat)).to_be_visible()
        found += await chat.check_access()
        await chat.page.keyboard.press("Escape")
    gate.close()
    await answer.get_by_role("button", name="Check again").click()
    await expect(answer.locator(".checks-progress")).to_be_visible()
    found += await chat.check_access()

    await chat.page.emulate_media(color_scheme="light")
    assert found == []


async def test_only_the_line_is_read_out_and_only_when_all_is_compared(
    chat: ChatPage, gate: Gate
) -> None:
    gate.close()
    answer = await chat.answered(RIGHT, search="Hosted")

    await expect(answer.locator("[aria-live]")).to_have_count(1)
    await expect(answer.locator("[aria-live]")).to_be_empty()
    gate.open()

    await expect(answer.locator("[aria-live]")).to_have_text("1 of 1 citation stands on its page")


async def test_forced_colours_and_paper_keep_the_number_readable(chat: ChatPage) -> None:
    answer = await compared(chat, RIGHT)
    pill = marks(answer).first.locator("span")
    colours = "(each) => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor]"

    await chat.page.emulate_media(forced_colors="active")
    forced = await pill.evaluate(colours)
    await chat.page.emulate_media(forced_colors="none", media="print")
    printed = await pill.evaluate(colours)
    await chat.page.emulate_media(media="screen")

    assert forced[0] != forced[1]
    assert printed[1] == "rgba(0, 0, 0, 0)"


async def test_the_nonsense_of_a_small_model_looks_like_nothing_that_was_found(
    chat: ChatPage, played: SandboxServer, tmp_path: Path
) -> None:
    said = "This is a story that will make you laugh."
    reply = {"sentences": [{"text": said, "sources": [each]} for each in (1, 2, 1, 2, 1)]}
    (tmp_path / "reply.sse").write_bytes(_completion(json.dumps(reply)))
    with (
        SandboxServer(recordings=tmp_path, replay="reply.sse") as small,
        Web(played, tmp_path, checks={}, addresses={"openai": small.base_url("openai")}) as web,
    ):
        model = web.program.settings.providers["openai"]
        model.options["calls_tools"] = False
        done = web.ask(provider_id="openai", search="client", model="smollm2:135m")[-1].data
        await chat.page.goto(f"{web.url}/s/{done['message']['session_id']}")
        await expect(chat.answer.locator(".checks-line")).not_to_be_empty()
        states = [await mark.get_attribute("data-check") for mark in await marks(chat.answer).all()]
        cards = [await shown_on_card(chat, mark) for mark in await marks(chat.answer).all()]
    await chat.open()

    assert done["message"]["content"].count(said.rstrip(".")) == 5
    assert states == ["absent"] * 5
    assert all("Few of these words are on this page." in words for words in cards)


def _completion(text: str) -> bytes:
    """Return a streamed chat completion that says this."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "smollm2:135m"}
    choices: list[Json] = [
        {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    ]
    events = [f"data: {json.dumps({**head, 'choices': [each]})}\n\n" for each in choices]
    return "".join([*events, "data: [DONE]\n\n"]).encode()
