"""The URLs of a conversation: which ones may be opened, and which number each source has.

A model that may build URLs can be talked into writing what it knows into one. So it opens only
what the user named or a search found, and a few of the links that pages offer: many of them could
spell a secret letter by letter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.citations import SourceList, canonical_url
from groundwire.model import Citation, Evidence
from groundwire.text.plural import plural
from groundwire.tools.surfaces import CONVERSATION

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_LINKS = 10_000
_WEB_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}]{1,4000}", re.IGNORECASE)
_BARE_HOST = re.compile(
    r"(?<![\w@./:-])(?:[\w-]{1,63}\.){1,10}[^\W\d_]{2,63}(?::\d{1,5})?"
    r"(?:[/?][^\s<>\"'`|\\^{}]{0,4000})?"
)
_AFTER_A_URL = ".,;:!?*_~"
_DEPTHS = {"(": ("()", 1), ")": ("()", -1), "[": ("[]", 1), "]": ("[]", -1)}


class Ledger:
    """Belongs to one conversation.

    `links_per_turn` is how many links out of pages may be opened between two messages of the
    user; where there are no messages, as over MCP, that is how many altogether. With `is_open`
    everything may be opened and the ledger only gives numbers.
    """

    def __init__(self, *, links_per_turn: int = 3, is_open: bool = False) -> None:
        self._links_per_turn = links_per_turn
        self._is_open = is_open
        self._links_left = links_per_turn
        self._declined: set[str] = set()
        self._known: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._sources = SourceList()

    def begin_turn(self, message: str) -> None:
        """Take a message of the user: its URLs may be opened, and some links again."""
        self._links_left = self._links_per_turn
        for url in [*urls_in(message), *_hosts_in(message)]:
            self.allow(url)

    def allow(self, url: str) -> None:
        """Take a URL that may be opened from now on."""
        self._known.setdefault(canonical_url(url), url)

    @property
    def is_open(self) -> bool:
        """Tell whether every URL may be opened."""
        return self._is_open

    def needs_consent(self, url: str) -> bool:
        """Tell whether only the user could let a URL be opened now, and was not asked yet."""
        key = canonical_url(url)
        is_admitted = key in self._known or self._is_open
        is_link = key in self._links and self._links_left > 0
        return not (is_admitted or is_link or key in self._declined)

    def decide(self, url: str, is_allowed: bool) -> None:
        """Take the user's word on a URL; a no is not asked for again."""
        if is_allowed:
            self.allow(url)
        else:
            self._declined.add(canonical_url(url))

    def offer(self, content: str) -> None:
        """Take the links in what a page says."""
        for url in urls_in(content):
            self._links.setdefault(canonical_url(url), url)
        while len(self._links) > _MAX_LINKS:
            del self._links[next(iter(self._links))]

    def number(self, url: str, title: str) -> int:
        """Return the number of a source, the same whenever it comes again."""
        return self._sources.number(Citation(url=url, title=title, evidence=Evidence.FOUND))

    def admit(self, url: str) -> str | None:
        """Return the URL to open, None if it may not be; a link of a page is paid for.

        The answer is the URL as it is known: a model could write a secret into what makes no
        difference, such as a tracking parameter.
        """
        key = canonical_url(url)
        if key in self._known:
            return self._known[key]
        if self._is_open:
            return url
        if key not in self._links or self._links_left < 1:
            return None
        self._links_left -= 1
        self._known[key] = self._links[key]
        return self._known[key]

    def refusal(self, url: str, hint: str = CONVERSATION.hint) -> str:
        """Return why a URL was not admitted, and what to do."""
        if canonical_url(url) in self._declined:
            return "the user does not want this URL to be opened; do not try it again"
        if canonical_url(url) not in self._links:
            said = "this URL comes neither from the user nor from a result of this conversation"
            return f"{said}; {hint}"
        if not self._links_per_turn:
            return "links found inside pages are not opened; search for the page instead"
        return (
            f"the limit of {plural(self._links_per_turn, 'link')} found inside pages is used up; "
            "search for the page, or ask the user"
        )


def urls_in(text: str) -> Iterator[str]:
    """Yield the web addresses in a text, without the punctuation of the sentence around them."""
    for match in _WEB_URL.finditer(text):
        yield _trimmed(match[0])


def _hosts_in(text: str) -> Iterator[str]:
    """Yield what a person writes without https:// and means as an address."""
    for match in _BARE_HOST.finditer(_WEB_URL.sub(" ", text)):
        yield f"https://{_trimmed(match[0])}"


def _trimmed(url: str) -> str:
    depths = {"()": 0, "[]": 0}
    for place, letter in enumerate(url):
        pair, step = _DEPTHS.get(letter, ("()", 0))
        depths[pair] += step
        # A bracket that was opened before the URL ends it: Markdown's link.
        if depths[pair] < 0:
            return url[:place].rstrip(_AFTER_A_URL)
    return url.rstrip(_AFTER_A_URL)
