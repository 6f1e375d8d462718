"""A dossier as text, in each form that it is exported in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from groundwire import citations
from groundwire.conversation import MessageKind
from groundwire.evidence.bibliography import references, to_bibtex, to_csl_json, to_ris
from groundwire.evidence.dossier import to_json, version_notes
from groundwire.web.answer_page import marked_of
from groundwire.web.export_page import export_html

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.conversation import ChatMessage
    from groundwire.evidence.bibliography import Reference
    from groundwire.evidence.dossier import Dossier


def exported(dossier: Dossier, form: str) -> str:
    """Return a dossier in one of `WRITERS`."""
    return WRITERS[form](dossier)


def _markdown(dossier: Dossier) -> str:
    return conversation_markdown(dossier.title, dossier.messages)


def conversation_markdown(title: str, messages: Sequence[ChatMessage]) -> str:
    """Return a conversation; of what was edited or asked again, each version says which it is."""
    notes = version_notes(messages)
    said = (_message(each, notes.get(each.id, "")) for each in messages)
    text = "\n\n".join([f"# {title}", *said])
    # As a whole: a block of code that one answer leaves open goes on in the next.
    return f"{citations.portable(text)}\n"


def _message(message: ChatMessage, version: str) -> str:
    note = f" ({version})" if version else ""
    if message.kind is MessageKind.USER:
        return f"## Question{note}\n\n{message.content}"
    return f"## Answer{note}\n\n{citations.to_markdown(marked_of(message))}"


def _json(dossier: Dossier) -> str:
    return orjson.dumps(to_json(dossier), option=orjson.OPT_INDENT_2).decode() + "\n"


def _references(dossier: Dossier) -> list[Reference]:
    return references(dossier.answers, dossier.snapshots)


WRITERS: dict[str, Callable[[Dossier], str]] = {
    "markdown": _markdown,
    "html": export_html,
    "json": _json,
    "bibtex": lambda dossier: to_bibtex(_references(dossier)),
    "ris": lambda dossier: to_ris(_references(dossier)),
    "csl-json": lambda dossier: to_csl_json(_references(dossier)),
}
"""Who writes each form."""
