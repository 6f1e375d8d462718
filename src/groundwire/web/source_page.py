"""A cited page as it was read, on a page without scripts: the passage marked, the claim beside it.

The text is shown as it was compared, sign by sign, so that places in it are places on the screen:
a stranger's Markdown stays text, its links lead nowhere and its pictures are not loaded.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote, urldefrag, urlsplit

from groundwire.checks import Fit, facts_in_words, index_page, label_of, state_of
from groundwire.checks.plain_text import plain
from groundwire.citations import is_web
from groundwire.library import HOST
from groundwire.web.answer_page import PASSAGE, plain_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.checks import Check, CitationCheck
    from groundwire.checks.records import SourcePage

_REL = "noopener noreferrer nofollow ugc"
_BLOCK = re.compile(r"[^\n]{0,100000}(?:\n(?!\n)[^\n]{0,100000}){0,2000}\n{0,2000}")
_HEADING = re.compile(r"#{1,6} ")
_FRAGMENT_WORDS = 6


def source_page(
    page: SourcePage, checks: Sequence[CitationCheck], position: int | None = None
) -> str:
    """Return the whole page; `position` is of the marker that somebody came from."""
    shown = next((each for each in checks if each.position == position), None)
    shown = shown or next(iter(checks), None)
    span = passage_of(shown.check) if shown and shown.page_hash == page.text_hash else None
    title = escape(page.title or page.url)
    return plain_page(
        title,
        f"{_about(page, shown, span)}{_claims(checks, shown)}"
        f'<article class="source-text" aria-label="The page as it was read">'
        f"{''.join(_blocks(page.text, span))}</article>",
        styles=("source.css",),
    )


def passage_of(check: Check) -> tuple[int, int] | None:
    """Return the place on the page that a check points at: a quote, or what comes nearest."""
    matches = [check.quote, *(each.match for each in check.quotations)]
    for match in matches:
        if match and match.fit is not Fit.NONE and match.start is not None and match.end:
            return match.start, match.end
    return (check.nearest.start, check.nearest.end) if check.nearest else None


def live_url(page: SourcePage, span: tuple[int, int] | None) -> str:
    """Return where the page is now, at the passage where a browser finds it; "" if nowhere."""
    parts = urlsplit(page.url)
    if parts.hostname == HOST:
        return f"/library{quote(parts.path)}"
    if not is_web(page.url):
        return ""
    words = plain(page.text[slice(*span)]).split() if span else []
    if not words:
        return page.url
    first, last = words[:_FRAGMENT_WORDS], words[_FRAGMENT_WORDS:][-_FRAGMENT_WORDS:]
    ends = [quote(" ".join(each), safe="").replace("-", "%2D") for each in (first, last) if each]
    return f"{urldefrag(page.url).url}#:~:text={','.join(ends)}"


def _about(page: SourcePage, shown: CitationCheck | None, span: tuple[int, int] | None) -> str:
    read = page.read_at.strftime("%Y-%m-%d %H:%M UTC")
    link = live_url(page, span)
    there = (
        f'<a href="{escape(link)}" rel="{_REL}" target="_blank">Open the page itself</a>'
        if link
        else ""
    )
    place = _place(page, span) if span else ""
    other = ""
    if shown and shown.page_hash and shown.page_hash != page.text_hash:
        other = (
            '<p class="source-changed">The claim was compared with another text of this page.</p>'
        )
    return (
        f'<p class="note" role="note">{escape(page.url)}<br>'
        f'As it was read on <time datetime="{page.read_at.isoformat()}">{read}</time>{place}. '
        f"{there}</p>{other}"
    )


def _place(page: SourcePage, span: tuple[int, int]) -> str:
    """Return under which heading and on which page of a document a passage stands."""
    passage = index_page(page.text, page.url).passage(*span)
    number = f" · page {passage.page_number}" if passage.page_number else ""
    return f"{number} · {escape(passage.heading)}" if passage.heading else number


def _claims(checks: Sequence[CitationCheck], shown: CitationCheck | None) -> str:
    ordered = sorted(checks, key=lambda each: each is not shown)
    items = "".join(_claim(each, is_shown=each is shown) for each in ordered)
    return f'<aside class="source-claims" aria-label="Claims">{items}</aside>' if items else ""


def _claim(check: CitationCheck, *, is_shown: bool) -> str:
    told = facts_in_words(check.check) or (label_of(check.check).capitalize(),)
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in told)
    current = ' aria-current="true"' if is_shown else ""
    claim = escape(check.claim)
    if not is_shown:
        claim = f'<a href="?position={check.position}#{PASSAGE}">{claim}</a>'
    return (
        f'<section class="source-claim"{current}><h2>Claim</h2>'
        f'<span class="evidence" data-check="{state_of(check.check)}" aria-hidden="true">'
        f'{check.number}</span><blockquote dir="auto">{claim}</blockquote>'
        f"<ul>{facts}</ul></section>"
    )


def _blocks(text: str, span: tuple[int, int] | None) -> Iterator[str]:
    """Yield the text in its paragraphs; a passage over several is marked in each."""
    start, end = span or (0, 0)
    is_first = True
    for match in _BLOCK.finditer(text):
        words = match[0].rstrip("\n")
        if not words:
            continue
        low, high = (min(max(at - match.start(), 0), len(words)) for at in (start, end))
        marked = words[low:high]
        name = ' class="source-heading"' if _HEADING.match(words) else ""
        if not marked:
            yield f'<p dir="auto"{name}>{escape(words)}</p>'
            continue
        place = f' id="{PASSAGE}" tabindex="-1" autofocus' if is_first else ""
        is_first = False
        yield (
            f'<p dir="auto"{name}>{escape(words[:low])}<mark{place}>{escape(marked)}</mark>'
            f"{escape(words[high:])}</p>"
        )
