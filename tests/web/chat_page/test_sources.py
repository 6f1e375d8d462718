"""Markers, their cards and the list of sources: everything that lets a reader check an answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from playwright.async_api import Locator, expect

from groundwire.sandbox import PAGES, BuiltInWeb, SandboxServer, WebPage
from tests.web.chat_page.chat import OTTERS, ChatPage, add_providers
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

FUR = "Sea otters have the densest fur of all animals."
KELP = "Resting sea otters wrap themselves in kelp so that the current does not carry them away."
READ = "How do sea otters sleep? read"


UNTITLED = WebPage(
    url="https://wiki.example.net/untitled", title="", passages=("A quokka smiles at everybody.",)
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Return a server over a web in which one page has no title."""
    library = BuiltInWeb((*PAGES, UNTITLED))
    folder = tmp_path_factory.mktemp("web")
    with SandboxServer(library=library) as sandbox, Web(sandbox, folder) as web:
        add_providers(web)
        yield web


def marks(answer: Locator) -> Locator:
    return answer.locator(".words .mark")


def card(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("dialog")


async def test_markers_are_links_with_the_numbers_of_the_kept_answer(chat: ChatPage) -> None:
    answer = await chat.answered("compare otters and tides")

    kept = chat.kept()[-1]["answer"]
    numbers = [number for each in kept["markers"] for number in each["numbers"]]
    assert numbers == [1, 2, 3]
    await expect(marks(answer)).to_have_text([str(number) for number in numbers])
    urls = {each["number"]: each["url"] for each in kept["sources"]}
    for index, number in enumerate(numbers):
        link = marks(answer).nth(index)
        href = await link.get_attribute("href") or ""
        assert href.split("#")[0] == urls[number]
        await expect(link).to_have_attribute("target", "_blank")
        await expect(link).to_have_attribute("rel", "noopener noreferrer")


async def test_a_marker_says_number_title_and_domain_to_a_screen_reader(chat: ChatPage) -> None:
    answer = await chat.answered()

    await expect(
        answer.get_by_role("link", name="Source 1: Sea otter, wiki.example.net")
    ).to_have_text("1")


async def test_hovering_a_marker_shows_title_domain_date_and_passage(chat: ChatPage) -> None:
    answer = await chat.answered()

    await marks(answer).first.hover()

    shown = card(chat)
    await expect(shown.get_by_role("link", name="Sea otter", exact=True)).to_be_visible()
    await expect(shown).to_contain_text("wiki.example.net")
    await expect(shown).to_contain_text("Published Mar 2, 2026")
    await expect(shown.locator("blockquote")).to_have_text(KELP)
    await expect(shown).to_contain_text("Cited: the answer names this page")
    await chat.page.mouse.move(5, 5)
    await expect(shown).to_be_hidden()


async def test_each_marker_of_one_source_shows_the_passage_behind_its_own_claim(
    chat: ChatPage,
) -> None:
    answer = await chat.answered(READ)

    await marks(answer).nth(2).hover()

    await expect(card(chat).locator("blockquote")).to_have_text(KELP)
    await expect(card(chat)).to_contain_text("retrieved")
    link = await marks(answer).nth(2).get_attribute("href") or ""
    assert link.startswith("https://wiki.example.net/sea-otter#:~:text=Resting")


async def test_a_page_that_was_opened_is_shown_as_it_was_read_also_where_nothing_is_compared(
    chat: ChatPage,
) -> None:
    question = "Use open_page for https://wiki.example.net/sea-otter"
    answer = await chat.answered(question, search="Client")
    await chat.show_sources(answer)
    listed = answer.locator(".source").first.get_by_role("link", name="as it was read")
    async with chat.page.context.expect_page() as opened:
        await listed.click()
    page = await opened.value

    await expect(page.get_by_role("article")).to_contain_text(KELP)
    await page.close()


async def test_a_card_is_whole_on_the_screen_however_little_room_there_is(chat: ChatPage) -> None:
    answer = await chat.answered()
    mark = answer.locator(".mark").first
    for height in (760, 520, 400):
        await chat.page.set_viewport_size({"width": 1100, "height": height})
        await mark.scroll_into_view_if_needed()
        await mark.focus()
        card = chat.page.locator(".card:popover-open")
        await expect(card).to_be_visible()
        box = await card.bounding_box()
        assert box is not None
        assert (box["y"] >= 0, box["y"] + box["height"] <= height) == (True, True), (height, box)
        await chat.page.keyboard.press("Escape")
        await mark.blur()


async def test_focus_opens_the_card_and_escape_closes_it(chat: ChatPage) -> None:
    answer = await chat.answered()
    await answer.locator(".timeline summary").first.focus()

    await chat.page.keyboard.press("Tab")
    while not await marks(answer).first.evaluate("(mark) => mark === document.activeElement"):
        await chat.page.keyboard.press("Tab")

    await expect(card(chat)).to_be_visible()
    await expect(marks(answer).first).to_have_attribute("aria-expanded", "true")
    await chat.page.keyboard.press("Escape")
    await expect(card(chat)).to_be_hidden()


async def test_a_marker_lights_up_the_words_that_it_supports(chat: ChatPage) -> None:
    answer = await chat.answered(READ)

    await marks(answer).first.hover()
    await expect(card(chat)).to_be_visible()

    assert await chat.lit() == [FUR]


async def test_a_source_lights_up_all_of_its_words_and_markers(chat: ChatPage) -> None:
    answer = await chat.answered(READ)
    await chat.show_sources(answer)

    await answer.locator(".source").first.hover()

    assert (await chat.lit())[:3:2] == [FUR, KELP]
    await expect(answer.locator(".mark.is-lit")).to_have_count(4)
    await answer.locator(".source").nth(1).hover()
    assert await chat.lit() == []


async def test_sources_are_grouped_by_how_far_they_were_checked(chat: ChatPage) -> None:
    answer = await chat.answered(READ)

    await chat.show_sources(answer)
    # The provider opened it, so that its text is not here.
    await expect(answer.get_by_role("link", name="as it was read")).to_have_count(0)

    cited = answer.get_by_role("group", name="Cited (1)")
    found = answer.get_by_role("group", name="Found (1)")
    await expect(cited.get_by_role("link", name="Sea otter")).to_be_visible()
    await expect(cited.locator("q")).to_have_text(FUR)
    link = found.get_by_role("link", name="Otters return to the river")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    await expect(link).to_have_attribute("target", "_blank")
    styles = [
        await group.locator(".evidence").evaluate("(each) => getComputedStyle(each).borderStyle")
        for group in (cited, found)
    ]
    assert styles == ["solid", "dashed"]


async def test_pages_that_were_opened_are_a_group_of_their_own(chat: ChatPage) -> None:
    text = "Call open_page for https://wiki.example.net/sea-otter please"
    answer = await chat.answered(text, search="Client")

    await chat.show_sources(answer)

    read = answer.get_by_role("group", name="Read (1)")
    await expect(read.get_by_role("link", name="Sea otter")).to_be_visible()


async def test_what_the_policy_removed_is_listed_and_struck(chat: ChatPage) -> None:
    client = chat.web.client
    client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["wiki.example.net"]})

    answer = await chat.answered(model="Google", search="Hosted")

    client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["*"]})
    await expect(answer.locator('.mark[data-evidence="struck"] s')).to_be_visible()
    await expect(answer.locator(".notice")).to_contain_text(
        "1 source removed by policy from citations: news.example.com. only wiki.example.net"
    )
    name = "Source removed by policy: news.example.com"
    await expect(answer.get_by_role("button", name=name)).to_be_visible()
    await chat.show_sources(answer)
    removed = answer.get_by_role("group", name="Removed by policy (1)")
    await expect(removed).to_contain_text("news.example.com")
    await expect(removed.get_by_role("link")).to_have_count(0)


