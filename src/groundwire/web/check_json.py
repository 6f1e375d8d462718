"""What citations came to, as the API tells it: the facts, their words, and where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.chat.cited_claims import cited_claims
from groundwire.checks import summary_line, to_json
from groundwire.citations import is_web
from groundwire.web.text_fragments import at_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks import CitationCheck
    from groundwire.checks.records import SourcePage
    from groundwire.conversation import ChatMessage


def source_path(message_id: str, number: int, position: int) -> str:
    """Return where a source of an answer is shown, at the passage of one of its claims."""
    return f"/sources/{message_id}/{number}?position={position}#passage"


def check_json(message_id: str, check: CitationCheck) -> dict[str, object]:
    """Return one check, with where its page is shown as it was read, and where it is now."""
    path = source_path(message_id, check.number, check.position)
    return {
        **to_json(check),
        "source_url": path if check.page_hash else None,
        "live_url": _live_url(check),
    }


def _live_url(check: CitationCheck) -> str | None:
    """Return the page itself at the passage; None if none is known, or no browser opens it."""
    nearest = check.check.nearest
    return at_words(check.url, nearest.exact) if nearest and is_web(check.url) else None


def checks_json(message: ChatMessage, checks: Sequence[CitationCheck]) -> dict[str, object]:
    """Return what all citations of an answer came to so far."""
    pending = 0
    if message.marked and message.checks_state.is_open:
        # What a judge is still asked about is to be told again.
        done = {(each.position, each.number) for each in checks if not each.opinion_pending}
        pending = len({each.key for each in cited_claims(message.marked)} - done)
    return {
        "state": message.checks_state.value,
        "pending": pending,
        "checks": [check_json(message.id, each) for each in checks],
        "summary": summary_line(checks),
    }


def source_json(page: SourcePage, checks: Sequence[CitationCheck]) -> dict[str, object]:
    """Return a cited page as it was read, with the checks of its claims."""
    return {
        "number": page.number,
        "url": page.url,
        "title": page.title,
        "read_at": page.read_at.isoformat(),
        "page_hash": page.text_hash,
        "text": page.text,
        "checks": [
            check_json(page.message_id, each) for each in checks if each.number == page.number
        ],
    }
