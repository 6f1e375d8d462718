"""How `groundwire check` prints: a table for people, JSON for programs, and what is a failure."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

from groundwire.checks import (
    CheckState,
    Fit,
    NotCompared,
    check_to_json,
    facts_in_words,
    label_of,
    state_of,
    to_json,
)
from groundwire.checks.citation import opinion_in_words, opinion_to_json
from groundwire.checks.summary import NEAREST_LABEL, has_few, lost_quotations
from groundwire.cli.output import print_json
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groundwire.checks import Check, CitationCheck, Opinion
    from groundwire.service.text_check import LineCheck, TextCheck

_MAX_PASSAGE = 300
_SIGNS = {
    CheckState.FOUND: "found",
    CheckState.PLAIN: "-",
    CheckState.ABSENT: "absent",
    CheckState.NOT_COMPARED: "not compared",
}
_UNREAD = frozenset(NotCompared) - {NotCompared.NOTHING_CLAIMED, NotCompared.LANGUAGE}


def is_amiss(check: Check, kind: str) -> bool:
    """Tell whether a check has what `--fail-on` names."""
    match kind:
        case "numbers":
            return bool(check.missing_numbers)
        case "quotes":
            is_lost = check.quote is not None and check.quote.fit is Fit.NONE
            return bool(lost_quotations(check)) or is_lost
        case "names":
            return bool(check.missing_names)
        case "words":
            return has_few(check)
        case _:
            return check.not_compared in _UNREAD


def failures(done: TextCheck, kinds: Iterable[str]) -> int:
    """Return how many checks have what `--fail-on` names."""
    wanted = [*kinds]
    return sum(any(is_amiss(each.citation.check, kind) for kind in wanted) for each in done.checks)


def text_check_json(done: TextCheck) -> dict[str, object]:
    """Return a whole text's checks for programs."""
    return {
        "summary": done.summary,
        "citations": [{"line": each.line, **to_json(each.citation)} for each in done.checks],
        "mentions": done.mentions,
        "is_cut": done.is_cut,
    }


def print_text_check(done: TextCheck, name: str) -> None:
    """Print a whole text's checks for people."""
    if name:
        click.echo(f"{name}:")
    if not done.checks:
        click.echo("No citation with a claim was found.")
    width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 140))
    if done.checks:
        click.echo(f"{'line':>5}  {'source':>6}  {'check':12}  claim")
    for each in done.checks:
        for line in _rows(each, width):
            click.echo(line)
    if done.summary:
        click.echo(f"\n{done.summary}.")
    if done.mentions:
        click.echo(f"{plural(done.mentions, 'link')} without a claim left out.", err=True)
    if done.is_cut:
        click.echo("The text is longer: its later citations were left out.", err=True)
    if name:
        click.echo("")


def _rows(each: LineCheck, width: int) -> Iterator[str]:
    citation = each.citation
    sign = _SIGNS[state_of(citation.check)]
    room = width - 31
    claim = citation.claim or "(no words)"
    yield f"{each.line:>5}  {f'[{citation.number}]':>6}  {sign:12}  {_shortened(claim, room)}"
    for line in _details(citation):
        yield f"{'':29}{line}"


def _details(citation: CitationCheck) -> Iterator[str]:
    yield from facts_in_words(citation.check)
    if state_of(citation.check) is CheckState.ABSENT and citation.check.nearest is not None:
        yield _nearest(citation.check)
    if citation.opinion is not None:
        yield opinion_in_words(citation.opinion)
    if citation.url:
        yield citation.url


def _nearest(check: Check) -> str:
    near = check.nearest
    if near is None:
        return ""
    page = f" (page {near.page_number})" if near.page_number else ""
    exact = _shortened(" ".join(near.exact.split()), _MAX_PASSAGE)
    return f"{NEAREST_LABEL}{page}: \u201c{exact}\u201d"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}\u2026"


def print_check(
    check: Check, opinion: Opinion | None, *, as_json: bool, fail_on: Iterable[str]
) -> int:
    """Print one claim's check, and return the command's exit code."""
    if as_json:
        said = opinion_to_json(opinion) if opinion else None
        print_json({**check_to_json(check), "opinion": said})
    else:
        facts = facts_in_words(check)
        click.echo("\n".join(facts or (f"{label_of(check).capitalize()}.",)))
        if check.nearest is not None:
            click.echo(_nearest(check))
        if opinion is not None:
            click.echo(opinion_in_words(opinion))
    return 1 if any(is_amiss(check, kind) for kind in fail_on) else 0
