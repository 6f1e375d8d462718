"""Which output item of a Responses reply an event is about."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from groundwire.wire.openai.responses_items import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.model import Json
    from groundwire.wire.decoder import TextPart

CALL = "function_call"
# How many items of one name are looked at: more have it only on a server that gives them all one.
MOST_NAMESAKES = 8
# What differs between two tellings of one item.
_UNSTEADY = ("id", "status")


class Item:
    """An output item: what the wire calls it, and its texts by their number.

    `is_bare` if no event has begun it, `is_numbered` if its pieces say which part they are of.
    `whole` is the item as it was when done, None before.
    """

    __slots__ = (
        "call_id",
        "ids",
        "index",
        "is_bare",
        "is_numbered",
        "kind",
        "parts",
        "place",
        "whole",
    )

    def __init__(self, kind: str, ids: set[str], index: int | None, place: tuple[int, int]) -> None:
        self.kind = kind
        self.ids = ids
        self.call_id = ""
        self.index = index
        self.place = place
        self.is_bare = True
        self.is_numbered = True
        self.whole: Json = None
        self.parts: dict[tuple[str, int], TextPart] = {}

    def likeness(self, ids: set[str], index: int | None) -> int:
        """Return how well names fit; an id says more than a number."""
        return 2 * len(ids & self.ids) + (index is not None and index == self.index)

    def is_like(self, whole: Json) -> bool:
        """Tell whether a whole item says what this one said when it was done."""
        return bool(self.whole is not None and _steady(self.whole) == _steady(whole))

    def begins(self, whole: Json) -> bool:
        """Tell whether what has arrived can be a part of a whole item."""
        return all(
            said.startswith(part.text) or part.text.startswith(said)
            for (group, number), part in self.parts.items()
            for said in texts_of(whole.get(group))[number : number + 1]
        )


class OutputItems:
    """The items of one reply, of which several may be open at a time.

    Events name their item by number and by id. Neither is to be relied on: some servers change the
    ids from event to event, others give several items the same number, or none. So the item that
    fits best is taken, among those of the kind that the event is about.
    """

    def __init__(self) -> None:
        self._items: list[Item] = []
        # By kind, and by kind and name: a reply may have thousands of items.
        self._open: dict[str, dict[int, Item]] = {}
        self._named: dict[tuple[str, str | int], list[Item]] = {}
        self._behind = 0

    def begin(self, kind: str, data: Json) -> Item:
        """Return the item that an event begins; one that is begun twice is one item."""
        ids, index = _names(data)
        known = self.find(kind, data)
        if known is not None and not known.is_bare and known.ids == ids and known.index == index:
            return known
        item = self._add(kind, ids, index)
        item.is_bare = False
        return item

    def claim(self, kind: str, data: Json) -> Item:
        """Return the open item that an event is about, a new one if there is none."""
        return self.find(kind, data) or self._add(kind, *_names(data))

    def find(self, kind: str, data: Json) -> Item | None:
        """Return the open item that an event is about, the last where it gives no number."""
        ids, index = _names(data)
        open_now = self._open.get(kind)
        if not open_now:
            return None
        named = [item for item in self._called(kind, ids, index) if item.whole is None]
        if named:
            return max(named, key=lambda item: (item.likeness(ids, index), item.place[1]))
        last = next(reversed(open_now.values()))
        return last if index is None or last.index is None else None

    def find_any(self, kind: str, data: Json) -> Item | None:
        """Return the item that an event is about, be it open or done."""
        ids, index = _names(data)
        named = self._called(kind, ids, index)
        done = max(named, key=lambda item: (item.likeness(ids, index), item.place[1]), default=None)
        return self.find(kind, data) or done or self._last_of(kind, index)

    def _last_of(self, kind: str, index: int | None) -> Item | None:
        last = self._items[-1] if self._items else None
        if last is None or last.kind != kind or None not in (index, last.index):
            return None
        return last

    def _called(self, kind: str, ids: set[str], index: int | None) -> list[Item]:
        """Return the last items that have one of these names."""
        names: list[str | int] = [*ids] if index is None else [*ids, index]
        lists = [self._named.get((kind, name), ()) for name in names]
        return [item for found in lists for item in found[-MOST_NAMESAKES:]]

    def finish(self, data: Json) -> Item:
        """Return the item that an event ends; one that is ended twice is one item."""
        whole = data["item"]
        kind = whole.get("type")
        item = self.find(kind, data)
        if item is None or not _may_be(item, whole, *_names(data)):
            item = self._told_before(data) or self._add(kind, *_names(data))
        return item

    def settle(self, item: Item, whole: Json) -> None:
        """Keep an item as it is when done."""
        self._open[item.kind].pop(id(item), None)
        item.whole = whole

    def _told_before(self, data: Json) -> Item | None:
        ids, index = _names(data)
        whole = data["item"]
        for item in self._called(whole.get("type"), ids, index):
            is_same = index is not None and item.likeness(ids, index) > 2
            if item.whole is not None and (is_same or item.is_like(whole)):
                return item
        return None

    def pairs(self, output: Sequence[Json]) -> list[tuple[Item, Json]]:
        """Return the items of a whole response beside what is known of them.

        Its order is not always that of the numbers. Those without a companion are new.
        """
        known = sorted(self._items, key=lambda item: item.place)
        by_name = _queues((item.kind, name, item) for item in known for name in item.ids)
        by_kind = _queues((item.kind, "", item) for item in known if item.kind != CALL)
        taken: set[int] = set()
        found: dict[int, Item] = {}
        for position, whole in enumerate(output):
            ids, _ = _names({"item": whole})
            named = [by_name[whole.get("type"), name] for name in ids]
            if item := next(filter(None, (_next(queue, taken) for queue in named)), None):
                found[position] = item
        for position, whole in enumerate(output):
            if position not in found and (item := _next(by_kind[whole.get("type"), ""], taken)):
                found[position] = item
        return [
            (found.get(position) or self._add(whole.get("type"), *_names({"item": whole})), whole)
            for position, whole in enumerate(output)
        ]

    def bare_message(self) -> Item | None:
        """Return the one message of a reply whose text came without any item."""
        messages = [item for item in self._items if item.kind == "message"]
        is_bare = len(messages) == 1 and messages[0].is_bare and messages[0].whole is None
        return messages[0] if is_bare else None

    def wholes(self) -> list[Json]:
        """Return the items that are done, in the order of the output."""
        done = [item for item in self._items if item.whole is not None]
        return [item.whole for item in sorted(done, key=lambda item: item.place)]

    def _add(self, kind: str, ids: set[str], index: int | None) -> Item:
        place = self._behind if index is None else index
        self._behind = max(self._behind, place + 1)
        item = Item(kind, ids, index, (place, len(self._items)))
        self._items.append(item)
        self._open.setdefault(kind, {})[id(item)] = item
        names: list[str | int] = [*ids] if index is None else [*ids, index]
        for name in names:
            self._named.setdefault((kind, name), []).append(item)
        return item


def _names(data: Json) -> tuple[set[str], int | None]:
    """Return the ids and the number by which an event names its item."""
    item, index = data.get("item") or {}, data.get("output_index")
    told = (data.get("item_id"), item.get("id"), item.get("call_id"))
    ids = {name for name in told if isinstance(name, str) and name}
    return ids, index if type(index) is int else None


def _may_be(item: Item, whole: Json, ids: set[str], index: int | None) -> bool:
    """Tell whether an open item can be the one that is done.

    A call has one id for good. Where no name fits, the text must.
    """
    if whole.get("type") == CALL:
        return whole.get("call_id") in item.ids
    return bool(item.likeness(ids, index)) or item.begins(whole)


def _queues(named: Iterable[tuple[str, str, Item]]) -> defaultdict[tuple[str, str], deque[Item]]:
    queues: defaultdict[tuple[str, str], deque[Item]] = defaultdict(deque)
    for kind, name, item in named:
        queues[kind, name].append(item)
    return queues


def _next(queue: deque[Item], taken: set[int]) -> Item | None:
    """Take the next item of a queue that no other has given."""
    while queue:
        item = queue.popleft()
        if id(item) not in taken:
            taken.add(id(item))
            return item
    return None


def _steady(whole: Json) -> Json:
    return {name: value for name, value in whole.items() if name not in _UNSTEADY}
