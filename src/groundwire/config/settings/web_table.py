"""The settings of the web app: its tokens, proxies, and what its chat offers."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from groundwire import guard
from groundwire.config.settings.table import Table

_Network: TypeAlias = Annotated[str, AfterValidator(guard.check_network)]


def _check_public_url(address: str) -> str:
    parts = urlsplit(address)
    is_origin = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if address and (not is_origin or parts.path.strip("/") or parts.query or parts.fragment):
        raise ValueError("expected a URL without a path, like https://chat.example.org")
    return address.rstrip("/")


_PublicUrl: TypeAlias = Annotated[str, AfterValidator(_check_public_url)]
_Starter: TypeAlias = Annotated[str, Field(min_length=1, max_length=300)]


class WebSettings(Table):
    """The web app."""

    public_url: _PublicUrl = Field(
        default="",
        description="The address at which people reach the web app, such as "
        "`https://chat.example.org`: where single sign-on leads back to. Empty means the address "
        "of each request.",
    )
    token_days: int = Field(
        default=365, ge=1, le=365, description="Days after which every API token ends, at most."
    )
    trusted_proxies: list[_Network] = Field(
        default=[],
        description="Addresses or networks of the proxies in front of the web app: only their "
        "X-Forwarded-For and X-Forwarded-Proto are believed.",
    )
    starters: list[_Starter] = Field(
        default=[],
        max_length=6,
        description="Questions that an empty chat offers, six at most.",
    )
    follow_ups: Literal["off", "headings", "model"] = Field(
        default="headings",
        description="Questions under the newest answer: off, from the headings of the pages it "
        "cites, or by the model that answered, which is one small request for each answer.",
    )
    source_icons: bool = Field(
        default=False,
        description="Show the icons of cited sites: this server asks each site for its "
        "favicon.ico, within the allowed domains, and keeps it. Browsers ask nobody else. Off, "
        "letters are shown.",
    )
    stop_seconds: float = Field(
        default=20,
        ge=0,
        le=3_600,
        allow_inf_nan=False,
        description="Seconds that answers in progress have to end after SIGTERM, before they are "
        "interrupted; whoever asks meanwhile is sent elsewhere with Retry-After.",
    )
