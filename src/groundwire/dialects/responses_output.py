"""Which output item of a Responses reply an event is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.dialects.responses_items import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.dialects.text_order import Part
    from groundwire.model import Json

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
        self.parts: dict[tuple[str, int], Part] = {}

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
        self._open: list[Item] = []
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
        """Return the open item that an event is about."""
        return _best(self._open, kind, *_names(data))

    def find_any(self, kind: str, data: Json) -> Item | None:
        """Return the item that an event is about, be it open or done."""
        return self.find(kind, data) or _best(self._items, kind, *_names(data))

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
        if item.whole is None:
            self._open.remove(item)
        item.whole = whole

    def _told_before(self, data: Json) -> Item | None:
        ids, index = _names(data)
        whole = data["item"]
        for item in self._items:
            likeness = item.likeness(ids, index) if item.kind == whole.get("type") else 0
            is_same = index is not None and likeness > 2
            if item.whole is not None and likeness and (is_same or item.is_like(whole)):
                return item
        return None

    def pairs(self, output: Sequence[Json]) -> list[tuple[Item, Json]]:
        """Return the items of a whole response beside what is known of them.

        Its order is not always that of the numbers. Those without a companion are new.
        """
        left = sorted(self._items, key=lambda item: item.place)
        found: dict[int, Item] = {}
        for by_name in (True, False):
            for position, whole in enumerate(output):
                if position not in found and (item := _companion(left, whole, by_name=by_name)):
                    found[position] = item
                    left.remove(item)
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
        self._open.append(item)
        return item


def _names(data: Json) -> tuple[set[str], int | None]:
    """Return the ids and the number by which an event names its item."""
    item, index = data.get("item") or {}, data.get("output_index")
    told = (data.get("item_id"), item.get("id"), item.get("call_id"))
    ids = {name for name in told if isinstance(name, str) and name}
    return ids, index if type(index) is int else None


def _best(items: Sequence[Item], kind: str, ids: set[str], index: int | None) -> Item | None:
    """Return the item whose names fit best, of several the last; another number is another item."""
    best: Item | None = None
    most = -1
    for item in reversed(items):
        if item.kind != kind:
            continue
        likeness = item.likeness(ids, index)
        is_other = not likeness and index is not None and item.index is not None
        if likeness > most and not is_other:
            best, most = item, likeness
    return best


def _may_be(item: Item, whole: Json, ids: set[str], index: int | None) -> bool:
    """Tell whether an open item can be the one that is done.

    A call has one id for good. Where no name fits, the text must.
    """
    if whole.get("type") == "function_call":
        return whole.get("call_id") in item.ids
    return bool(item.likeness(ids, index)) or item.begins(whole)


def _companion(items: Sequence[Item], whole: Json, *, by_name: bool) -> Item | None:
    ids, _ = _names({"item": whole})
    is_call = whole.get("type") == "function_call"
    for item in items:
        if item.kind == whole.get("type") and (not is_call or whole.get("call_id") in item.ids):
            is_named = bool(ids & item.ids) or item.is_like(whole)
            if is_named or not by_name:
                return item
    return None


def _steady(whole: Json) -> Json:
    return {name: value for name, value in whole.items() if name not in _UNSTEADY}
