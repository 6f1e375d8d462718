"""Answers made of quotes: which sentences of some pages answer a question. Pure, no weights.

`extract` chooses, `write` makes Markdown of it. `next_step` is a whole turn of the extractive
model: what to search, which pages to open, or the answer.
"""

from groundwire.extractive.answer import LEAD, NOT_ANSWERED, write
from groundwire.extractive.questions import Asked, QuestionKind, understand
from groundwire.extractive.results import ToolReply
from groundwire.extractive.selection import Extract, Quote, SourceText, extract
from groundwire.extractive.steps import (
    NEEDS_SOURCES,
    NO_QUESTION,
    NOTHING_FOUND,
    OPEN,
    SEARCH,
    Call,
    Cited,
    QuotedAnswer,
    SearchFailure,
    Step,
    next_step,
)

__all__ = [
    "LEAD",
    "NEEDS_SOURCES",
    "NOTHING_FOUND",
    "NOT_ANSWERED",
    "NO_QUESTION",
    "OPEN",
    "SEARCH",
    "Asked",
    "Call",
    "Cited",
    "Extract",
    "QuestionKind",
    "Quote",
    "QuotedAnswer",
    "SearchFailure",
    "SourceText",
    "Step",
    "ToolReply",
    "extract",
    "next_step",
    "understand",
    "write",
]
