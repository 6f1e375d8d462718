"""An answer made of quotes, as Markdown: every quote to the letter, with its source right after."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.extractive.selection import Extract, Quote
from groundwire.text.markdown import fence_for

LEAD = "This is what the sources say, word for word:"
LEAD_DOUBTFUL = "The sources may not answer this; the closest they say is:"
LEAD_FOUND = "The pages could not be read. This is what the search quotes of them:"
NOT_ANSWERED = "The sources that I found do not answer this."


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A quote in an answer: from its first letter to the end of the marker behind it."""

    quote: Quote
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer as Markdown, and where its quotes stand."""

    text: str
    quotes: tuple[Placed, ...] = ()


def write(extract: Extract) -> str:
    """Return the answer; without quotes it says that the sources do not answer."""
    return compose(extract).text


def compose(extract: Extract, *, only_found: bool = False) -> Written:
    """Return the same with the places of its quotes.

    `only_found` if the pages could not be read and the quotes are those of the search.
    """
    if not extract.quotes:
        return Written(text="".join((NOT_ANSWERED, _missing(extract))))
    text = f"{_lead(extract, only_found=only_found)}\n"
    placed: list[Placed] = []
    heading = ""
    for quote in extract.quotes:
        if quote.heading and quote.heading != heading:
            heading = quote.heading
            text = f"{text}\n**{heading}**\n"
        before, behind = _around(quote)
        start = len(text) + 1 + len(before)
        end = start + len(quote.text) + len(behind.rstrip("\n"))
        placed.append(Placed(quote=quote, start=start, end=end))
        text = f"{text}\n{before}{quote.text}{behind}"
    return Written(text=text.rstrip("\n"), quotes=tuple(placed))


def _lead(extract: Extract, *, only_found: bool) -> str:
    if only_found:
        return LEAD_FOUND
    return LEAD_DOUBTFUL if extract.is_doubtful else LEAD


def _missing(extract: Extract) -> str:
    if not extract.missing:
        return " They only touch on it: other words may find better ones."
    named = [f"“{word}”" for word in extract.missing[:4]]
    said = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"
    return f" None of them mentions {said}."


def _around(quote: Quote) -> tuple[str, str]:
    """Return what stands before a quote and behind it, up to its marker."""
    if quote.is_code:
        fence = fence_for(quote.text)
        # At the margin: inside the list, its lines would have to be moved.
        return f"{fence}\n", f"\n{fence}\n\n[{quote.source}]\n"
    if quote.head:
        return quote.head, f" |\n\n[{quote.source}]\n"
    return "- “", f"” [{quote.source}]\n"
