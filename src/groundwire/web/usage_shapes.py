"""What answers used and cost, as the API answers with it."""

from __future__ import annotations

from datetime import date, datetime

from groundwire.web.shapes import Shape


class UsageDayShape(Shape):
    """What the answers of one day, provider and model used."""

    date: date
    provider: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int
    searches: int
    pages_read: int
    cost_usd: float | None
    cost_is_partial: bool


class UsageTotalShape(Shape):
    """The sum of several days, providers or models; `cost_text` is "" where no cost is known."""

    turns: int
    input_tokens: int
    output_tokens: int
    searches: int
    pages_read: int
    cost_usd: float | None
    cost_is_partial: bool
    cost_text: str


class UsageSumShape(UsageTotalShape):
    """The sum of one day, of one provider or of one of its models; what it is not of is ""."""

    date: str
    provider: str
    model: str


class UsageReportShape(Shape):
    """What was used: each day's lines, their sums, and all of it."""

    days: list[UsageDayShape]
    by_day: list[UsageSumShape]
    by_provider: list[UsageSumShape]
    by_model: list[UsageSumShape]
    total: UsageTotalShape


class StandingShape(Shape):
    """How much of one quota is used today: `whose` is user or workspace, `quota` what is counted.

    `is_near` is whether most of it is used; `words` say it.
    """

    whose: str
    quota: str
    limit: float
    used: float
    left: float
    is_near: bool
    words: str


class QuotasShape(Shape):
    """The quotas that hold for whoever asks, and when they begin anew."""

    resets_at: datetime
    quotas: list[StandingShape]
