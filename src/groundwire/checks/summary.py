"""The words that people see of a check: its state, its facts, and a line for a whole answer.

Nobody else makes words of a check. They say what literally stands on a page, and never whether a
claim holds: no comparison of words can tell that.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.checks.check import Check, NotCompared
from groundwire.checks.language import ENGLISH
from groundwire.checks.page import MAX_CHARACTERS
from groundwire.checks.quotes import Fit
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundwire.checks.check import Quotation
    from groundwire.checks.citation import CitationCheck
    from groundwire.checks.quotes import QuoteMatch

FEW = 0.3
"""Below this share of a claim's words on the page, they are called few."""

NEAREST_LABEL = "Nearest passage"
_MAX_SHOWN = 160
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class CheckState(StrEnum):
    """What a marker says by its shape."""

    FOUND = "found"
    PLAIN = "plain"
    ABSENT = "absent"
    NOT_COMPARED = "not_compared"


_REASONS: dict[NotCompared, str] = {
    NotCompared.UNREADABLE: "the page could not be read",
    NotCompared.BLOCKED: "the page shows a block notice instead of its text",
    NotCompared.TOO_SHORT: "the page has too little text",
    NotCompared.TOO_LONG: "the page is too long",
    NotCompared.LANGUAGE: "claim and page are in different languages, or in one that is not read",
    NotCompared.NOTHING_CLAIMED: "the marker has no words of its own",
    NotCompared.NOT_OPENED: "only pages that were opened for the answer are compared",
    NotCompared.POLICY: "the domain is not among those that may be read",
    NotCompared.ROBOTS: "its site asks programs not to open the page",
    NotCompared.LIMIT: "the limit of pages for one answer was reached",
    NotCompared.TIMEOUT: "the page was not there in time",
    NotCompared.NO_SOURCE: "the marker leads to no source",
}
_PAGES: dict[NotCompared, tuple[str, str]] = {
    NotCompared.UNREADABLE: ("page could not be read", "pages could not be read"),
    NotCompared.BLOCKED: ("page shows a block notice", "pages show a block notice"),
    NotCompared.TOO_SHORT: ("page has too little text", "pages have too little text"),
    NotCompared.TOO_LONG: ("page is too long", "pages are too long"),
    NotCompared.LANGUAGE: ("page is in another language", "pages are in another language"),
    NotCompared.NOTHING_CLAIMED: ("marker has no words", "markers have no words"),
    NotCompared.NOT_OPENED: ("page was not opened", "pages were not opened"),
    NotCompared.POLICY: ("page may not be read here", "pages may not be read here"),
    NotCompared.ROBOTS: ("page is closed to programs", "pages are closed to programs"),
    NotCompared.LIMIT: ("page is over the limit", "pages are over the limit"),
    NotCompared.TIMEOUT: ("page was not there in time", "pages were not there in time"),
    NotCompared.NO_SOURCE: ("marker leads to no source", "markers lead to no source"),
}


def state_of(check: Check) -> CheckState:
    """Return which of four things a marker says."""
    if check.not_compared is not None:
        return CheckState.NOT_COMPARED
    if check.missing_numbers or check.missing_names or lost_quotations(check) or has_few(check):
        return CheckState.ABSENT
    if check.quote is not None:
        return CheckState.ABSENT if check.quote.fit is Fit.NONE else CheckState.FOUND
    return CheckState.FOUND if check.quotations else CheckState.PLAIN


def lost_quotations(check: Check) -> tuple[Quotation, ...]:
    """Return the quotations of a claim that the page does not have word for word."""
    return tuple(each for each in check.quotations if each.match.fit in (Fit.CLOSE, Fit.NONE))


def has_few(check: Check) -> bool:
    """Tell whether few of a claim's words are on the page."""
    is_whole = check.quote is not None and check.quote.fit is not Fit.NONE
    if is_whole and not check.quote_is_named:
        return False
    is_told = check.not_compared is None and check.language in (ENGLISH, "")
    return is_told and check.coverage < FEW


def label_of(check: Check) -> str:
    """Return a check in a few words, for a marker's label."""
    if check.not_compared is not None:
        return f"not compared: {_REASONS[check.not_compared]}"
    state = state_of(check)
    if state is CheckState.PLAIN:
        return "compared, nothing of note"
    if state is CheckState.ABSENT:
        return "something is not on the page"
    if check.quote_is_named:
        return "the passage named as its source is on the page"
    fits = {each.match.fit for each in check.quotations}
    fit = check.quote.fit if check.quote else max(fits, key=[*Fit].index)
    return {
        Fit.LETTER: "quoted to the letter",
        Fit.WORDS: "the same words are on the page",
    }.get(fit, "close to a passage of the page")


def facts_in_words(check: Check) -> tuple[str, ...]:
    """Return what a check came to, a sentence for each fact."""
    if check.not_compared is not None:
        detail = f" ({check.detail})" if check.detail else ""
        return (f"Not compared: {_REASONS[check.not_compared]}{detail}.",)
    return tuple(_facts(check))


