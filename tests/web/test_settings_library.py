"""Settings, Library: files, pages and folders added, watched, found and removed in a browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, Page, Route, expect

from groundwire.testing import SandboxServer
from tests.library.folders import HERON, OTTER, write
from tests.patience import wait_until
from tests.web.browser import violations, visiting
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users
from tests.web.test_settings_accessibility import tab_to

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIBRARY = "/api/workspaces/personal/library"
WAIT = 30_000


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    notes = write(tmp_path / "allowed" / "notes", {"heron.md": HERON})
    with Web(sandbox, tmp_path, library={"folders": [str(notes.parent)]}) as web:
        yield web


def _source(page: Page, name: str):  # type: ignore[no-untyped-def]
    return page.locator(".library-source", has_text=name)


async def test_files_are_uploaded_read_found_and_removed(
    browser: Browser, web: Web, tmp_path: Path
) -> None:
    files = write(tmp_path / "mine", {"otter.md": OTTER, "bad.pdf": b"%PDF-1.7", "heron.md": HERON})
    async with visiting(browser, web, "/settings/library") as page:
        names = ["otter.md", "bad.pdf", "heron.md"]
        await page.locator("#library-files").set_input_files([files / name for name in names])
        await expect(page.get_by_text("3 files sent.")).to_be_visible()
        row = _source(page, "Uploaded files")
        await expect(row.get_by_text("Ready")).to_be_visible(timeout=WAIT)
        await row.get_by_text("1 document could not be read").click()
        await expect(row.get_by_text("bad.pdf")).to_be_visible()
        await expect(page.locator(".tile", has_text="Documents")).to_contain_text("2")

        await page.get_by_label("Search the documents").fill("fur")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator(".library-document")).to_have_count(1)
        await expect(page.get_by_role("link", name="Sea otters")).to_have_attribute(
            "href", "/library/uploads/otter.md?workspace_id=personal"
        )
        # The title above and the heading that begins the passage are not said twice.
        await expect(page.locator(".library-document .note")).to_have_text(
            "Fur They have the densest fur of all animals: 150,000 hairs per square centimetre."
        )
        shown = await violations(page)

        await page.get_by_label("Search the documents").fill("")
        await page.get_by_role("button", name="Search").click()
        await page.get_by_role("button", name="Remove Herons").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("Herons is removed.")).to_be_visible()

    assert shown == []
    assert web.get(f"{LIBRARY}/search?query=fish")["hits"] == []


async def test_what_is_found_is_not_overwritten_by_a_list_that_comes_late(
    browser: Browser, web: Web, tmp_path: Path
) -> None:
    notes = write(tmp_path / "allowed" / "both", {"heron.md": HERON, "otter.md": OTTER})
    web.client.post(f"{LIBRARY}/sources", json={"kind": "folder", "location": str(notes)})
    wait_until(lambda: web.get(LIBRARY)["documents"] == 2)
    found = asyncio.Event()

    async def late(route: Route) -> None:
        reply = await route.fetch()
        await found.wait()
        await route.fulfill(response=reply)

    async with visiting(browser, web, "/settings") as page:
        await page.route(re.compile("/library/documents"), late, times=1)
        await page.goto(f"{web.url}/settings/library")
        await page.get_by_label("Search the documents").fill("fur")
        await page.get_by_role("button", name="Search").click()
        await expect(page.locator(".library-document")).to_have_count(1)
        async with page.expect_response(re.compile("/library/documents")):
            found.set()

        await expect(page.locator(".library-document")).to_have_count(1)
        await expect(page.locator(".library-document .note")).to_contain_text("densest fur")


async def test_progress_survives_a_reload(browser: Browser, web: Web, tmp_path: Path) -> None:
    many = {f"{number}.md": f"# Note {number}\n\nOtters.\n" for number in range(300)}
    notes = write(tmp_path / "allowed" / "many", many)
    async with visiting(browser, web, "/settings/library") as page:
        await page.get_by_label("Folder on the server").fill(str(notes))
        await page.get_by_role("button", name="Add folder").click()
        await expect(_source(page, str(notes))).to_be_visible()
        await page.reload()
        row = _source(page, str(notes))
        await expect(row.get_by_text("Ready")).to_be_visible(timeout=WAIT)
        await expect(row).to_contain_text("300 added")
        await row.get_by_label("When").select_option("Every week")
        await expect(page.get_by_text("Saved.")).to_be_visible()

    (source,) = web.get(LIBRARY)["sources"]
    assert source["refresh_hours"] == 168


async def test_a_page_is_added_by_its_address_read_again_and_removed(
    browser: Browser, web: Web
) -> None:
    address = "https://wiki.example.net/sea-otter"
    async with visiting(browser, web, "/settings/library") as page:
        await page.get_by_label("Address of a page").fill(address)
        await page.get_by_role("button", name="Add page").click()
        row = _source(page, address)
        await expect(row.get_by_text("Ready")).to_be_visible(timeout=WAIT)
        await expect(row).to_contain_text("1 added")
        await row.get_by_role("button", name=f"Read {address} again").click()
        await expect(page.get_by_text(f"{address} is read again.")).to_be_visible()
        await expect(row).to_contain_text("1 unchanged", timeout=WAIT)
        await row.get_by_role("button", name=f"Remove {address}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("Nothing has been added yet.")).to_be_visible()

    assert web.get(LIBRARY)["documents"] == 0


async def test_a_document_of_a_folder_stays_and_its_row_says_why(
    browser: Browser, web: Web, tmp_path: Path
) -> None:
    notes = tmp_path / "allowed" / "notes"
    async with visiting(browser, web, "/settings/library") as page:
        await page.get_by_label("Folder on the server").fill(str(notes))
        await page.get_by_role("button", name="Add folder").click()
        await expect(_source(page, str(notes)).get_by_text("Ready")).to_be_visible(timeout=WAIT)
        await page.get_by_role("button", name="Remove Herons").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        row = page.locator(".library-document", has_text="Herons")
        await expect(row).to_contain_text("remove the file or the folder")

        await page.get_by_role("button", name=f"Remove {notes}").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("There are no documents yet.")).to_be_visible()


async def test_what_is_removed_is_gone_from_the_counts_and_the_sources(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/library") as page:
        await page.get_by_label("Address of a page").fill("https://wiki.example.net/sea-otter")
        await page.get_by_role("button", name="Add page").click()
        count = page.locator(".tile", has_text="Documents")
        await expect(count).to_contain_text("1", timeout=WAIT)
        await page.get_by_role("button", name="Remove Sea otter", exact=True).click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        await expect(page.get_by_text("Nothing has been added yet.")).to_be_visible()
        await expect(count).to_contain_text("0")


async def test_a_page_that_is_not_there_says_when_it_was_tried_and_why_it_failed(
    browser: Browser, web: Web
) -> None:
    address = "https://wiki.example.net/no-such-page"
    async with visiting(browser, web, "/settings/library") as page:
        await page.get_by_label("Address of a page").fill(address)
        await page.get_by_role("button", name="Add page").click()
        row = _source(page, address)
        await expect(row.get_by_text("Failed")).to_be_visible(timeout=WAIT)
        await expect(row).to_contain_text("404")
        await expect(row).to_contain_text("Tried")
        await expect(row).not_to_contain_text("Nothing new")


async def test_what_is_refused_says_why_beside_the_field(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/library", color_scheme="dark") as page:
        await page.get_by_label("Folder on the server").fill("/etc")
        await page.get_by_role("button", name="Add folder").click()
        await expect(page.get_by_text("is in none of")).to_be_visible()
        await page.get_by_label("Address of a page").fill("file:///etc/passwd")
        await page.get_by_role("button", name="Add page").click()
        await expect(page.get_by_label("Address of a page")).to_have_attribute(
            "aria-invalid", "true"
        )
        found = await violations(page)

    assert found == []
    assert web.get(LIBRARY)["sources"] == []


async def test_files_that_are_dropped_are_sent(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/library") as page:
        await expect(page.get_by_text("or drop them here")).to_be_visible()
        await page.evaluate(
            "(text) => { const moved = new DataTransfer();"
            " moved.items.add(new File([text], 'otter.md'));"
            " moved.items.add(new File(['la'], 'song.mp3'));"
            " document.querySelector('.drop').dispatchEvent("
            "new DragEvent('drop', { dataTransfer: moved, bubbles: true, cancelable: true })); }",
            OTTER,
        )
        await expect(page.get_by_text("1 file sent.")).to_be_visible()
        await expect(page.locator(".uploads-failed")).to_have_text(
            "song.mp3: It is of a kind that is not read."
        )
        await expect(_source(page, "Uploaded files").get_by_text("Ready")).to_be_visible(
            timeout=WAIT
        )


async def test_a_folder_is_added_and_removed_by_keyboard_on_a_phone(
    browser: Browser, web: Web, tmp_path: Path
) -> None:
    phone = {"width": 360, "height": 740}
    async with visiting(browser, web, "/settings/library", viewport=phone) as page:
        await expect(page.get_by_role("heading", name="Library", level=1)).to_be_visible()
        await tab_to(page, "Folder on the server")
        await page.keyboard.type(str(tmp_path / "allowed" / "notes"))
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("1 added")).to_be_visible(timeout=WAIT)
        await tab_to(page, f"Remove {tmp_path / 'allowed' / 'notes'}")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        await tab_to(page, "Remove")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Nothing has been added yet.")).to_be_visible()
        wide = await page.evaluate("document.documentElement.scrollWidth")

    assert wide <= phone["width"]


async def test_a_workspace_whose_agents_may_not_use_its_library_says_so_and_lets_them(
    browser: Browser, web: Web
) -> None:
    web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["help.sap.com"]})
    async with visiting(browser, web, "/settings/library") as page:
        await expect(page.get_by_text("do not find these documents")).to_be_visible()
        shown = await violations(page)
        await page.get_by_role("button", name="Let agents use it").click()
        await expect(page.get_by_text("search and cite the library.")).to_be_visible()

        await page.reload()
        await expect(page.get_by_label("Search the documents")).to_be_visible()
        await expect(page.get_by_text("do not find these documents")).to_have_count(0)

    assert shown == []
    (workspace,) = web.get("/api/workspaces")
    assert workspace["web_allowed_domains"] == ["help.sap.com", "library.test"]


async def test_a_member_searches_and_changes_nothing(
    browser: Browser, sandbox: SandboxServer, tmp_path: Path
) -> None:
    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        mia = owner.post("/api/users", json={"name": "mia", "password": PASSWORD}).json()
        owner.put(f"/api/workspaces/personal/members/{mia['id']}", json={"role": "member"})
        with closing(owner), closing(signed_in(web, "mia")) as member:
            await _as_member(browser, web, member)


async def _as_member(browser: Browser, web: Web, member: httpx2.Client) -> None:
    async with visiting(browser, web, "/settings/library", client=member) as page:
        await expect(page.get_by_text("Read-only")).to_be_visible()
        await expect(page.get_by_label("Search the documents")).to_be_visible()
        for name in ("Choose files", "Add page", "Add folder"):
            await expect(page.get_by_text(name)).to_have_count(0)