async def test_a_sentence_that_rests_on_what_was_removed_is_folded_and_says_why(
    chat: ChatPage,
) -> None:
    client = chat.web.client
    client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["wiki.example.net"]})

    answer = await chat.answered(model="Google", search="Hosted")

    client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["*"]})
    fold = answer.get_by_role("button", name="Folded by policy: this rests on news.example.com")
    sentence = answer.get_by_text("River otters were counted")
    await expect(fold).to_have_attribute("aria-expanded", "false")
    await expect(sentence).to_be_hidden()
    await fold.press("Enter")
    await expect(sentence).to_be_visible()
    await expect(fold).to_have_attribute("aria-expanded", "true")
    await fold.press(" ")
    await expect(sentence).to_be_hidden()
    assert await chat.check_access() == []


async def test_a_number_that_the_model_made_up_is_shown_as_unknown(chat: ChatPage) -> None:
    await chat.answered(search="Client")
    answer = await chat.answered("Otters hold hands [9].", search="No search")

    mark = answer.get_by_role("button", name="Unknown source 9")
    await expect(mark).to_have_text("9?")
    await mark.click()
    await expect(card(chat)).to_contain_text("no source has this number")


async def test_a_source_without_a_title_is_shown_by_its_url(chat: ChatPage) -> None:
    url = "https://wiki.example.net/untitled"
    answer = await chat.answered("Tell me of quokkas")

    await expect(answer.get_by_role("link", name=f"Source 1: {url}, wiki")).to_have_text("1")
    await chat.show_sources(answer)
    await expect(answer.locator(".source").get_by_role("link", name=url)).to_be_visible()


