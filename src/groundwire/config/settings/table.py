"""What every table of the settings is, and the numbers that several of them hold."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Seconds: TypeAlias = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Duration: TypeAlias = Annotated[float, Field(ge=0, le=31_536_000, allow_inf_nan=False)]
Size: TypeAlias = Annotated[int, Field(ge=1)]


class Table(BaseModel):
    """A table of the file. Strict, so that `retries = true` is an error and not one retry."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)
