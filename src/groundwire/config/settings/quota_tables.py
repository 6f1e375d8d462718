"""The tables `quotas.user` and `quotas.workspace`: the most of a day."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Table


class DayQuotaSettings(Table):
    """What may be used in a day (of UTC). Where it is 0, without end."""

    answers: int = Field(default=0, ge=0, description="Most answers in a day.")
    tokens: int = Field(default=0, ge=0, description="Most tokens in a day, read and written.")
    cost_usd: float = Field(
        default=0,
        ge=0,
        allow_inf_nan=False,
        description="Most dollars in a day, as far as costs are known.",
    )
    searches: int = Field(default=0, ge=0, description="Most searches in a day.")


class QuotaSettings(Table):
    """The most of a day, for each user and for each workspace."""

    user: DayQuotaSettings = Field(
        default=DayQuotaSettings(),
        description="What one user may use in a day, over all workspaces.",
    )
    workspace: DayQuotaSettings = Field(
        default=DayQuotaSettings(),
        description="What one workspace may use in a day, all users together, unless it has its "
        "own quotas.",
    )