async def test_copying_gives_markdown_whose_numbers_match_its_sources(chat: ChatPage) -> None:
    answer = await chat.answered(READ)

    await answer.get_by_role("button", name="Copy as Markdown").click()
    await expect(chat.page.locator("#live")).to_have_text("Copied")

    copied = await chat.page.evaluate("navigator.clipboard.readText()")
    assert (
        copied
        == f"""{chat.kept()[-1]["answer"]["text"]}

Sources:
[1] Sea otter (https://wiki.example.net/sea-otter)

Found, not cited:
[2] Otters return to the river (https://news.example.com/2026/05/otters-return)"""
    )


async def test_googles_suggestions_are_in_a_frame_that_can_only_open_links(chat: ChatPage) -> None:
    answer = await chat.answered(OTTERS, model="Google")
    await chat.page.context.route(
        "https://www.google.com/**", lambda route: route.fulfill(body="<title>Found</title>")
    )

    frame = answer.locator("iframe")
    await expect(frame).to_have_attribute("sandbox", "allow-popups allow-popups-to-escape-sandbox")
    await frame.scroll_into_view_if_needed()
    link = frame.content_frame.get_by_role("link").first
    wanted = await link.get_attribute("href")
    async with chat.page.context.expect_page() as opening:
        await link.click()

    opened = await opening.value
    await expect(opened).to_have_title("Found")
    assert opened.url == wanted
    assert await opened.evaluate("window.opener") is None
    await opened.close()
    assert await chat.witnessed() == []


HOSTILE = """
<base href="https://evil.example/" target="_self">
<script>top.__pwned.push('script');</script>
<img src="data:," onerror="top.__pwned.push('image')">
<a href="javascript:opener.top.__pwned.push('link')">Script</a>
<a target="_top" href="https://evil.example/top">Top</a>
<form action="https://evil.example/form"><button>Send</button></form>
"""


async def test_suggestions_of_somebody_hostile_run_load_and_replace_nothing(
    chat: ChatPage,
) -> None:
    await chat.answered(OTTERS, model="Google")
    with closing(sqlite3.connect(chat.web.database)) as database:
        database.execute(
            "UPDATE messages SET answer = json_set(answer, '$.suggestions', ?) WHERE id = ?",
            (HOSTILE, chat.kept()[-1]["id"]),
        )
        database.commit()
    asked: list[str] = []
    chat.page.context.on("request", lambda request: asked.append(request.url))
    await chat.page.reload()
    frame = chat.answer.locator("iframe")
    await frame.scroll_into_view_if_needed()
    before = chat.page.url

    await frame.content_frame.get_by_role("link", name="Top").click()
    await frame.content_frame.get_by_role("button", name="Send").click()
    await frame.content_frame.get_by_role("link", name="Script").click()
    await expect(frame.content_frame.get_by_role("link", name="Script")).to_be_visible()

    assert chat.page.url == before
    assert [url for url in asked if "evil.example" in url] == []
    assert await chat.page.evaluate("__pwned") == []
    for opened in chat.page.context.pages:
        if opened is not chat.page:
            await opened.close()
