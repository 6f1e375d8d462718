"""Event streams, in pieces of any size."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Page

from tests.shared import shared

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ = """
async ([body, size]) => {
  const { EventParser } = await import('/page/sse.js');
  const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
  const parser = new EventParser();
  const events = [];
  for (let at = 0; at < bytes.length; at += size) {
    events.push(...parser.push(bytes.slice(at, at + size)));
  }
  return events.map(({ type, data, id }) => ({ type, data, lastEventId: id }));
}
"""


def cases() -> list[dict[str, Any]]:
    """Return what a parser is asked; a stream of another type never gets to it."""
    kept = json.loads(shared("suites/wpt_eventsource.json").read_text())["cases"]
    return [each for each in kept if "mime" not in each["name"] or each["events"]]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 20])
async def test_streams_are_read_as_the_standard_has_it(modules: Page, size: int) -> None:
    expected = [each["events"] for each in cases()]

    read = [await modules.evaluate(READ, [each["body_b64"], size]) for each in cases()]

    assert len(expected) > 40
    assert read == expected
