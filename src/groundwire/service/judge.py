"""A judge: the user's own model is asked what it thinks of a claim and the nearest passages.

What it says is its opinion, shown with its name and apart from the facts. It must name the page's
words that say so; if they are not on the page to the letter, the opinion is dropped.
"""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager
from itertools import islice
from typing import TYPE_CHECKING

from groundwire import catalog, registry
from groundwire.chat.budgets import billing_of
from groundwire.chat.opinions import Judgement
from groundwire.checks import Opinion, Says
from groundwire.client import ModelApiAdapter
from groundwire.errors import ConfigError
from groundwire.events import Error, TextDelta
from groundwire.model import Usage, UserMessage
from groundwire.service.budgets import prices
from groundwire.service.factory import adapter
from groundwire.tools.fence import Ours, StrangersText, for_model
from groundwire.wire.contract import Question

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.chat.budgets import Billing
    from groundwire.checks.judged_page import JudgedPage
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.model import Json
    from groundwire.service.program import Groundwire

MAX_TOKENS = 500
MAX_REPLY = 20_000
MAX_WORDS = 1_000
_OBJECT = re.compile(r"\{")
_MAX_OBJECTS = 20

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "says": {"type": "string", "enum": [each.value for each in Says]},
        "words": {"type": "string"},
    },
    "required": ["says", "words"],
    "additionalProperties": False,
}
SYSTEM = (
    "You compare a claim with passages of the page that it cites. Answer with one JSON object and "
    'nothing else: {"says": "supported" | "partly" | "not_stated" | "contradicted", "words": "…"}. '
    "Use only what the passages say, not what you know. `words` are the words of the passages that "
    "decide it, copied exactly, at most two sentences; empty only for not_stated."
)


def judge_prompt(claim: str, passages: str) -> str:
    """Return what a judge is asked: the claim, and the page's passages inside a fence."""
    return for_model(
        Ours("Claim:"),
        StrangersText(claim, "the claim"),
        Ours("Passages of the page that it cites:"),
        StrangersText(passages, "the page"),
        Ours("Does the page say so? Answer with the JSON object."),
    )


async def read_opinion(
    reply: str, page: JudgedPage, *, model: str, cost_usd: float | None = None
) -> Opinion | None:
    """Return a judge's opinion, None if it gave none or its words are not on the page."""
    given = _parsed(reply[:MAX_REPLY])
    says, words = given.get("says"), given.get("words")
    if says not in [*Says] or not isinstance(words, str) or len(words) > MAX_WORDS:
        return None
    words = words.strip()
    if words and not await page.has(words):
        return None
    if not words and says != Says.NOT_STATED:
        return None
    return Opinion(model=model, says=Says(says), words=words, cost_usd=cost_usd)


def _parsed(reply: str) -> Json:
    """Return the JSON object of a reply, also of one that stands in a block of code."""
    decoder = json.JSONDecoder()
    for match in islice(_OBJECT.finditer(reply), _MAX_OBJECTS):
        try:
            return decoder.raw_decode(reply, match.start())[0]
        except (ValueError, RecursionError):
            continue
    return {}


class ModelJudge:
    """Asks one model, claim by claim; `spent_usd` is what that has cost, as far as it is known."""

    def __init__(self, api: ModelApiAdapter, billing: Billing) -> None:
        self._api = api
        self._billing = billing
        self.dropped = 0
        self.spent_usd = 0.0

    async def judge(self, claim: str, page: JudgedPage) -> Judgement:
        """Return an opinion whose words stand on the page, if there is one, and what it cost.

        Raises:
            ConfigError: The model cannot be asked; the message has its service's reason.
        """
        question = Question(
            model=self._billing.model,
            messages=(UserMessage(content=judge_prompt(claim, await page.passages(claim))),),
            system_prompt=SYSTEM,
            reply_schema=SCHEMA,
            max_tokens=MAX_TOKENS,
        )
        text, usage = "", Usage()
        async for event in self._api.answer(question):
            if isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, Usage):
                usage = event
            elif isinstance(event, Error):
                raise ConfigError(f"the judge could not be asked: {event.message}")
        billing, cost = self._billing, self._billing.cost(usage)
        self.spent_usd += cost.usd or 0.0
        found = await read_opinion(text, page, model=billing.model, cost_usd=cost.usd)
        self.dropped += found is None
        tokens = billing.tokens(usage).total
        return Judgement(opinion=found, usage=usage, tokens=tokens, cost=cost)


@asynccontextmanager
async def opened_judge(
    name: str, settings: Settings, keys: Keys, client: Client, *, model: str = ""
) -> AsyncIterator[ModelJudge]:
    """Open a provider's model as judge: the named one, else the settings', else its default.

    Raises:
        UnsupportedError: The provider does not answer.
        ConfigError: Something it needs is missing, such as a model.
    """
    api = adapter(name, settings, keys, client)
    chosen = settings.providers.get(name)
    asked = model or (chosen and chosen.model) or catalog.DEFAULT_MODELS.get(name, "")
    if not asked:
        raise ConfigError(f"{name!r} has no default model: name one with --model")
    billing = billing_of(registry.get(name), asked, prices(settings.chat))
    yield ModelJudge(api, billing)


async def judge_of(program: Groundwire, name: str) -> ModelJudge:
    """Return a provider's model as judge of what chat cites: a configured one, or one by name.

    Raises:
        ConfigError: There is no such provider, or something it needs is missing.
    """
    settings = program.settings
    try:
        records = await program.store.providers.list()
    except ConfigError:
        records = ()  # Nothing is kept here.
    choice = await program.chooser.in_thread(name, records)
    wish = settings.checks.judge_model if name == settings.checks.judge else ""
    model = await program.chooser.model(choice, wish)
    # Who searches unasked would not stay with the passages that it is shown.
    model = await program.chooser.ordinary_model(choice, model) or model
    api = ModelApiAdapter(choice.endpoint, program.client)
    return ModelJudge(api, billing_of(choice.endpoint.provider, model, prices(settings.chat)))
