"""A client's conversation as the upstream model gets it, and what of it is ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from groundwire.chat.history import round_messages
from groundwire.citations import SourceList
from groundwire.gateway.memory import OpenTurn, RememberedReply
from groundwire.gateway.read_pages import ReadPages
from groundwire.model import (
    AssistantMessage,
    Citation,
    Evidence,
    Message,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from groundwire.tools import Ledger, StrangersText, for_model, one_line, web_address
from groundwire.wire.inbound import (
    InboundError,
    ReplayedItem,
    ReplayedPage,
    ReplayedRead,
    ReplayedSearch,
    joined,
)

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.gateway.guest import Guest
    from groundwire.gateway.memory import Memory
    from groundwire.gateway.state import Signer
    from groundwire.wire.inbound import InboundRequest, Said

_LINK = re.compile(r"\[(\d{1,4})\]\((https?://[^\s()<>]+)\)")
SEARCH_NAME = "web_search"
READ_NAME = "open_page"
MOST_NUMBERS = 1_000


class Numbers:
    """The numbers of sources as a client sees them, over all its requests."""

    def __init__(self, shown: Mapping[int, str]) -> None:
        highest = min(max(shown, default=0), MOST_NUMBERS)
        # A number that nobody knows the page of is not given to another one.
        urls = [shown.get(number, f"none:{number}") for number in range(1, highest + 1)]
        self.shown = dict(shown)
        self._sources = SourceList(urls)

    def number(self, citation: Citation) -> int:
        """Return the number of a source, the one that it was shown under before."""
        number = self._sources.number(citation)
        self.shown.setdefault(number, citation.url)
        return number


@dataclass(slots=True, kw_only=True)
class Recalled:
    """A conversation with what was remembered of it.

    `open_turns` are the turns that waited for a client's tools, by the place of their calls in
    `said`. `numbers` has the numbers that the client was shown, `pages` are those of our searches
    by the ids that a model knows them by, with what was said of each. `read_pages` are those that
    this turn reads.
    """

    said: tuple[Said, ...]
    ledger: Ledger
    numbers: Numbers
    open_turns: dict[int, OpenTurn] = field(default_factory=dict)
    pages: dict[str, Citation] = field(default_factory=dict)
    snippets: dict[str, str] = field(default_factory=dict)
    read_pages: ReadPages = field(default_factory=ReadPages)


def recall(
    request: InboundRequest, guest: Guest, *, memory: Memory, signer: Signer, settings: Settings
) -> Recalled:
    """Return a client's conversation with everything that we know of it.

    Raises:
        InboundError: It goes on from a reply that is not remembered.
    """
    said = _resolved(_whole(request, guest, memory), guest, memory)
    ledger = Ledger(links_per_turn=settings.read.links_per_turn, is_open=settings.read.any_url)
    turns = _open_turns(said, guest, memory)
    numbers = Numbers(_shown_numbers(request, said, signer, turns))
    found = Recalled(said=said, ledger=ledger, numbers=numbers, open_turns=turns)
    for each in said:
        if isinstance(each, UserMessage):
            ledger.begin_turn(each.content)
    _number_pages(found, signer)
    return found


def _open_turns(said: Sequence[Said], guest: Guest, memory: Memory) -> dict[int, OpenTurn]:
    """Return the turns whose calls are answered, by the place of those calls."""
    found: dict[int, OpenTurn] = {}
    for place, each in enumerate(said):
        for call in each.tool_calls if isinstance(each, AssistantMessage) else ():
            if isinstance(turn := memory.find(guest.key, call.id), OpenTurn):
                found[place] = turn
    return found


def upstream_messages(found: Recalled, *, names: Mapping[str, str], dialect: str) -> list[Message]:
    """Return what the model is told was said; `names` are those that it knows our tools by."""
    messages: list[Message] = []
    turn_start = 0
    ids: dict[str, str] = {}
    for place, each in enumerate(found.said):
        match each:
            case UserMessage():
                messages.append(each)
                turn_start = len(messages)
            case ToolResultMessage():
                id_ = ids.get(each.tool_call_id, each.tool_call_id)
                messages.append(replace(each, tool_call_id=id_))
            case ReplayedSearch():
                messages += _search_pair(found, each, names.get(SEARCH_NAME, ""))
            case ReplayedRead():
                messages += _read_pair(each, names.get(READ_NAME, ""))
            case AssistantMessage():
                turn = found.open_turns.get(place)
                if turn is not None and turn.dialect == dialect:
                    # It has all that was said and searched since the user's words.
                    messages[turn_start:] = round_messages(turn.rounds, dialect)
                    ids.update(turn.ids)
                else:
                    messages.append(replace(each, content=_unlinked(found, each.content)))
    return [*joined(messages)]  # type: ignore[list-item,arg-type] # only messages went in


def results_text(found: Recalled, pages: Sequence[ReplayedPage]) -> str:
    """Return what our search tool had said of some pages."""
    lines = [
        f"[{found.ledger.number(page.url, page.title)}] {one_line(page.title)}\n"
        f"{web_address(page.url)}\n{one_line(found.snippets.get(page.url, ''))}"
        for page in pages
    ]
    return for_model(StrangersText("\n\n".join(lines), "search results"))


def _whole(request: InboundRequest, guest: Guest, memory: Memory) -> tuple[Said, ...]:
    if not request.previous_id:
        return request.said
    before = memory.find(guest.key, request.previous_id)
    if not isinstance(before, RememberedReply):
        raise InboundError(
            f"the reply {request.previous_id!r} is not remembered here: send the conversation "
            "itself as input",
            param="previous_response_id",
        )
    return (*before.said, *request.said)


def _resolved(said: Iterable[Said], guest: Guest, memory: Memory) -> tuple[Said, ...]:
    """Return a conversation in which everything named by its id stands itself, or is left out."""
    found: list[Said] = []
    for each in said:
        if isinstance(each, ReplayedItem | ReplayedSearch) and not getattr(each, "pages", ()):
            known = memory.find(guest.key, each.id)
            if isinstance(known, ReplayedSearch | AssistantMessage):
                found.append(known)
        else:
            found.append(each)
    return joined(found)


def _shown_numbers(
    request: InboundRequest,
    said: Iterable[Said],
    signer: Signer,
    turns: Mapping[int, OpenTurn],
) -> dict[int, str]:
    """Return the numbers that the client was shown: remembered, signed, or written as links."""
    shown: dict[int, str] = {}
    for turn in turns.values():
        shown.update(turn.numbers)
    for one in request.citations:
        state = signer.read(one.state, one.url)
        if isinstance(state, dict) and isinstance(state.get("n"), int):
            shown.setdefault(state["n"], one.url)
    for each in said:
        if isinstance(each, AssistantMessage):
            for number, url in _LINK.findall(each.content):
                shown.setdefault(int(number), url)
    return shown


def _number_pages(found: Recalled, signer: Signer) -> None:
    """Give the pages of our own searches their ids back, in the order in which they got them."""
    known: list[tuple[int, ReplayedPage]] = []
    for each in found.said:
        for page in each.pages if isinstance(each, ReplayedSearch) else ():
            state = signer.read(page.state, page.url)
            if isinstance(state, dict) and isinstance(state.get("i"), int):
                known.append((state["i"], page))
                found.snippets[page.url] = str(state.get("s") or "")
    pages = [(page.url, page.title) for _, page in sorted(known, key=lambda one: one[0])]
    for turn in found.open_turns.values():
        # What the model was told in an open turn is told again as it was, ids and all.
        pages = [*turn.pages, *(page for page in pages if page not in turn.pages)]
        found.snippets.update(turn.snippets)
    for url, title in pages:
        found.ledger.allow(url)
        id_ = str(found.ledger.number(url, title))
        found.pages[id_] = Citation(url=url, title=title, evidence=Evidence.FOUND)


def _search_pair(found: Recalled, search: ReplayedSearch, name: str) -> list[Message]:
    """Return a search of ours as a call and its result, nothing if no page of it is ours."""
    pages = [page for page in search.pages if page.url in found.snippets]
    if not name or not pages:
        return []
    return _pair(search.id, name, {"query": search.query}, results_text(found, pages))


def _read_pair(read: ReplayedRead, name: str) -> list[Message]:
    """Return a page that we read as a call and its result, without an id: nobody signed it."""
    if not name or not read.text:
        return []
    text = StrangersText(read.text, f"text of {web_address(read.url)}")
    return _pair(read.id, name, {"url": read.url}, for_model(text))


def _pair(id_: str, name: str, arguments: Mapping[str, str], result: str) -> list[Message]:
    call = ToolCall(id=id_, name=name, arguments=json.dumps(arguments, ensure_ascii=False))
    return [
        AssistantMessage(content="", tool_calls=(call,)),
        ToolResultMessage(tool_call_id=id_, content=result),
    ]


def _unlinked(found: Recalled, text: str) -> str:
    """Return an answer with the ids that the model knows in place of our links."""
    by_url = {page.url: id_ for id_, page in found.pages.items()}

    def instead(link: re.Match[str]) -> str:
        id_ = by_url.get(link[2])
        return f"[{id_}]" if id_ else ""

    return _LINK.sub(instead, text) if by_url else text
