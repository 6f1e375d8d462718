"""Quotas: how much a user and a workspace may use in a day, and the one rule of what is too much.

A day is one of UTC. Answers are counted when they begin, so that those in progress count too;
tokens, money and searches when they are known. Whoever was let in may finish: a day can end above
its quota by what answers in progress used, and never by an answer.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from datetime import UTC, date, datetime, time, timedelta

from groundwire.errors import QuotaExceededError
from groundwire.text.plural import plural

NEAR = 0.8
"""From which part of a quota on its holder is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """The most of a day. 0 is no limit; None is what the settings say."""

    answers: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    searches: int | None = None

    def over(self, other: Quota) -> Quota:
        """Return these limits, and another's where these say nothing."""
        own, others = astuple(self), astuple(other)
        chosen = (
            mine if mine is not None else theirs for mine, theirs in zip(own, others, strict=True)
        )
        return Quota(**dict(zip(NAMES, chosen, strict=True)))

    @property
    def is_set(self) -> bool:
        """Return whether there is any limit."""
        return any(astuple(self))


NAMES = tuple(each.name for each in fields(Quota))
"""What is counted: answers, tokens, cost_usd, searches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUse:
    """What was used in a day, or is to be added to that."""

    answers: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    searches: int = 0

    @property
    def negative(self) -> QuotaUse:
        """Return what takes this back."""
        return QuotaUse(
            answers=-self.answers,
            tokens=-self.tokens,
            cost_usd=-self.cost_usd,
            searches=-self.searches,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants to begin: an answer of a model, with or without searches, or a search.

    `searches` are those that are known already, which count at once, as an answer does.
    """

    answers: int = 0
    asks_model: bool = False
    may_search: bool = False
    searches: int = 0

    @property
    def counted(self) -> QuotaUse:
        """Return what counts before it has begun."""
        return QuotaUse(answers=self.answers, searches=self.searches)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaLevel:
    """How much of one quota is used: `whose` is user or workspace, `quota` one of `NAMES`."""

    whose: str
    quota: str
    limit: float
    used: float
    resets_at: datetime

    @property
    def left(self) -> float:
        """Return how much of it is not used."""
        return max(0, self.limit - self.used)

    @property
    def is_near(self) -> bool:
        """Return whether most of it is used."""
        return self.used >= NEAR * self.limit

    @property
    def words(self) -> str:
        """Return it as its holder reads it."""
        owner = "You have" if self.whose == "user" else "This workspace has"
        most = amount(self.quota, self.limit)
        return f"{owner} used {_number(self.quota, self.used)} of {most} today"


def refused(limits: Quota, use: QuotaUse, wish: Wish) -> str | None:
    """Return the quota that a wish is against, None if none is: the one rule.

    `use` has what the wish counts at once in it already.
    """
    wants = {
        "answers": (wish.answers > 0, use.answers > (limits.answers or 0)),
        "tokens": (wish.asks_model, use.tokens >= (limits.tokens or 0)),
        "cost_usd": (wish.asks_model, use.cost_usd >= (limits.cost_usd or 0)),
        "searches": (
            wish.may_search or wish.searches > 0,
            use.searches - wish.searches >= (limits.searches or 0),
        ),
    }
    return next(
        (
            name
            for name, (is_wanted, is_full) in wants.items()
            if getattr(limits, name) and is_wanted and is_full
        ),
        None,
    )


def exceeded(level: QuotaLevel, moment: datetime) -> QuotaExceededError:
    """Return the refusal of whoever has nothing left of a quota."""
    limit = amount(level.quota, level.limit)
    whose = "your quota" if level.whose == "user" else "this workspace's quota"
    way = " (ask without search meanwhile)" if level.quota == "searches" else ""
    return QuotaExceededError(
        f"{whose} of {limit} a day is used up{way}: it begins anew at "
        f"{level.resets_at:%H:%M} UTC, and the owner of this server can raise it",
        quota=f"{level.whose}.{level.quota}",
        limit=level.limit,
        used=level.used,
        retry_after_seconds=max(1.0, (level.resets_at - moment).total_seconds()),
    )


def end_of(day: date) -> datetime:
    """Return when the quotas of a day begin anew."""
    return datetime.combine(day + timedelta(days=1), time.min, UTC)


def amount(quota: str, count: float) -> str:
    """Return so much of a quota in words: "20 answers", "$5"."""
    match quota:
        case "cost_usd":
            return f"${count:,.2f}"
        case "searches":
            return plural(round(count), "search", "searches")
        case _:
            return plural(round(count), quota.removesuffix("s"))


def _number(quota: str, count: float) -> str:
    return f"${count:,.2f}" if quota == "cost_usd" else f"{round(count):,}"
