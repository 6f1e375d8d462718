"""A cited page as it was read, on a page without scripts: the passage marked, the claim beside it.

Nothing of the stranger's runs or is loaded: of its Markdown only the shapes are left, its links
lead nowhere and its pictures are not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from groundwire.checks import Fit, facts_in_words, index_page, label_of, state_of
from groundwire.checks.citation import opinion_in_words
from groundwire.checks.plain_text import plain
from groundwire.citations import is_web
from groundwire.library import HOST
from groundwire.web.answer_page import plain_page
from groundwire.web.page_about import about_words
from groundwire.web.source_text import PASSAGE, source_text_html
from groundwire.web.text_fragments import at_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks import Check, CitationCheck
    from groundwire.checks.records import SourcePage

_REL = "noopener noreferrer nofollow ugc"
_LIBRARY_WORDS = 60
_NOT_KEPT = (
    "<p>The text of this page is not kept: it was not read, keeping pages is switched off, or its "
    "time is over.</p>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingAnswer:
    """Where the answer stands that cites a page.

    In the library of its workspace is what a document of the library is now. With `is_comparing`
    its citations are being compared; `notice` says why that cannot be done again.
    """

    session_id: str = ""
    workspace_id: str = ""
    is_comparing: bool = False
    notice: str = ""


def source_page(
    page: SourcePage,
    checks: Sequence[CitationCheck],
    position: int | None = None,
    *,
    answer: CitingAnswer | None = None,
) -> str:
    """Return the whole page; `position` is of the marker that somebody came from."""
    answer = answer or CitingAnswer()
    shown = next((each for each in checks if each.position == position), None)
    shown = shown or next(iter(checks), None)
    span = passage_of(shown.check) if shown and shown.page_hash == page.text_hash else None
    title = escape(page.title or page.url)
    text = source_text_html(page.text, span) if page.text else _NOT_KEPT
    about = _about(page, shown, span, answer.workspace_id)
    return plain_page(
        title,
        f"{about}{_actions(page, shown, answer)}{_claims(checks, shown)}"
        f'<article class="source-text" aria-label="The page as it was read">{text}</article>',
        styles=("source.css",),
        # Without the place in it: a browser that only has to scroll does not load anything.
        next_path=_path(page, position) if answer.is_comparing else "",
    )


def passage_of(check: Check) -> tuple[int, int] | None:
    """Return the place on the page that a check points at: a quote, or what comes nearest."""
    matches = [check.quote, *(each.match for each in check.quotations)]
    for match in matches:
        if match and match.fit is not Fit.NONE and match.start is not None and match.end:
            return match.start, match.end
    return (check.nearest.start, check.nearest.end) if check.nearest else None


def live_url(page: SourcePage, span: tuple[int, int] | None, workspace_id: str = "") -> str:
    """Return where the page is now, at the passage where a browser finds it; "" if nowhere."""
    parts = urlsplit(page.url)
    if parts.hostname == HOST:
        words = plain(page.text[slice(*span)]).split()[:_LIBRARY_WORDS] if span else []
        asked = {"workspace_id": workspace_id, "passage": " ".join(words)}
        place = f"#{PASSAGE}" if words else ""
        query = urlencode({name: said for name, said in asked.items() if said})
        return f"/library{quote(parts.path)}{f'?{query}' if query else ''}{place}"
    if not is_web(page.url):
        return ""
    return at_words(page.url, page.text[slice(*span)] if span else "")


def _about(
    page: SourcePage, shown: CitationCheck | None, span: tuple[int, int] | None, workspace_id: str
) -> str:
    link = live_url(page, span, workspace_id)
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
    said = about_words(page.about, page.url)
    by = f'<br><span dir="auto">{escape(said)}</span>' if said else ""
    return (
        f'<p class="note" role="note">{escape(page.url)}{by}<br>{_when(page)}{place} {there}</p>'
        f"{other}"
    )


def _actions(page: SourcePage, shown: CitationCheck | None, answer: CitingAnswer) -> str:
    """Return the way back, and how the citations are compared with today's pages."""
    if not answer.session_id:
        return ""
    back = f'<a class="quiet-button" href="/s/{escape(answer.session_id)}">Back to the answer</a>'
    if answer.is_comparing:
        told = "The citations are being compared with their pages as they are now."
        return f'<div class="source-actions">{back}<p role="status">{told}</p></div>'
    action = _path(page, shown.position if shown else None, "/check")
    again = (
        f'<form method="post" action="{escape(action)}">'
        '<button class="quiet-button">Check again</button></form>'
    )
    why = f"Not compared again: {escape(answer.notice)}."
    notice = f'<p role="alert">{why}</p>' if answer.notice else ""
    return f'<div class="source-actions">{back}{again}{notice}</div>'


def _path(page: SourcePage, position: int | None, action: str = "") -> str:
    place = "" if position is None else f"?position={position}"
    return f"/sources/{page.message_id}/{page.number}{action}{place}"


def _when(page: SourcePage) -> str:
    if not page.text:
        return ""
    read = page.read_at.strftime("%Y-%m-%d %H:%M UTC")
    return f'As it was read on <time datetime="{page.read_at.isoformat()}">{read}</time>'


def _place(page: SourcePage, span: tuple[int, int]) -> str:
    """Return under which heading and on which page of a document a passage stands."""
    # Of a page that was kept before its ends were, its address has to tell.
    has_pages = True if page.about.get("pages") else None
    passage = index_page(page.text, page.url, has_pages=has_pages).passage(*span)
    number = f" · page {passage.page_number}" if passage.page_number else ""
    return f"{number} · {escape(passage.heading)}" if passage.heading else number


def _claims(checks: Sequence[CitationCheck], shown: CitationCheck | None) -> str:
    ordered = sorted(checks, key=lambda each: each is not shown)
    items = "".join(_claim(each, is_shown=each is shown) for each in ordered)
    return f'<aside class="source-claims" aria-label="Claims">{items}</aside>' if items else ""


def _claim(check: CitationCheck, *, is_shown: bool) -> str:
    told = facts_in_words(check.check) or (label_of(check.check).capitalize(),)
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in told)
    opinion = opinion_in_words(check.opinion) if check.opinion else check.no_opinion
    said = f'<p class="opinion" role="note" dir="auto">{escape(opinion)}</p>' if opinion else ""
    current = ' aria-current="true"' if is_shown else ""
    claim = escape(check.claim)
    if not is_shown:
        claim = f'<a href="?position={check.position}#{PASSAGE}">{claim}</a>'
    return (
        f'<section class="source-claim"{current}><h2>Claim</h2>'
        f'<span class="evidence" data-check="{state_of(check.check)}" aria-hidden="true">'
        f'{check.number}</span><blockquote dir="auto">{claim}</blockquote>'
        f"<ul>{facts}</ul>{said}</section>"
    )
