"""Answers as one HTML file that needs no network and no script: to read, hand on and print."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from groundwire import citations
from groundwire.checks import facts_in_words, from_json, label_of
from groundwire.evidence.dossier import version_notes
from groundwire.web.answer_page import answer_html, harmless_html, marked_of
from groundwire.web.page_about import about_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groundwire.checks.records import CheckRecord, Snapshot
    from groundwire.conversation import ChatMessage
    from groundwire.evidence.dossier import Dossier

_STYLES = ("base.css", "answer.css", "shared.css")
# Nothing is asked of anybody and nothing runs, whatever a stranger's words might be taken for.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def export_html(dossier: Dossier) -> str:
    """Return the answers of a dossier, each with its question, its sources and their checks."""
    title = escape(dossier.title)
    notes = version_notes(dossier.messages)
    body = "".join(_answer(dossier, each, notes) for each in dossier.answers)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{title}</title><style>{_style()}</style></head>"
        f'<body class="shared"><main class="shared-answer"><h1 dir="auto">{title}</h1>{body}'
        f"<footer><p>Exported {dossier.made_at:%Y-%m-%d %H:%M} UTC</p></footer>"
        "</main></body></html>\n"
    )


@cache
def _style() -> str:
    folder = files("groundwire.web") / "page"
    return "".join((folder / name).read_text("utf-8") for name in _STYLES)


def _answer(dossier: Dossier, answer: ChatMessage, versions: Mapping[str, str]) -> str:
    checks = [each for each in dossier.checks if each.message_id == answer.id]
    made = (answer.provider, answer.model, versions.get(answer.id, ""))
    told = escape(" · ".join(filter(None, made)))
    return (
        f'<section class="exported">{_question(dossier, answer, versions)}'
        f'<article class="answer">{answer_html(answer)}</article>'
        f"{_sources(answer, checks, dossier.snapshots)}"
        f'<p class="made">{told} · {answer.created_at:%Y-%m-%d %H:%M} UTC</p></section>'
    )


def _question(dossier: Dossier, answer: ChatMessage, versions: Mapping[str, str]) -> str:
    """Return what was asked, unless the title above the only answer is the same."""
    asked = dossier.question_of(answer)
    if len(dossier.answers) == 1 and " ".join(asked.split()) == dossier.title:
        return ""
    version = versions.get(answer.parent_id or "", "")
    note = f'<p class="made">{version}</p>' if version else ""
    words = harmless_html(asked)
    return f'<blockquote class="question" dir="auto">{words}{note}</blockquote>'


def _sources(
    answer: ChatMessage, checks: Sequence[CheckRecord], snapshots: Sequence[Snapshot]
) -> str:
    marked = marked_of(answer)
    if not marked.sources:
        return ""
    told = "".join(_facts(checks))
    read = {each.url: each for each in snapshots if each.message_id == answer.id}
    kept = "".join(map(_read, read.values()))
    return (
        f'<section class="shared-sources" aria-label="Sources">{citations.sources_to_html(marked)}'
        f"{f'<h2>Compared with the pages</h2><ul>{told}</ul>' if told else ''}"
        f"{f'<h2>Pages as they were read</h2><ul>{kept}</ul>' if kept else ''}</section>"
    )


def _read(page: Snapshot) -> str:
    said = escape(about_words(page.about, page.url))
    by = f' <span dir="auto">{said}</span>,' if said else ""
    read = f"read {page.read_at:%Y-%m-%d %H:%M} UTC, SHA-256 {page.text_hash}"
    return f"<li>{escape(page.url)}:{by} {read}</li>"


def _facts(checks: Sequence[CheckRecord]) -> Iterator[str]:
    for record in checks:
        try:
            check = from_json(record.data)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
        words = " ".join(facts_in_words(check.check)) or label_of(check.check)
        yield f'<li dir="auto">[{check.number}] {escape(check.claim)} <em>{escape(words)}</em></li>'
