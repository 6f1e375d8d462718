"""A citation of an answer with what its check came to, and the same as JSON and back."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.checks.check import Check, NotCompared, Passage, Quotation, RoundedNumber
from groundwire.checks.quotes import Fit, QuoteMatch
from groundwire.checks.summary import NEAREST_LABEL, facts_in_words, label_of, state_of

if TYPE_CHECKING:
    from groundwire.model import Json


class Says(StrEnum):
    """What a judge may say of a claim and its page."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT_STATED = "not_stated"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a model that was asked as a judge said: its opinion, never ours.

    `words` are the page's words that it named; they were found there to the letter.
    """

    model: str
    says: Says
    words: str
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCheck:
    """A marker's claim held against one source.

    `number` is the source's, `position` the marker's in the shown text without markers,
    `page_hash` of the page's text as it was read, "" if it was not; `title` to `licence` are what
    that page says of itself. `opinion_pending` says that a judge is still to
    be asked, or is being asked; `no_opinion` why one that was asked has none, "" if it has or
    nobody was asked.
    """

    number: int
    position: int
    claim: str
    url: str
    check: Check
    checked_at: datetime | None = None
    page_hash: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    site_name: str = ""
    licence: str = ""
    opinion: Opinion | None = None
    opinion_pending: bool = False
    no_opinion: str = ""


def hash_of(text: str) -> str:
    """Return what a page's text is known by later: whether it is still the same."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def to_json(citation: CitationCheck) -> Json:
    """Return a citation's check with the words that people are shown."""
    check = citation.check
    return {
        "number": citation.number,
        "position": citation.position,
        "claim": citation.claim,
        "url": citation.url,
        **check_to_json(check),
        "checked_at": _time(citation.checked_at),
        "page_hash": citation.page_hash,
        "title": citation.title,
        "authors": [*citation.authors],
        "published": citation.published,
        "modified": citation.modified,
        "site_name": citation.site_name,
        "licence": citation.licence,
        "opinion": opinion_to_json(citation.opinion) if citation.opinion else None,
        "opinion_pending": citation.opinion_pending,
        "no_opinion": citation.no_opinion,
    }


def check_to_json(check: Check) -> Json:
    """Return the facts of a check, and the words for them."""
    return {
        "state": state_of(check).value,
        "label": label_of(check),
        "facts": [*facts_in_words(check)],
        "quote": match_to_json(check.quote) if check.quote else None,
        "quotations": [
            {"text": each.text, **match_to_json(each.match)} for each in check.quotations
        ],
        "missing_numbers": [*check.missing_numbers],
        "rounded_numbers": [
            {"claimed": each.claimed, "page": each.value} for each in check.rounded_numbers
        ],
        "numbers_elsewhere": [*check.numbers_elsewhere],
        "missing_names": [*check.missing_names],
        "coverage": round(check.coverage, 4),
        "score": check.score,
        "nearest": _passage_to_json(check.nearest) if check.nearest else None,
        "quote_is_named": check.quote_is_named,
        "is_cut": check.is_cut,
        "language": check.language,
        "not_compared": check.not_compared.value if check.not_compared else None,
        "detail": check.detail,
    }


def match_to_json(match: QuoteMatch) -> Json:
    """Return where a quote was found."""
    return {
        "found": match.fit.value,
        "start": match.start,
        "end": match.end,
        "places": match.places,
        "differing": [*match.differing],
    }


def opinion_to_json(opinion: Opinion) -> Json:
    """Return what a judge said, with its name."""
    return {
        "model": opinion.model,
        "says": opinion.says.value,
        "words": opinion.words,
        "cost_usd": opinion.cost_usd,
        "label": opinion_in_words(opinion),
    }


_OPINIONS = {
    Says.SUPPORTED: "the page says so",
    Says.PARTLY: "the page says a part of it",
    Says.NOT_STATED: "the page does not say it",
    Says.CONTRADICTED: "the page says otherwise",
}


def opinion_in_words(opinion: Opinion) -> str:
    """Return what a judge said, as its opinion and by its name."""
    words = f" by \u201c{' '.join(opinion.words.split())}\u201d" if opinion.words else ""
    cost = "" if opinion.cost_usd is None else f" (${opinion.cost_usd:.5f})"
    return f"Opinion of {opinion.model}: {_OPINIONS[opinion.says]}{words}{cost}"


def from_json(data: Json) -> CitationCheck:
    """Return what `to_json` was made from; its words are made afresh."""
    opinion, checked_at = data.get("opinion"), data.get("checked_at")
    return CitationCheck(
        number=data["number"],
        position=data["position"],
        claim=data["claim"],
        url=data["url"],
        check=_check_from_json(data),
        checked_at=datetime.fromisoformat(checked_at) if checked_at else None,
        page_hash=data.get("page_hash", ""),
        title=data.get("title", ""),
        authors=tuple(data.get("authors", ())),
        published=data.get("published", ""),
        modified=data.get("modified", ""),
        site_name=data.get("site_name", ""),
        licence=data.get("licence", ""),
        opinion=_opinion_from_json(opinion) if opinion else None,
        opinion_pending=data.get("opinion_pending", False),
        no_opinion=data.get("no_opinion", ""),
    )


def _opinion_from_json(data: Json) -> Opinion:
    return Opinion(
        model=data["model"],
        says=Says(data["says"]),
        words=data["words"],
        cost_usd=data.get("cost_usd"),
    )


def _check_from_json(data: Json) -> Check:
    quote, nearest, reason = data.get("quote"), data.get("nearest"), data.get("not_compared")
    return Check(
        not_compared=NotCompared(reason) if reason else None,
        detail=data.get("detail", ""),
        quote=_match_from_json(quote) if quote else None,
        quotations=tuple(
            Quotation(text=each["text"], match=_match_from_json(each))
            for each in data.get("quotations", ())
        ),
        missing_numbers=tuple(data["missing_numbers"]),
        rounded_numbers=tuple(
            RoundedNumber(claimed=each["claimed"], value=each["page"])
            for each in data["rounded_numbers"]
        ),
        numbers_elsewhere=tuple(data["numbers_elsewhere"]),
        missing_names=tuple(data["missing_names"]),
        coverage=data["coverage"],
        score=data["score"],
        nearest=_passage_from_json(nearest) if nearest else None,
        quote_is_named=data.get("quote_is_named", False),
        is_cut=data.get("is_cut", False),
        language=data.get("language", ""),
    )


def _match_from_json(data: Json) -> QuoteMatch:
    return QuoteMatch(
        fit=Fit(data["found"]),
        start=data["start"],
        end=data["end"],
        places=data.get("places", 0),
        differing=tuple(data["differing"]),
    )


def _passage_to_json(passage: Passage) -> Json:
    return {**asdict(passage), "label": NEAREST_LABEL}


def _passage_from_json(data: Json) -> Passage:
    return Passage(**{key: value for key, value in data.items() if key != "label"})


def _time(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).isoformat() if moment else None
