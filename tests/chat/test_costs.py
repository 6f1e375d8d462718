"""What an answer costs: tokens and searches, and "at least" where a price is unknown."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from groundwire import catalog, registry
from groundwire.catalog import Charging, TokenPrice
from groundwire.chat.budgets import Billing, Cost, billing_of, cost_in_words, price_of
from groundwire.model import Usage
from groundwire.sandbox import SandboxServer
from tests.chat.program import HOSTED, opened

PRICE = TokenPrice(input_usd=2, output_usd=10, cached_input_usd=0.5, cache_write_usd=4)
TODAY = date(2026, 11, 15)


def test_the_issues_answer_of_claude_costs_its_tokens_too() -> None:
    billing = billing_of(registry.get("anthropic"), "claude-sonnet-5-5")

    cost = billing.cost(Usage(input_tokens=75_428, output_tokens=1_000, searches=6))

    assert cost == Cost(usd=round(75_428 * 2 / 1e6 + 1_000 * 10 / 1e6 + 6 * 0.01, 6))


@pytest.mark.parametrize(
    ("charging", "usage", "dollars"),
    [
        # The cache's tokens are among the input, or beside it.
        (Charging(), Usage(input_tokens=1_000_000, cached_input_tokens=400_000), 1.2 + 0.2),
        (
            Charging(input_has_cache=False),
            Usage(input_tokens=1_000_000, cached_input_tokens=400_000, cache_write_tokens=100_000),
            2 + 0.2 + 0.4,
        ),
        # So are those of thinking.
        (Charging(), Usage(output_tokens=100_000, thinking_tokens=50_000), 1),
        (
            Charging(output_has_thinking=False),
            Usage(output_tokens=100_000, thinking_tokens=50_000),
            1.5,
        ),
    ],
)
def test_every_token_is_paid_once_at_its_own_price(
    charging: Charging, usage: Usage, dollars: float
) -> None:
    billing = Billing(model="m", price=PRICE, charging=charging)

    assert billing.cost(usage) == Cost(usd=round(dollars, 6))


@pytest.mark.parametrize(
    ("billing", "usage", "cost"),
    [
        (Billing(model="m"), Usage(input_tokens=5), Cost(usd=None, is_partial=True)),
        (Billing(model="m"), Usage(), Cost()),
        # Six searches of a known price, and tokens of an unknown one.
        (
            Billing(model="claude-unheard-of"),
            Usage(input_tokens=5, searches=6),
            Cost(usd=0.06, is_partial=True),
        ),
        (
            Billing(model="unheard-of", price=PRICE),
            Usage(input_tokens=1_000_000, searches=1),
            Cost(usd=2, is_partial=True),
        ),
        (
            Billing(model="m", price=TokenPrice(input_usd=2, output_usd=10)),
            Usage(input_tokens=1_000_000, cached_input_tokens=500_000),
            Cost(usd=1, is_partial=True),
        ),
        (
            Billing(model="m", price=TokenPrice(input_usd=2, output_usd=10, long_from=999)),
            Usage(input_tokens=1_000),
            Cost(usd=0.002, is_partial=True),
        ),
        (
            Billing(
                model="m", price=TokenPrice(input_usd=2, output_usd=10, until=TODAY), today=TODAY
            ),
            Usage(input_tokens=1_000),
            Cost(usd=0.002),
        ),
        (
            Billing(
                model="m",
                price=TokenPrice(input_usd=2, output_usd=10, until=TODAY),
                today=date(2026, 11, 16),
            ),
            Usage(input_tokens=1_000),
            Cost(usd=0.002, is_partial=True),
        ),
        # The provider's own figure is all of it, and a subscription has none.
        (Billing(model="m"), Usage(input_tokens=1_000, cost_usd=0.5), Cost(usd=0.5)),
        (
            Billing(model="gpt-5.5", price=PRICE, charging=Charging(is_subscription=True)),
            Usage(input_tokens=1_000, searches=2),
            Cost(),
        ),
    ],
)
def test_where_a_price_is_unknown_it_is_at_least_the_rest(
    billing: Billing, usage: Usage, cost: Cost
) -> None:
    assert billing.cost(usage) == cost


def test_prices_of_the_settings_go_before_the_tables() -> None:
    own = {"claude": TokenPrice(input_usd=1, output_usd=1)}

    assert billing_of(registry.get("anthropic"), "claude-sonnet-5-5", own).price == own["claude"]
    assert billing_of(registry.get("gemini"), "gemini-3.8-flash", own).price == catalog.token_price(
        "gemini-3.8-flash"
    )


def test_the_longest_name_that_fits_has_the_price() -> None:
    prices = {name: TokenPrice(input_usd=len(name), output_usd=0) for name in ("gpt", "gpt-5")}

    assert price_of(prices, "openai/gpt-5.5") == prices["gpt-5"]
    assert price_of(prices, "claude-sonnet-5-5") is None


def test_only_a_versions_date_may_differ_from_a_name_in_the_table() -> None:
    known = catalog.PRICES["claude-haiku-4-5"]

    assert catalog.token_price("anthropic/claude-haiku-4-5-20251001") == known
    assert catalog.token_price("gpt-5.4-2026-03-05") == catalog.PRICES["gpt-5.4"]
    assert catalog.token_price("claude-haiku-4-5-turbo") is None
    assert catalog.token_price("claude-haiku-9") is None


def test_every_default_model_has_a_price_unless_its_provider_tells_it() -> None:
    told = {"openrouter", "codex"}
    unpriced = {
        name
        for name, model in catalog.DEFAULT_MODELS.items()
        if name not in told and catalog.token_price(model) is None
    }

    # OpenAI publishes none of its own for the search model.
    assert unpriced <= {"openai"}


@pytest.mark.parametrize("provider", HOSTED)
async def test_every_answer_says_what_its_tokens_cost_or_that_it_does_not_know(
    sandbox: SandboxServer, tmp_path: Path, provider: str
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        message = (await talk.turn(provider=provider)).message

    assert message.usage is not None
    billing = billing_of(registry.get(provider), message.model)
    cost = billing.cost(message.usage)
    assert (message.cost_usd, message.cost_is_partial) == (cost.usd, cost.is_partial)
    if provider in ("anthropic", "openai-responses", "gemini"):
        a_search = catalog.traits_of(message.model).search_price_usd or 0
        assert (message.cost_usd or 0) > (message.usage.searches or 0) * a_search
        assert not message.cost_is_partial


async def test_a_budget_of_money_counts_tokens(sandbox: SandboxServer, tmp_path: Path) -> None:
    chat = {"cost_usd": 0.000001}
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), chat=chat) as talk:
        told = await talk.turn(search="off")

    assert told.failure.code == "budget_cost"


@pytest.mark.parametrize(
    ("usd", "is_partial", "words"),
    [
        (None, False, ""),
        (None, True, ""),
        (0, False, ""),
        (0.00004, False, "under $0.0001"),
        (0.0012, False, "$0.0012"),
        (0.06, True, "at least $0.06"),
        (1.234, False, "$1.23"),
    ],
)
def test_a_cost_in_words(usd: float | None, is_partial: bool, words: str) -> None:
    assert cost_in_words(usd, is_partial=is_partial) == words
