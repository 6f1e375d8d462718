"""The charts of usage: no two providers look alike."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser

from groundwire.model import Json
from tests.web.browser import visiting
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAW = """
async (names) => {
  const { columnChart, textures } = await import('/page/settings/charts.js');
  const parts = names.map((name) => ({ name, value: 1 }));
  const columns = [{ label: 'today', parts }];
  const chart = columnChart({ title: 'Answers', columns, names, format: String });
  document.querySelector('main').replaceChildren(textures(), chart);
  const swatches = [...chart.querySelectorAll('.swatch')].map((each) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(each);
    return `${backgroundColor} ${backgroundImage}`;
  });
  const bars = [...chart.querySelectorAll('.bar')].flatMap((bar) => {
    const rects = [...bar.querySelectorAll('rect:not(.bar-ground)')];
    const looks = new Map();
    for (const each of rects) {
      const y = each.getAttribute('y');
      looks.set(y, `${looks.get(y) ?? ''} ${getComputedStyle(each).fill}`);
    }
    return [...looks.values()];
  });
  const missing = [...chart.querySelectorAll('[fill^="url"]')]
    .filter((each) => !document.querySelector(each.getAttribute('fill').slice(4, -1)));
  return { swatches, bars, missing: missing.length };
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_no_two_of_thirty_providers_look_alike(
    browser: Browser, web: Web, scheme: str
) -> None:
    names = [f"Provider {number}" for number in range(30)]

    async with visiting(browser, web, "/settings/usage", color_scheme=scheme) as page:
        await page.get_by_role("heading", name="Usage", level=1).wait_for()
        found: Json = await page.evaluate(DRAW, names)

    assert len({*found["swatches"]}) == len(names)
    assert len({*found["bars"]}) == len(names)
    assert found["missing"] == 0
