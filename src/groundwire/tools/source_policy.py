"""Domain lists, held against everything that an answer names as its source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire.wire.gemini.groundings import REDIRECT_HOST

if TYPE_CHECKING:
    from groundwire.guard import DomainPolicy


@dataclass(frozen=True, slots=True)
class WebPolicy:
    """Says which URLs may be sources. A provider's own filter is a help, never the proof."""

    domains: DomainPolicy

    def permits(self, url: str, domain: str = "") -> bool:
        """Tell whether a URL may be a source.

        Google names its sources by a redirect of its own; then `domain` is where it leads.
        """
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            return False
        if parts.scheme not in ("http", "https"):
            return False
        if host != REDIRECT_HOST or self.domains.is_open:
            return self.domains.permits(host)
        return self.domains.permits(domain)

    @property
    def reason(self) -> str:
        """Return why something is outside, in the words of whoever set the lists."""
        return f"only {self.domains.words} is allowed in this workspace"
