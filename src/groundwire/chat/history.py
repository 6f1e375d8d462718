"""A conversation as a model is given it: whole pairs, its own blocks, and not too much.

The provider that made an answer gets its blocks back; every other one gets the plain text. When
a conversation outgrows its budget, first the outputs of old tools go, then old turns shrink to
an excerpt with their sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import orjson

from groundwire.citations import without_markers
from groundwire.conversation import ChatMessage, MessageKind, Round
from groundwire.model import (
    AssistantMessage,
    Citation,
    Evidence,
    Message,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.extractive import MODEL
from groundwire.tools import Ledger, StrangersText, for_model, one_line, web_address

if TYPE_CHECKING:
    from groundwire.config.settings import Settings

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb, good enough to decide when to leave something out."""

EXTRACTIVE = MODEL.id
_EXCERPT = 400
_EXCERPTS_SHARE = 4  # Of a budget, a fourth is for what no longer fits,
_LEAST_EXCERPTS = 4_000  # or so many characters.
_EARLIER = "Earlier in this conversation, shortened:"


def model_messages(
    history: Sequence[ChatMessage], *, maker: str, dialect: str, max_tokens: int
) -> list[Message]:
    """Return what was said, within a budget of about so many tokens.

    `maker` gets its own blocks back, `dialect` is the provider that knows how to send them.
    """
    limit = max_tokens * CHARACTERS_PER_TOKEN
    left = limit
    turns: list[list[Message]] = []
    # From the newest on: each takes the fullest form that still fits.
    for message in reversed(history):
        forms = _forms(message, maker, dialect)
        form = next((each for each in forms if _size(each) <= left), None)
        if form is None:
            break
        left -= _size(form)
        turns.append(form)
    kept = [said for turn in reversed(turns) for said in turn]
    dropped = history[: len(history) - len(turns)]
    if not dropped:
        return kept
    room = max(_LEAST_EXCERPTS, limit // _EXCERPTS_SHARE)
    return [*_shortened(dropped, kept, room), *kept]


def ledger_of(history: Iterable[ChatMessage], settings: Settings) -> Ledger:
    """Return the ledger of a conversation: what may be opened, with the numbers given so far."""
    ledger = Ledger(links_per_turn=settings.read.links_per_turn, is_open=settings.read.any_url)
    for message in history:
        if message.kind is MessageKind.USER:
            ledger.begin_turn(message.content)
            continue
        known = sorted(message.state.known.items(), key=_by_id) if message.state else ()
        for _, page in known:
            ledger.allow(page.url)
            ledger.number(page.url, page.title)
    return ledger


def known_pages(history: Iterable[ChatMessage]) -> dict[str, Citation]:
    """Return the pages that tools gave ids to in a conversation, so that they stay citable."""
    known: dict[str, Citation] = {}
    for message in history:
        for id_, page in message.state.known.items() if message.state else ():
            # What was forbidden then is judged by today's list.
            is_read = page.evidence is Evidence.READ
            evidence = Evidence.READ if is_read else Evidence.FOUND
            known[id_] = Citation(url=page.url, title=page.title, evidence=evidence)
    return known


def _by_id(item: tuple[str, object]) -> int:
    return int(item[0]) if item[0].isdigit() else 0


def _forms(message: ChatMessage, maker: str, dialect: str) -> list[list[Message]]:
    """Return a message in the ways it can be told, the fullest first."""
    if message.kind is MessageKind.USER:
        return [[UserMessage(content=message.content, attachments=message.attachments)]]
    text = _said(message)
    if message.model == EXTRACTIVE and text.strip():
        # All that this one says are strangers' sentences; to any other model they are just that.
        text = for_model(StrangersText(text, "quotes"))
    plain: list[Message] = [AssistantMessage(content=text)] if text.strip() else []
    # The provider's own blocks have the words of a removed source: they would come back as new.
    is_folded = message.marked is not None and message.marked.folded
    is_own = message.raw_provider == maker and not is_folded
    if not is_own or not _is_whole(message.rounds):
        return [plain]
    return [round_messages(message.rounds, dialect), plain]


def _said(message: ChatMessage) -> str:
    """Return what an answer said without its markers, and without what is folded in it."""
    if message.marked is not None and message.marked.folded:
        return without_markers(message.marked)
    return message.plain_text or message.content


def round_messages(rounds: Iterable[Round], dialect: str) -> list[Message]:
    """Return the replies of one turn and what their tools gave back."""
    messages: list[Message] = []
    for one in rounds:
        if not one.text.strip() and not one.tool_calls and one.raw_blocks is None:
            continue  # A reply that failed before it said anything.
        messages.append(
            AssistantMessage(
                content=one.text,
                tool_calls=one.tool_calls,
                raw_blocks=one.raw_blocks,
                raw_provider=dialect if one.raw_blocks is not None else "",
            )
        )
        messages += [
            ToolResultMessage(tool_call_id=call_id, content=content, is_error=is_error)
            for call_id, content, is_error in one.outputs
        ]
    return messages


def _is_whole(rounds: Sequence[Round]) -> bool:
    """Tell whether every call has its output: half a pair is refused by every service."""
    return any(one.text or one.tool_calls or one.raw_blocks for one in rounds) and all(
        {call.id for call in one.tool_calls} == {call_id for call_id, *_ in one.outputs}
        for one in rounds
    )


def _size(messages: Iterable[Message]) -> int:
    return sum(len(each.content) + _size_beside_text(each) for each in messages)


def _size_beside_text(message: Message) -> int:
    match message:
        case UserMessage():
            # An attachment counts as about what services charge for a picture.
            return 4_000 * len(message.attachments)
        case AssistantMessage():
            blocks = 0 if message.raw_blocks is None else len(orjson.dumps(message.raw_blocks))
            return blocks + sum(len(call.arguments) for call in message.tool_calls)
        case ToolResultMessage():
            return 0


def _shortened(
    dropped: Sequence[ChatMessage], kept: Sequence[Message], max_characters: int
) -> list[Message]:
    """Return old turns as one message of excerpts; a conversation begins with the user.

    The newest come first to their place: of those before, only the sources, and then nothing.
    """
    left = max_characters
    excerpts: list[str] = []
    for message in reversed(dropped):
        form = next((each for each in _excerpts(message) if len(each) < left), "")
        left -= len(form) + 1
        excerpts += [form] if form else []
    told = UserMessage(content="\n".join([_EARLIER, *reversed(excerpts)]))
    if kept and isinstance(kept[0], UserMessage):
        return [told, AssistantMessage(content="I remember.")]
    return [told]


def _excerpts(message: ChatMessage) -> tuple[str, str]:
    """Return a message in short, and shorter: an answer repeats pages, so it stands in a fence."""
    if message.kind is MessageKind.USER:
        return f"User: {_excerpt(message)}", ""
    sources = [
        f"  source: {one_line(each.title) or each.domain} {web_address(each.url)}"
        for each in message.citations or ()
    ]
    whole, short = "\n".join([f"You: {_excerpt(message)}", *sources]), "\n".join(sources)
    return (
        for_model(StrangersText(whole, "your answer"), has_notice=False),
        for_model(StrangersText(short, "your sources"), has_notice=False) if short else "",
    )


def _excerpt(message: ChatMessage) -> str:
    text = " ".join(_said(message)[: 2 * _EXCERPT].split())
    return f"{text[:_EXCERPT]}{'…' if len(text) > _EXCERPT else ''}"
