"""Workspaces, and the providers that are configured."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from groundwire.conversation.quota import Quota
from groundwire.system.determinism import new_id, now

DEFAULT_DOMAINS = ("help.sap.com",)
"""What a new workspace may visit, until its admin says otherwise."""

EVERYWHERE = ("*",)
"""The whole web, as somebody has to type it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A place for agents and sessions, and where its agents may go on the web.

    Without a toggle or without a domain the web tool is not offered. `web_instructions` is the
    workspace's own text in the web section of the system prompt. `citation_checks` is which cited
    pages answers are compared with (off, opened, all), `citation_judge` the provider whose model
    gives its opinion on them (off for none); both "" for what the settings say. `quotas` are the
    most of a day of all its users together. `has_first_library` is the one workspace whose library
    is that of the settings.
    """

    id: str = field(default_factory=new_id)
    name: str
    web_search_enabled: bool = True
    web_fetch_enabled: bool = True
    web_allowed_domains: tuple[str, ...] = DEFAULT_DOMAINS
    web_instructions: str = ""
    citation_checks: str = ""
    citation_judge: str = ""
    has_first_library: bool = False
    quotas: Quota = field(default_factory=Quota)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def library(self) -> str:
        """Return which library its agents search: "" is the one of the settings."""
        return "" if self.has_first_library else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRecord:
    """A configured provider. `type` is a provider's name in the registry, such as `anthropic`.

    `base_url` is "" for the provider's own. Its key is kept elsewhere, under `key_name`, "" for
    this record's id: with another address it has another name, so that no key follows it there.
    `is_default` is the one that answers wherever neither the agent nor the question names another.
    """

    id: str = field(default_factory=new_id)
    name: str
    type: str
    base_url: str = ""
    key_name: str = ""
    default_model: str = ""
    is_default: bool = False
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """A model that a configured provider offers, as it was last fetched."""

    provider_id: str
    model: str
    title: str = ""
    shutdown_date: str = ""
    fetched_at: datetime = field(default_factory=now)
