"""The shapes of the services that search and read, and of what is compared."""

from __future__ import annotations

from groundwire.config.settings.check_table import CheckedPages
from groundwire.web.shapes import Shape


class ServiceShape(Shape):
    """A service that searches or reads."""

    name: str
    title: str
    abilities: list[str]
    needs_key: bool
    has_key: bool
    key_variable: str | None


class CheckSettingsShape(Shape):
    """How citations are compared with their pages."""

    pages: CheckedPages
    max_pages: int
    seconds: float
    judge: str
    judge_model: str
    judge_claims: int


class WebShape(Shape):
    """Who searches and who reads, in order, who could, and how citations are compared.

    With `next_on_nothing` the next one searches also where the one before finds nothing, with
    `together` all are asked at once. `source_icons` is whether the icons of sources are shown.
    """

    search_provider: list[str]
    read_provider: list[str]
    next_on_nothing: bool
    together: bool
    source_icons: bool
    checks: CheckSettingsShape
    available: list[ServiceShape]
