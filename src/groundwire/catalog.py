"""One table of what models can do, what they and their searches cost and how long they live.

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


class ThinkingChoice(StrEnum):
    """Whether a model shall think before it answers, and how hard."""

    OFF = "off"
    ON = "on"  # as hard as the provider's settings say
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


_ANY = tuple(ThinkingChoice)
_NOT_OFF = _ANY[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraits:
    """What is known of a model.

    `searches` is about the provider's own search, `searches_in_chat` about OpenAI's Chat
    Completions, where only models made for it have one; `searches_always` says that a model
    searches whether it is asked to or not. `search_price_usd` is for one search, or for one prompt
    that searched where `is_priced_per_prompt`; None is unknown. `thinking_choices` are those that
    a request can ask for. Who takes no temperature refuses every request that has one. `shutdown`
    is the day after which the id is refused, None if none is announced.
    """

    searches: bool = False
    searches_in_chat: bool = False
    searches_always: bool = False
    searches_beside_tools: bool = False
    search_price_usd: float | None = None
    is_priced_per_prompt: bool = False
    thinking: Thinking = Thinking.NONE
    thinking_choices: tuple[ThinkingChoice, ...] = ()
    takes_temperature: bool = True
    shutdown: date | None = None
    successor: str = ""


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
    thinking_choices=_ANY,
    takes_temperature=False,
)
_CLAUDE_4_6 = replace(_CLAUDE, takes_temperature=True)
_OLD_CLAUDE = replace(_CLAUDE_4_6, thinking=Thinking.BUDGET)
_GPT = replace(_CLAUDE)
_GPT_WITHOUT_THINKING = replace(_GPT, thinking=Thinking.NONE, thinking_choices=())
# These think in any case: `off` is no effort that they take.
_EARLY_GPT = replace(_GPT, thinking_choices=_NOT_OFF)
_OLD_GPT = replace(_GPT_WITHOUT_THINKING, search_price_usd=0.025, takes_temperature=True)
_GEMINI = replace(
    _CLAUDE, search_price_usd=0.014, thinking_choices=_NOT_OFF, takes_temperature=True
)
_SEARCHING_GPT = replace(_GPT_WITHOUT_THINKING, searches_in_chat=True, searches_always=True)
_SONAR = ModelTraits(searches=True, searches_in_chat=True, searches_always=True)
_OLD_GEMINI = ModelTraits(
    searches=True,
    search_price_usd=0.035,
    is_priced_per_prompt=True,
    thinking=Thinking.BUDGET,
    thinking_choices=_ANY,
)


def _until(day: str, traits: ModelTraits, successor: str) -> ModelTraits:
    return replace(traits, shutdown=date.fromisoformat(day), successor=successor)


_TABLE: tuple[tuple[str, ModelTraits], ...] = (
    (
        r"claude-(sonnet|opus)-4-20250514",
        _until("2026-06-15", _OLD_CLAUDE, "claude-sonnet-5-5"),
    ),
    (r"claude-[12](\D|$)|claude-instant|claude-3-(opus|sonnet|haiku)", ModelTraits()),
    (r"claude-3-5-", replace(_CLAUDE_4_6, thinking=Thinking.NONE, thinking_choices=())),
    (r"claude-3-|claude-[a-z]+-4(-[0-5](\D|$)|-\d{8}|$)", _OLD_CLAUDE),
    (r"claude-[a-z]+-4-6", _CLAUDE_4_6),
    (r"claude-", _CLAUDE),
    (
        r"gpt-4o(-mini)?-search-preview",
        _until("2026-07-23", replace(_SEARCHING_GPT, search_price_usd=0.025), "gpt-5-search-api"),
    ),
    (r"gpt-.*-search(-|$)", _SEARCHING_GPT),
    (r"sonar(-|$)", _SONAR),
    (r"gpt-4-turbo", _until("2026-10-23", ModelTraits(), "gpt-5.5")),
    (r"gpt-4(o|\.1)", _until("2027-01-14", _OLD_GPT, "gpt-5.5")),
    (r"gpt-5\.1-codex", _until("2026-07-23", _EARLY_GPT, "gpt-5.5")),
    (r"o4-mini", _until("2026-10-23", _EARLY_GPT, "gpt-5.5")),
    (r"gpt-[5-9].*-chat", replace(_GPT_WITHOUT_THINKING, takes_temperature=True)),
    # They think as hard as they can, whatever is asked.
    (r"gpt-[5-9].*-pro|o\d.*-pro", replace(_GPT, thinking_choices=())),
    (r"gpt-5(?!\.)|gpt-.*-codex|o\d|codex", _EARLY_GPT),
    (r"gpt-[5-9]", _GPT),
    (r"gemini-2\.5-flash(?!-)", _until("2026-10-20", _OLD_GEMINI, "gemini-3.8-flash")),
    (r"gemini-2\.5-pro", replace(_OLD_GEMINI, thinking_choices=_NOT_OFF)),
    (
        r"gemini-(1|2\.0)",
        replace(_OLD_GEMINI, thinking=Thinking.NONE, thinking_choices=()),
    ),
    (r"gemini-2", _OLD_GEMINI),
    (r"gemini-", _GEMINI),
)
_ROWS = tuple((re.compile(pattern), traits) for pattern, traits in _TABLE)
_UNKNOWN = ModelTraits()


def traits_of(model: str) -> ModelTraits:
    """Return what is known of a model; of one that nobody knows, that it can do nothing special.

    A maker's prefix, as OpenRouter and Gemini write it, is ignored.
    """
    name = model.rpartition("/")[2]
    for pattern, traits in _ROWS:
        if pattern.match(name):
            return traits
    return _UNKNOWN


_NOT_FOR_CHAT = re.compile(
    r"(^|[-_:.])(embed|embeddings?|tts|whisper|moderation|rerank|reranker|transcribe|transcription"
    r"|dall-e|realtime|sora|imagen|veo|lyria|banana|diffusion|davinci|babbage)([-_:.]|$)"
    r"|^(chat)?gpt-.*(audio|image|translate|instruct)|^gemini-.*(image|audio|live)"
)


def is_for_chat(model: str) -> bool:
    """Tell whether a model can hold a conversation, by its name: unknown ones can.

    Lists of models mix those that talk with those that draw, speak, listen or embed.
    """
    return not _NOT_FOR_CHAT.search(model.rpartition("/")[2].lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Charging:
    """How a provider counts and charges.

    `input_has_cache`: its input tokens include those that its cache read or wrote.
    `output_has_thinking`: its output tokens include those of thinking. A subscription is not
    charged by tokens and searches.
    """

    input_has_cache: bool = True
    output_has_thinking: bool = True
    is_subscription: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice:
    """What a model's tokens cost, in dollars a million; None is unknown.

    Prompts over `long_from` tokens cost more, and so does everything after `until`: then this is
    the least that was paid.
    """

    input_usd: float
    output_usd: float
    cached_input_usd: float | None = None
    cache_write_usd: float | None = None
    long_from: int | None = None
    until: date | None = None


def _price(
    input_usd: float, output_usd: float, cached: float | None = None, write: float | None = None
) -> TokenPrice:
    return TokenPrice(
        input_usd=input_usd,
        output_usd=output_usd,
        cached_input_usd=cached,
        cache_write_usd=write,
    )


_OPUS = _price(5, 25, 0.5, 6.25)
_SONNET_4 = _price(3, 15, 0.3, 3.75)
_FLASH = replace(_price(0.75, 3.75, 0.075), until=date(2026, 12, 31))

PRICES: dict[str, TokenPrice] = {
    "claude-fable-5-1": _price(10, 50, 0.25, 12.5),
    "claude-fable-5": _price(10, 50, 1, 12.5),
    "claude-opus-5-5": _price(4, 20, 0.2, 5),
    "claude-opus-5": _OPUS,
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-sonnet-5-5": _price(2, 10, 0.1, 2.5),
    "claude-sonnet-5": _price(2, 10, 0.2, 2.5),
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-4-5": _SONNET_4,
    "claude-sonnet-4": _SONNET_4,
    "claude-3-7-sonnet": _SONNET_4,
    "claude-haiku-5-5": replace(_price(0.1, 0.5, 0.01, 0.125), long_from=100_000),
    "claude-haiku-4-5": _price(1, 5, 0.1, 1.25),
    "gpt-6.1-sol": replace(_price(2, 10, 0.1), long_from=272_000),
    "gpt-6.1-terra": replace(_price(1, 5, 0.05, 1.25), long_from=272_000),
    "gpt-6-astra": replace(_price(10, 50, 1), long_from=272_000),
    "gpt-6-sol": replace(_price(2, 10, 0.2, 2.5), long_from=272_000),
    "gpt-6-luna": replace(_price(0.1, 0.5, 0.01, 0.125), long_from=272_000),
    "gpt-5.6-sol": replace(_price(4, 20, 0.4), long_from=272_000, until=date(2026, 11, 21)),
    "gpt-5.6-terra": replace(_price(2, 12, 0.2), long_from=272_000),
    "gpt-5.6-luna": replace(_price(0.2, 1.2, 0.02), long_from=272_000),
    "gpt-5.5": replace(_price(5, 30, 0.5), long_from=272_000),
    "gpt-5.5-pro": _price(30, 180),
    "gpt-5.4": replace(_price(2.5, 15, 0.25), long_from=272_000),
    "gpt-5.4-mini": _price(0.75, 4.5, 0.075),
    "gpt-5.4-nano": _price(0.2, 1.25, 0.02),
    "gpt-5.3-codex": _price(1.75, 14, 0.175),
    "gpt-5.2": _price(1.75, 14, 0.175),
    "gpt-5.1": _price(1.25, 10, 0.125),
    "gpt-5": _price(1.25, 10, 0.125),
    "gpt-5-mini": _price(0.25, 2, 0.025),
    "gpt-5-nano": _price(0.05, 0.4, 0.005),
    "gpt-4o": _price(2.5, 10),
    "gpt-4o-mini": _price(0.15, 0.6),
    "gpt-4.1": _price(2, 8),
    "gpt-4.1-mini": _price(0.4, 1.6),
    "gemini-3.8-flash": _FLASH,
    "gemini-3.7-flash": _FLASH,
    "gemini-3.6-flash": _FLASH,
    "gemini-3.5-flash": _price(1.5, 9),
    "gemini-3.5-flash-lite": _price(0.3, 2.5),
    "gemini-3.1-pro-preview": replace(_price(2, 12), long_from=200_000),
    "gemini-2.5-pro": replace(_price(1.25, 10), long_from=200_000),
}
"""List prices as of `TABLE_DATE`, by model. A model that is not here has a price nobody told us:
prices are no family's, so nothing is guessed from a name that is only similar."""

_DATED = re.compile(r"[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


def token_price(model: str) -> TokenPrice | None:
    """Return what a model's tokens cost, None if that is unknown; a version's date is ignored."""
    name = model.rpartition("/")[2]
    return PRICES.get(name) or PRICES.get(_DATED.sub("", name))


def retirement_notice(model: str, today: date) -> str:
    """Return a warning for a model whose last day has passed, "" for every other."""
    traits = traits_of(model)
    if traits.shutdown is None or today < traits.shutdown:
        return ""
    return f"{model!r} was shut down on {traits.shutdown}: use {traits.successor!r} instead"
