"""A conversation as a model is given it: whole pairs, its own blocks, and not too much.

The provider that made an answer gets its blocks back; every other one gets the plain text. When
a conversation outgrows its budget, first the outputs of old tools go, then old turns shrink to
an excerpt with their sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from groundwire.conversation import ChatMessage, MessageKind, Round
from groundwire.model import AssistantMessage, Message, ToolResultMessage, UserMessage
from groundwire.tools import Ledger

if TYPE_CHECKING:
    from groundwire.settings import Settings

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb, good enough to decide when to leave something out."""

_EXCERPT = 400
_EARLIER = "Earlier in this conversation, shortened:"


def branch(messages: Iterable[ChatMessage], leaf_id: str | None) -> tuple[ChatMessage, ...]:
    """Return the messages that lead to one of them, oldest first; edits and retries branch."""
    by_id = {message.id: message for message in messages}
    found: list[ChatMessage] = []
    at = by_id.get(leaf_id or "")
    while at is not None and at not in found[-1:]:
        found.append(at)
        at = by_id.pop(at.parent_id or "", None)
    return tuple(reversed(found))


def model_messages(
    history: Sequence[ChatMessage], *, maker: str, dialect: str, max_tokens: int
) -> list[Message]:
    """Return what was said, within a budget of about so many tokens.

    `maker` gets its own blocks back, `dialect` is the provider that knows how to send them.
    """
    left = max_tokens * CHARACTERS_PER_TOKEN
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
    return [*_shortened(dropped, kept), *kept] if dropped else kept


def ledger_of(history: Iterable[ChatMessage], settings: Settings) -> Ledger:
    """Return the ledger of a conversation: what may be opened, with the numbers given so far."""
    ledger = Ledger(links_per_turn=settings.read.links_per_turn, is_open=settings.read.any_url)
    for message in history:
        if message.kind is MessageKind.USER:
            ledger.begin_turn(message.content)
            continue
        for url, title in _numbered(message):
            ledger.allow(url)
            ledger.number(url, title)
    return ledger


def _numbered(message: ChatMessage) -> list[tuple[str, str]]:
    """Return the pages that a turn gave ids to, in their order."""
    state = (message.answer or {}).get("state") or {}
    known = state.get("known") or {}
    return [(page["url"], page.get("title", "")) for _, page in sorted(known.items(), key=_by_id)]


def _by_id(item: tuple[str, object]) -> int:
    return int(item[0]) if item[0].isdigit() else 0


def _forms(message: ChatMessage, maker: str, dialect: str) -> list[list[Message]]:
    """Return a message in the ways it can be told, the fullest first."""
    if message.kind is MessageKind.USER:
        return [[UserMessage(content=message.content, attachments=message.attachments)]]
    text = message.plain_text or message.content
    plain: list[Message] = [AssistantMessage(content=text)] if text.strip() else []
    if message.raw_provider != maker or not _is_whole(message.rounds):
        return [plain]
    return [round_messages(message.rounds, dialect), plain]


def round_messages(rounds: Iterable[Round], dialect: str) -> list[Message]:
    """Return the replies of one turn and what their tools gave back."""
    messages: list[Message] = []
    for one in rounds:
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
    return bool(rounds) and all(
        {call.id for call in one.tool_calls} == {call_id for call_id, *_ in one.outputs}
        for one in rounds
    )


def _size(messages: Iterable[Message]) -> int:
    # An attachment counts as about what services charge for a picture.
    return sum(
        len(each.content) + 4_000 * len(each.attachments)
        if isinstance(each, UserMessage)
        else len(each.content)
        for each in messages
    )


def _shortened(dropped: Sequence[ChatMessage], kept: Sequence[Message]) -> list[Message]:
    """Return old turns as one message of excerpts; a conversation begins with the user."""
    lines = [_EARLIER]
    for message in dropped:
        who = "User" if message.kind is MessageKind.USER else "You"
        text = " ".join((message.plain_text or message.content).split())
        lines.append(f"{who}: {text[:_EXCERPT]}{'…' if len(text) > _EXCERPT else ''}")
        lines += [
            f"  source: {each.title or each.domain} {each.url}" for each in message.citations or ()
        ]
    told = UserMessage(content="\n".join(lines))
    if kept and isinstance(kept[0], UserMessage):
        return [told, AssistantMessage(content="I remember.")]
    return [told]
