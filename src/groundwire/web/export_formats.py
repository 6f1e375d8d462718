"""The forms in which an answer or a chat can be taken away: one table, which pages ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import orjson

from groundwire.conversation import ChatMessage
from groundwire.errors import NotFoundError
from groundwire.evidence.bundle import bundle_bytes
from groundwire.evidence.dossier import Dossier, page_json
from groundwire.web.export_text import WRITERS, conversation_markdown
from groundwire.web.shapes import message_json

Subject: TypeAlias = Literal["answer", "chat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What is taken away: a chat, or one answer with its question.

    `session` is the session as JSON, `feedback` what was said of each answer, by its id. `dossier`
    is all of it with its pages, for the forms that have evidence.
    """

    id: str
    title: str
    session: Mapping[str, object]
    messages: Sequence[ChatMessage]
    feedback: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    dossier: Dossier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """One form: `name` is in the URL, `title` in menus, `write` makes the file."""

    name: str
    title: str
    ending: str
    media_type: str
    write: Callable[[Exported], bytes]
    of: tuple[Subject, ...] = ("answer", "chat")
    has_evidence: bool = False


def _markdown(exported: Exported) -> bytes:
    return conversation_markdown(exported.title or "Conversation", exported.messages).encode()


def _json(exported: Exported) -> bytes:
    return orjson.dumps(
        {
            "session": exported.session,
            "messages": [message_json(each) for each in exported.messages],
            "feedback": exported.feedback,
            "pages": [*map(page_json, exported.dossier.snapshots if exported.dossier else ())],
        },
        option=orjson.OPT_INDENT_2,
    )


def _evidence(write: Callable[[Dossier], str | bytes]) -> Callable[[Exported], bytes]:
    """Return a writer of what is taken away with its pages."""

    def written(exported: Exported) -> bytes:
        if exported.dossier is None:
            raise AssertionError("a form with evidence is given a dossier")
        content = write(exported.dossier)
        return content.encode() if isinstance(content, str) else content

    return written


def _bundle(dossier: Dossier) -> bytes:
    return bundle_bytes(dossier, WRITERS["html"](dossier))


_WITH_EVIDENCE = (
    ("html", "HTML, one file to read and print", "html", "text/html", WRITERS["html"]),
    ("bibtex", "BibTeX of the sources", "bib", "application/x-bibtex", WRITERS["bibtex"]),
    ("ris", "RIS of the sources", "ris", "application/x-research-info-systems", WRITERS["ris"]),
    (
        "csl-json",
        "CSL-JSON of the sources",
        "csl.json",
        "application/vnd.citationstyles.csl+json",
        WRITERS["csl-json"],
    ),
    ("wacz", "Bundle with the pages (WACZ)", "wacz", "application/wacz", _bundle),
)

EXPORT_FORMATS = (
    ExportFormat(
        name="markdown",
        title="Markdown",
        ending="md",
        media_type="text/markdown",
        write=_markdown,
    ),
    ExportFormat(
        name="json",
        title="JSON",
        ending="json",
        media_type="application/json",
        write=_json,
        has_evidence=True,
    ),
    *(
        ExportFormat(
            name=name,
            title=title,
            ending=ending,
            media_type=media_type,
            write=_evidence(write),
            has_evidence=True,
        )
        for name, title, ending, media_type, write in _WITH_EVIDENCE
    ),
)
"""All of them, in the order of menus."""


def export_format(name: str, subject: Subject) -> ExportFormat:
    """Return a form by its name.

    Raises:
        NotFoundError: There is none of this name for this.
    """
    able = [each for each in EXPORT_FORMATS if subject in each.of]
    found = next((each for each in able if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in able)
        raise NotFoundError(f"there is no export format {name!r}: use one of {names}")
    return found
