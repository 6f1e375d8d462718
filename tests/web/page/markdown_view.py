"""Runs the Markdown view in the browser and returns what it made."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

_SETTING = """
const setting = {
  showMarker: (marker) => {
    const made = document.createElement('sup');
    made.textContent = JSON.stringify([marker.numbers, marker.unknown, marker.struck]);
    return made;
  },
  allow: (url) => (/^https:..known/.test(url) ? url : null),
};
"""

# Code has a head with a button; what is inside is what the cases are about.
_PLAIN = """
const plain = (root) => {
  const copy = root.cloneNode(true);
  for (const code of copy.querySelectorAll('.code')) code.replaceWith(code.querySelector('pre'));
  for (const frame of copy.querySelectorAll('.table, .code-part')) {
    frame.replaceWith(...frame.childNodes);
  }
  for (const each of copy.querySelectorAll('*')) {
    for (const name of ['tabindex', 'role', 'target', 'rel', 'scope', 'dir']) {
      each.removeAttribute(name);
    }
  }
  return copy.innerHTML;
};
"""


async def run(page: Page, body: str, argument: Any = None) -> Any:
    """Run code with a Markdown view's module at hand; it returns with `return`."""
    return await page.evaluate(
        "async (given) => {"
        "const { MarkdownView } = await import('/page/markdown.js');"
        f"{_SETTING}{_PLAIN}{body}"
        "}",
        argument,
    )


async def whole(page: Page, texts: list[str]) -> list[str]:
    """Return the HTML of whole texts."""
    shown: list[str] = await run(
        page,
        """return given.map((text) => {
          const root = document.createElement('div');
          new MarkdownView(root, setting).replace({ text, markers: [] });
          return plain(root);
        });""",
        texts,
    )
    return shown


async def streamed(page: Page, pieces: list[str], markers: list[dict[str, Any]]) -> str:
    """Return the HTML after pieces that came one by one, and markers that came after them."""
    shown: str = await run(
        page,
        """const root = document.createElement('div');
        const view = new MarkdownView(root, setting);
        for (const piece of given.pieces) view.take([piece]);
        for (const marker of given.markers) view.take([marker]);
        view.finish();
        return plain(root);""",
        {"pieces": pieces, "markers": markers},
    )
    return shown


def marker(position: int, *numbers: int, before: str = "", after: str = "") -> dict[str, Any]:
    """Return a marker as an event brings it."""
    return {
        "position": position,
        "numbers": list(numbers),
        "unknown": [],
        "struck": [],
        "before": before,
        "after": after,
    }
