"""The tables `quotas.user` and `quotas.workspace`: the most of a day."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Table


class UserQuotaSettings(Table):
    """What one user may use in a day (of UTC), over all workspaces. Where it is 0, without end."""

    answers: int = Field(default=0, ge=0, description="Most answers of a user in a day.")
    tokens: int = Field(
        default=0, ge=0, description="Most tokens of a user in a day, read and written."
    )
    cost_usd: float = Field(
        default=0,
        ge=0,
        allow_inf_nan=False,
        description="Most dollars of a user in a day, as far as costs are known.",
    )
    searches: int = Field(default=0, ge=0, description="Most searches of a user in a day.")


class WorkspaceQuotaSettings(Table):
    """What one workspace may use in a day, all users together; a workspace can have its own."""

    answers: int = Field(default=0, ge=0, description="Most answers of a workspace in a day.")
    tokens: int = Field(
        default=0, ge=0, description="Most tokens of a workspace in a day, read and written."
    )
    cost_usd: float = Field(
        default=0,
        ge=0,
        allow_inf_nan=False,
        description="Most dollars of a workspace in a day, as far as costs are known.",
    )
    searches: int = Field(default=0, ge=0, description="Most searches of a workspace in a day.")


class QuotaSettings(Table):
    """The most of a day, for each user and for each workspace."""

    user: UserQuotaSettings = Field(
        default=UserQuotaSettings(), description="What one user may use in a day."
    )
    workspace: WorkspaceQuotaSettings = Field(
        default=WorkspaceQuotaSettings(), description="What one workspace may use in a day."
    )
