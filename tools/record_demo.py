"""Records the animation of the README: `python -m tools.record_demo`.

Everything is real: `groundwire demo` as anybody starts it, in Debian's Chromium. Frames are
screenshots; docs/images/demo.webp is made anew.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.async_api import Page, async_playwright
from tools.demo_server import running_demo

PATH = Path(__file__).parent.parent / "docs" / "images" / "demo.webp"
SIZE = {"width": 860, "height": 600}


@dataclass(slots=True)
class Film:
    """Frames, and for how many milliseconds each is shown."""

    page: Page
    frames: list[Image.Image] = field(default_factory=list)
    times: list[int] = field(default_factory=list)

    async def shoot(self, milliseconds: int = 120) -> None:
        """Take a picture; one that shows nothing new makes the last one longer."""
        taken = await self.page.screenshot(animations="disabled", caret="hide")
        frame = Image.open(io.BytesIO(taken)).convert("RGB")
        if self.frames and frame.tobytes() == self.frames[-1].tobytes():
            self.times[-1] += milliseconds
            return
        self.frames.append(frame)
        self.times.append(milliseconds)

    def save(self, path: Path) -> None:
        """Write the animation; flat colours and letters are smallest without loss."""
        first, *rest = self.frames
        first.save(
            path,
            save_all=True,
            append_images=rest,
            duration=self.times,
            loop=0,
            lossless=True,
            quality=80,
            method=4,
        )


async def _play(page: Page, film: Film) -> None:
    await page.locator(".starter").first.wait_for()
    await film.shoot(1_600)
    await page.locator(".starter").first.hover()
    await film.shoot(700)
    await page.locator(".starter").first.click()
    answer = page.locator("article.answer").last
    # Whatever has come by then: the answer streams while it is filmed.
    while await answer.get_attribute("data-status") is None:
        await film.shoot(140)
    await page.locator(".checks-line:not(:empty)").wait_for()
    await page.locator("#scroller").evaluate("(each) => { each.scrollTop = 0; }")
    await film.shoot(1_500)
    await page.locator(".mark").first.hover()
    await page.locator(".card:popover-open").wait_for()
    await film.shoot(2_600)
    await page.keyboard.press("Escape")
    await page.mouse.move(5, 5)
    await page.locator("details.sources").last.evaluate("(panel) => { panel.open = true; }")
    await page.locator(".source").first.scroll_into_view_if_needed()
    await page.locator(".source").first.hover()
    await film.shoot(1_800)
    await answer.get_by_role("button", name="Share and export").click()
    await page.locator(".menu:popover-open").wait_for()
    await film.shoot(2_200)


async def _record(url: str) -> Film:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = await browser.new_page(viewport=SIZE, color_scheme="light", locale="en-GB")
        await page.goto(url)
        film = Film(page)
        await _play(page, film)
        await browser.close()
    return film


def main() -> None:
    """Record the animation."""
    with tempfile.TemporaryDirectory() as folder, running_demo(Path(folder)) as url:
        film = asyncio.run(_record(url))
    film.save(PATH)
    seconds = sum(film.times) / 1000
    size = PATH.stat().st_size
    sys.stdout.write(f"{PATH.name}: {len(film.frames)} frames, {seconds:.1f} s, {size} bytes\n")


if __name__ == "__main__":
    main()
