"""One table of what models can do, what their searches cost and how long they live.

Facts change, so every row can be overruled by the settings and the table says its own date. The
first row whose pattern fits the beginning of a model's id describes it; families come after their
exceptions, so that a model newer than the table is taken for the newest of its family.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

TABLE_DATE = date(2026, 11, 15)


class Thinking(StrEnum):
    """How a model is asked to think aloud."""

    NONE = "none"
    BUDGET = "budget"  # a number of tokens
    ADAPTIVE = "adaptive"  # as much as it needs, with an effort


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What is known of a model.

    `searches` is about the provider's own search, `searches_in_chat` about OpenAI's Chat
    Completions, where only models made for it have one; `searches_always` says that a model
    searches whether it is asked to or not. `search_price_usd` is for one search, or
    for one prompt that searched where `is_priced_per_prompt`; None is unknown. `shutdown` is the
    day after which the id is refused, None if none is announced.
    """

    searches: bool = False
    searches_in_chat: bool = False
    searches_always: bool = False
    searches_beside_tools: bool = False
    search_price_usd: float | None = None
    is_priced_per_prompt: bool = False
    thinking: Thinking = Thinking.NONE
    shutdown: date | None = None
    successor: str = ""

    def is_retired(self, today: date) -> bool:
        """Tell whether the id's announced last day has passed."""
        return self.shutdown is not None and today >= self.shutdown


# None of these may search unasked.
DEFAULT_MODELS = {
    "anthropic": "claude-sonnet-5-5",
    "codex": "gpt-5.5",
    "gemini": "gemini-3.8-flash",
    "openai": "gpt-5.5",
    "openai-responses": "gpt-5.5",
    "openrouter": "openai/gpt-5.5",
}

_CLAUDE = ModelTraits(
    searches=True,
    searches_beside_tools=True,
    search_price_usd=0.01,
    thinking=Thinking.ADAPTIVE,
)
_OLD_CLAUDE = replace(_CLAUDE, thinking=Thinking.BUDGET)
_GPT = replace(_CLAUDE)
_OLD_GPT = replace(_CLAUDE, search_price_usd=0.025, thinking=Thinking.NONE)
_SEARCHING_GPT = replace(_GPT, searches_in_chat=True, searches_always=True, thinking=Thinking.NONE)
_SONAR = ModelTraits(searches=True, searches_in_chat=True, searches_always=True)
_GEMINI = replace(_CLAUDE, search_price_usd=0.014)
_OLD_GEMINI = ModelTraits(
    searches=True, search_price_usd=0.035, is_priced_per_prompt=True, thinking=Thinking.BUDGET
)


def _until(day: str, traits: ModelTraits, successor: str) -> ModelTraits:
    return replace(traits, shutdown=date.fromisoformat(day), successor=successor)


_TABLE: tuple[tuple[str, ModelTraits], ...] = (
    (
        r"claude-(sonnet|opus)-4-20250514",
        _until("2026-06-15", _OLD_CLAUDE, "claude-sonnet-5-5"),
    ),
    (r"claude-[12](\D|$)|claude-instant|claude-3-(opus|sonnet|haiku)", ModelTraits()),
    (r"claude-3-5-", replace(_CLAUDE, thinking=Thinking.NONE)),
    (r"claude-3-|claude-[a-z]+-4(-[0-5](\D|$)|-\d{8}|$)", _OLD_CLAUDE),
    (r"claude-", _CLAUDE),
    (
        r"gpt-4o(-mini)?-search-preview",
        _until("2026-07-23", replace(_SEARCHING_GPT, search_price_usd=0.025), "gpt-5-search-api"),
    ),
    (r"gpt-.*-search(-|$)", _SEARCHING_GPT),
    (r"sonar(-|$)", _SONAR),
    (r"gpt-4-turbo", _until("2026-10-23", ModelTraits(), "gpt-5.5")),
    (r"gpt-4(o|\.1)", _until("2027-01-14", _OLD_GPT, "gpt-5.5")),
    (r"gpt-5\.1-codex", _until("2026-07-23", _GPT, "gpt-5.5")),
    (r"o4-mini", _until("2026-10-23", _GPT, "gpt-5.5")),
    (r"gpt-[5-9].*-chat", replace(_GPT, thinking=Thinking.NONE)),
    (r"gpt-[5-9]|o\d|codex", _GPT),
    (r"gemini-2\.5-flash(?!-)", _until("2026-10-20", _OLD_GEMINI, "gemini-3.8-flash")),
    (r"gemini-[12]", _OLD_GEMINI),
    (r"gemini-", _GEMINI),
)
_ROWS = tuple((re.compile(pattern), traits) for pattern, traits in _TABLE)
_UNKNOWN = ModelTraits()


def traits_of(model: str) -> ModelTraits:
    """Return what is known of a model; of one that nobody knows, that it can do nothing special.

    A maker's prefix, as OpenRouter and Gemini write it, is ignored.
    """
    name = model.rpartition("/")[2]
    return next((traits for pattern, traits in _ROWS if pattern.match(name)), _UNKNOWN)


def retirement_notice(model: str, today: date) -> str:
    """Return a warning for a model whose last day has passed, "" for every other."""
    traits = traits_of(model)
    if not traits.is_retired(today):
        return ""
    return f"{model!r} was shut down on {traits.shutdown}: use {traits.successor!r} instead"
