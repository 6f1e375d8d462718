"""What an answer says of its end."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")

AT_LIMIT = "Incomplete: The model reached its length limit before it was done."
FILTERED = "Incomplete: The provider filtered the rest of the answer."

END = """
async (reason) => {
  const { AnswerView } = await import('/page/answer.js');
  const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
  view.show({
    id: 'm', kind: 'AI_RESPONSE', content: 'So far.', status: 'complete', thinking: '', error: '',
    answer: { text: 'So far.', markers: [], sources: [], removed: [] }, tool_runs: [],
    provider: '', model: '', mode: 'off', usage: null, cost_usd: null, stop_reason: reason,
    attachments: [], parent_id: null,
  });
  return [...view.root.querySelectorAll('.notice')].map((each) => each.textContent);
}
"""


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("end_turn", []),
        ("completed", []),
        ("max_tokens", [AT_LIMIT]),
        ("length", [AT_LIMIT]),
        ("MAX_TOKENS", [AT_LIMIT]),
        ("model_context_window_exceeded", [AT_LIMIT]),
        ("incomplete", ["Incomplete: The model stopped before it was done."]),
        ("refusal", ["Incomplete: The model declined to go on."]),
        ("content_filter", [FILTERED]),
        ("SAFETY", [FILTERED]),
    ],
)
async def test_an_answer_that_was_cut_says_so_in_every_provider_s_words(
    modules: Page, reason: str, said: list[str]
) -> None:
    assert await modules.evaluate(END, reason) == said
