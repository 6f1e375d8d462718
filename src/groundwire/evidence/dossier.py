"""What is taken away of a session or of one answer: all of it, as nouns and as `answer.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from groundwire import citations
from groundwire.checks import from_json
from groundwire.checks.records import CheckRecord, Snapshot, SourcePage
from groundwire.conversation import ChatMessage, MessageKind, Session, now
from groundwire.evidence.codec import dumped, loaded
from groundwire.version import VERSION

FORMAT = "groundwire-answer"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A session, or one answer of it with its question, and everything that it rests on.

    `settings` are those that decided how it was made, without a secret among them.
    """

    session: Session
    messages: tuple[ChatMessage, ...]
    checks: tuple[CheckRecord, ...] = ()
    source_pages: tuple[SourcePage, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    made_at: datetime = field(default_factory=now)

    @property
    def answers(self) -> tuple[ChatMessage, ...]:
        """Return the answers among the messages."""
        return tuple(each for each in self.messages if each.kind is MessageKind.AI_RESPONSE)

    def question_of(self, answer: ChatMessage) -> str:
        """Return what was asked, "" where that is not here."""
        asked = (each.content for each in self.messages if each.id == answer.parent_id)
        return next(asked, "")

    @property
    def title(self) -> str:
        """Return what it is called."""
        asked = [each.content for each in self.messages if each.kind is MessageKind.USER]
        return " ".join((self.session.title or next(iter(asked), "")).split())[:120] or "Answer"


def version_notes(messages: Sequence[ChatMessage]) -> dict[str, str]:
    """Return by id which version each message is that was edited or asked for again."""
    versions: dict[tuple[str | None, MessageKind], list[str]] = {}
    for each in messages:
        versions.setdefault((each.parent_id, each.kind), []).append(each.id)
    return {
        key: f"version {number} of {len(ids)}"
        for ids in versions.values()
        if len(ids) > 1
        for number, key in enumerate(ids, start=1)
    }


def to_json(dossier: Dossier) -> dict[str, Any]:
    """Return `answer.json`: what people and programs read, then everything value by value."""
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "generator": f"groundwire {VERSION}",
        "made_at": dossier.made_at.isoformat(),
        "settings": dumped(dossier.settings),
        "answers": [_answer(dossier, each) for each in dossier.answers],
        "pages": [page_json(each) for each in dossier.snapshots],
        "session": dumped(dossier.session),
        "messages": [dumped(each) for each in dossier.messages],
        # Not "checks": tools for data packages would take it for a list of their own.
        "check_records": [dumped(each) for each in dossier.checks],
        "source_pages": [dumped(_bare(each, dossier)) for each in dossier.source_pages],
    }


def from_json_file(value: Any, snapshots: tuple[Snapshot, ...]) -> Dossier:  # noqa: ANN401 - a stranger's
    """Return what `to_json` was made of; the snapshots stand in the archive beside it.

    Raises:
        ValueError: It is nothing of ours.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError("answer.json is not in the format of Groundwire")
    if value.get("version") != FORMAT_VERSION:
        raise ValueError(f"answer.json has version {value.get('version')!r}, not {FORMAT_VERSION}")
    texts = {each.text_hash: each.text for each in snapshots}
    pages = [loaded(SourcePage, each) for each in _list(value, "source_pages")]
    return Dossier(
        session=loaded(Session, value.get("session")),
        messages=tuple(loaded(ChatMessage, each) for each in _list(value, "messages")),
        checks=tuple(loaded(CheckRecord, each) for each in _list(value, "check_records")),
        source_pages=tuple(
            replace(each, text=each.text or texts.get(each.text_hash, "")) for each in pages
        ),
        snapshots=snapshots,
        settings=value.get("settings") or {},
        made_at=datetime.fromisoformat(str(value.get("made_at"))),
    )


def page_json(page: Snapshot) -> dict[str, Any]:
    """Return what is known of a page, apart from what the archive has of it."""
    body = page.fetched
    known = dumped(replace(page, text="", fetched=None))
    del known["text"]
    return {
        **known,
        "text_bytes": len(page.text.encode("utf-8", "replace")),
        "fetched": body and {**dumped(replace(body, packed=b"")), "packed": None},
    }


def _bare(page: SourcePage, dossier: Dossier) -> SourcePage:
    """Return a compared page without its text where the archive has that."""
    known = any(each.text_hash == page.text_hash for each in dossier.snapshots)
    return replace(page, text="") if known else page


def _answer(dossier: Dossier, answer: ChatMessage) -> dict[str, Any]:
    marked = answer.marked or citations.Marked(text=answer.content)
    return {
        "message_id": answer.id,
        "question": dossier.question_of(answer),
        "status": answer.status.value,
        "provider": answer.provider,
        "model": answer.model,
        "mode": answer.mode.value,
        "created_at": answer.created_at.isoformat(),
        **dumped(citations.to_json(marked)),
        "citations": [_citation(each) for each in dossier.checks if each.message_id == answer.id],
        "searches": [
            {
                "query": run.query,
                "service": run.service,
                "status": run.status,
                "results": dumped(run.results),
            }
            for run in answer.tool_runs
            if run.query
        ],
        "text_sha256": sha256(marked.text.encode("utf-8", "replace")).hexdigest(),
    }


def _citation(record: CheckRecord) -> dict[str, Any]:
    """Return a claim with the passage of its page, as a W3C text-quote selector."""
    try:
        check = from_json(record.data)
    except (KeyError, TypeError, ValueError, AttributeError):
        return {"number": record.number, "position": record.position, "check": None}
    nearest = check.check.nearest
    selector = nearest and {
        "type": "TextQuoteSelector",
        "exact": nearest.exact,
        "prefix": nearest.prefix,
        "suffix": nearest.suffix,
        "start": nearest.start,
        "end": nearest.end,
        "page_number": nearest.page_number,
    }
    return {
        "number": record.number,
        "position": record.position,
        "claim": check.claim,
        "url": check.url,
        "page_sha256": check.page_hash,
        "selector": selector,
        "check": dumped(record.data),
    }


def _list(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name)
    if not isinstance(found, list):
        raise ValueError(f"answer.json: {name} is no list")  # noqa: TRY004 - a file's fault
    return found