def _facts(check: Check) -> Iterator[str]:
    where = "in the part of this page that was compared" if check.is_cut else "on this page"
    for words in (check.missing_numbers, check.missing_names):
        if words:
            yield f"{_listed(words)} {_is(words)} not {where}."
    for number in check.rounded_numbers:
        yield f"{number.claimed}: the page has {_figure(number.value)}."
    for quotation in check.quotations:
        shown = f"\u201c{_short(quotation.text)}\u201d"
        yield _fitting(quotation.match, _QUOTED, where, shown)
    if check.quote is not None and not _is_said(check):
        yield _fitting(check.quote, _SOURCE if check.quote_is_named else _WHOLE, where)
    if has_few(check):
        yield f"Few of these words are {where}."
    if check.numbers_elsewhere:
        numbers = check.numbers_elsewhere
        yield f"{_listed(numbers)} {_is(numbers)} on this page, but not in the nearest passage."
    if check.is_cut:
        yield f"Only the first {MAX_CHARACTERS:,} characters of this page were compared."


def _is_said(check: Check) -> bool:
    """Tell whether what is known of the quotations says more than what is of the whole claim."""
    fit = check.quote.fit if check.quote else Fit.NONE
    return bool(check.quotations) and fit in (Fit.WORDS, Fit.CLOSE)


_NAMED = "The passage that was named as its source"
_QUOTED, _WHOLE, _SOURCE = range(3)
# One row for a fit; words of a claim in quotation marks, a claim as a whole, a named passage.
_FITS: dict[Fit, tuple[str, str, str]] = {
    Fit.LETTER: (
        "{shown} is quoted to the letter",
        "Quoted to the letter",
        f"{_NAMED} stands on this page to the letter",
    ),
    Fit.WORDS: (
        "{shown}: the same words stand on this page",
        "The same words stand on this page",
        f"{_NAMED} stands on this page in the same words",
    ),
    Fit.CLOSE: (
        "{shown} is close to a passage of this page",
        "Close to a passage of this page",
        f"{_NAMED} is close to one of this page",
    ),
    Fit.NONE: (
        "{shown} is not {where}",
        f"{_NAMED} is not {{where}}",
        f"{_NAMED} is not {{where}}",
    ),
}


def _fitting(match: QuoteMatch, kind: int, where: str, shown: str = "") -> str:
    """Return how a quote fits the page, and at how many places or with which other words."""
    more = _differing(match) if match.fit is Fit.CLOSE else _places(match)
    return f"{_FITS[match.fit][kind].format(shown=shown, where=where)}{more}."


def _places(match: QuoteMatch) -> str:
    if match.places < 2:
        return ""
    count = _SMALL[match.places] if match.places < len(_SMALL) else str(match.places)
    return f", at {count} places"


def _differing(match: QuoteMatch) -> str:
    if not match.differing:
        return ""
    noun = "this word differs" if len(match.differing) == 1 else "these words differ"
    return f"; {noun}: {', '.join(dict.fromkeys(match.differing))}"


def _listed(words: Sequence[str]) -> str:
    unique = [*dict.fromkeys(words)]
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"


def _is(words: Sequence[str]) -> str:
    return "is" if len({*words}) == 1 else "are"


def _figure(value: float) -> str:
    return f"{value:,.10g}" if abs(value) >= 10_000 else f"{value:.10g}"


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1].rstrip()}\u2026"


def summary_line(checks: Iterable[CitationCheck]) -> str:
    """Return one line for all citations of an answer; "" where there are none.

    A citation stands on its page if it was compared and nothing of it was missing there.
    """
    citations = [*checks]
    if not citations:
        return ""
    states = [state_of(each.check) for each in citations]
    level = sum(state in (CheckState.FOUND, CheckState.PLAIN) for state in states)
    verb = "stands on its page" if len(citations) == 1 else "stand on their pages"
    parts = [f"{level} of {plural(len(citations), 'citation')} {verb}"]
    parts += [*_absences([each.check for each in citations]), *_unread(citations)]
    return "; ".join(parts)


def _absences(checks: Sequence[Check]) -> Iterator[str]:
    for count, noun in (
        (sum(len({*check.missing_numbers}) for check in checks), "number"),
        (sum(_count(check, Fit.NONE) for check in checks), "quotation"),
        (sum(_is_lost(check.quote) for check in checks), "named passage"),
        (sum(len({*check.missing_names}) for check in checks), "name"),
    ):
        if count:
            yield f"{plural(count, noun)} {'is' if count == 1 else 'are'} not there"
    if differing := sum(_count(check, Fit.CLOSE) for check in checks):
        yield f"{plural(differing, 'quotation')} {'differs' if differing == 1 else 'differ'}"
    if few := sum(has_few(check) for check in checks):
        yield f"{plural(few, 'claim')} {'has' if few == 1 else 'have'} few words there"


def _count(check: Check, fit: Fit) -> int:
    return sum(each.match.fit is fit for each in check.quotations)


def _is_lost(quote: QuoteMatch | None) -> bool:
    return quote is not None and quote.fit is Fit.NONE


def _unread(citations: Sequence[CitationCheck]) -> Iterator[str]:
    """Yield how many pages could not be compared, each page once, by reason."""
    for reason, (one, many) in _PAGES.items():
        there = [each for each in citations if each.check.not_compared is reason]
        is_page = reason not in (NotCompared.NOTHING_CLAIMED, NotCompared.NO_SOURCE)
        if count := len({each.url for each in there}) if is_page else len(there):
            yield plural(count, one, many)
