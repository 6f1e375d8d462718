"""What is kept or left out as one: a table, a card and its price, a product and the price of it.

A table with holes says something else than the page, and so does a product without its price. What
a page has twice, for phones and for desks or in a carousel, is kept once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from groundwire.reader.phrases import amounts, has_price

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.blocks import Block, Container, Outline

_MOSTLY, _HARDLY = 0.5, 0.3  # Of a table's words, as the scores have it.
_PROSE = 60  # Words: more than a cell of data has.
_SHORT = 8  # Words: what is little more than a price.
_ROW = 3  # From this many alike on, things are cards.
_MOST_ABOVE = 8  # Elements around a price, up to the card.
_NEXT = 2  # Kept blocks on, and still the same order.
_LEAST, _LONG = 60, 200  # Characters of what is there twice: in several blocks, in one.
_FEW_PRICES = 3  # With more of them, the page's own data is about many products.


def complete(outline: Outline, kept: Sequence[bool]) -> list[bool]:
    """Return which blocks are kept once nothing is torn apart."""
    whole = list(kept)
    _complete_tables(outline.blocks, whole)
    _keep_once(outline.blocks, whole)
    prices = [
        number
        for number, block in enumerate(outline.blocks)
        if not whole[number] and block.words <= _SHORT and has_price(block.text)
    ]
    if prices and any(whole):
        _keep_with_cards(outline, prices, whole)
        _keep_own_price(outline, whole)
    return whole


def _keep_once(blocks: Sequence[Block], kept: list[bool]) -> None:
    """Leave out the parts that were kept before: blocks in the same order, or a long one alone.

    A short one alone may be said twice on purpose, as a step of instructions is.
    """
    numbers = [number for number, is_kept in enumerate(kept) if is_kept]
    first: dict[str, int] = {}
    part: list[int] = []
    before = size = count = 0
    for place, number in enumerate(numbers):
        block = blocks[number]
        earlier = first.setdefault(block.text, place)
        is_again = earlier < place and _may_stand_alone(block)
        if not is_again or not 0 <= earlier - before <= _NEXT:
            part, size, count = [], 0, 0
        if is_again:
            part.append(number)
            before, size, count = earlier, size + block.characters, count + 1
            if size >= _LONG or (count > 1 and size >= _LEAST):
                for again in part:
                    kept[again] = False
                part = []


def _may_stand_alone(block: Block) -> bool:
    """Tell whether nothing is torn apart without a block: no line of code, no cell."""
    return block.tag != "pre" and not (block.levels and block.levels[-1].kind == "cell")


def _complete_tables(blocks: Sequence[Block], kept: list[bool]) -> None:
    tables: dict[int, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        if block.levels and block.levels[-1].kind == "cell":
            tables[block.levels[-1].group].append(number)
    for cells in tables.values():
        share = _share(blocks, cells, kept)
        if not _is_of_data([blocks[number] for number in cells]):
            continue
        for number in cells:
            kept[number] = share >= _MOSTLY or (share > _HARDLY and kept[number])


def _is_of_data(cells: Sequence[Block]) -> bool:
    """Tell whether a table compares things: what it arranges may belong to different matters."""
    return len({cell.levels[-1].row for cell in cells}) > 1 and max(c.words for c in cells) < _PROSE


def _share(blocks: Sequence[Block], numbers: Sequence[int], kept: Sequence[bool]) -> float:
    words = sum(blocks[number].words for number in numbers)
    return sum(blocks[number].words for number in numbers if kept[number]) / max(1, words)


def _keep_with_cards(outline: Outline, prices: Sequence[int], kept: list[bool]) -> None:
    """Keep the price on a card of which most of the other words are kept."""
    rows = Counter(_row(container) for container in outline.containers if container.blocks)
    cards = {number: _card(outline.blocks[number].container, rows) for number in prices}
    around: dict[Container, list[int]] = {card: [] for card in cards.values() if card is not None}
    for number, block in enumerate(outline.blocks):
        container: Container | None = block.container
        while container is not None and container not in around:
            container = container.parent
        if container is not None and number not in cards:
            around[container].append(number)
    for number, card in cards.items():
        if card is not None and _share(outline.blocks, around[card], kept) >= _MOSTLY:
            kept[number] = True


def _row(container: Container) -> tuple[Container | None, str, str]:
    return container.parent, container.tag, container.name


def _card(
    container: Container | None, rows: Counter[tuple[Container | None, str, str]]
) -> Container | None:
    """Return the nearest element around a price that is one of many and holds more than it."""
    for _ in range(_MOST_ABOVE):
        if container is None:
            break
        if container.blocks > 1 and rows[_row(container)] >= _ROW:
            return container
        container = container.parent
    return None


def _keep_own_price(outline: Outline, kept: list[bool]) -> None:
    """Keep the first place where the price stands that the page's own data gives the product."""
    own = set(outline.facts.get("prices", "").split())
    if not 0 < len(own) <= _FEW_PRICES:
        return
    for number, block in enumerate(outline.blocks):
        if block.words <= _SHORT and has_price(block.text) and own & amounts(block.text):
            kept[number] = True
            return
