"""Where a block stands: how far from the page's title and core, and in which row of like things.

A sidebar shares little more than the page with the title; a teaser is one of many like it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from groundwire.reader.names import group_bits
from groundwire.reader.phrases import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.blocks import Block, Container, Outline

_BESIDE = group_bits(
    *("comment", "sidebar", "related", "footer", "navigation"),
    *("advertisement", "notice", "signup", "share"),
)
_LONG = 80  # Characters: what reads like a sentence or more.
_FEW = 3  # Two alike are an accident, three are a list.
_FAR = 200
_COMMAS = ",，、،"

NAMES: tuple[str, ...] = (
    *(f"{to}_{what}" for to in ("title", "core") for what in ("up", "down", "share", "prose")),
    *(
        f"{row}_{what}"
        for row in ("item", "card")
        for what in ("count", "characters", "link_share", "blocks", "share", "prose")
    ),
    *["core_side", "core_distance", "title_side"],
    *(f"passed_{what}" for what in ("characters", "prose", "since_title", "in_core")),
)


_Numbers: TypeAlias = tuple[float, ...]
# What holds for all blocks right in one container: how far it is from the title and from the core,
# the row it is an item of, and the row in which it is a card, which is an item of several blocks.
_Place: TypeAlias = tuple[_Numbers, _Numbers, _Numbers, _Numbers]
_NOWHERE: _Place = ((-1.0,) * 4, (-1.0,) * 4, (-1.0,) * 6, (-1.0,) * 6)


class Places:
    """Knows the place of every block of one page; the containers must have been tallied."""

    def __init__(self, outline: Outline) -> None:
        self._blocks = outline.blocks
        page = outline.containers[0]
        self._characters, self._prose = max(1, page.characters), max(1, page.prose)
        self._title = _title_block(outline)
        self.core = _core(outline.blocks)
        self._rows = self._rows_of(outline.containers)
        self._places = self._find_places(outline.containers)
        within = [n for n, block in enumerate(self._blocks) if block.container in self._in_core]
        self._core_from, self._core_to = (within[0], within[-1]) if within else (0, _FAR * _FAR)
        self._passed = self._find_passed()

    def measure(self, number: int, block: Block) -> list[float]:
        """Return the numbers of one block, in the order of NAMES."""
        to_title, to_core, item, card = self._places[block.container]
        if number < self._core_from:
            side, distance = -1.0, self._core_from - number
        elif number > self._core_to:
            side, distance = 1.0, number - self._core_to
        else:
            side, distance = 0.0, 0
        return [
            *to_title,
            *to_core,
            *item,
            *card,
            side,
            float(min(distance, _FAR)),
            float(_FAR if self._title is None else number - self._title),
            *self._passed[number],
        ]

    def largest_card_row(self) -> float:
        """Return the greatest share of the page's text that one row of cards has."""
        return max((card[4] for *_, card in self._places.values()), default=0.0)

    def _rows_of(self, containers: Sequence[Container]) -> dict[Container, _Numbers]:
        alike: dict[tuple[Container, str, str], list[Container]] = defaultdict(list)
        for container in containers:
            if container.parent is not None and container.blocks:
                alike[container.parent, container.tag, container.name].append(container)
        return {
            member: numbers
            for row in alike.values()
            if len(row) >= _FEW
            for numbers in [self._row(row)]
            for member in row
        }

    def _row(self, row: list[Container]) -> _Numbers:
        characters = sum(container.characters for container in row) or 1
        return (
            float(len(row)),
            characters / len(row),
            sum(container.linked for container in row) / characters,
            sum(container.blocks for container in row) / len(row),
            characters / self._characters,
            sum(container.prose for container in row) / characters,
        )

    def _find_places(self, containers: Sequence[Container]) -> dict[Container, _Place]:
        title = None if self._title is None else self._blocks[self._title].container
        title_path, core_path = _path(title), _path(self.core)
        self._in_core: set[Container | None] = set()
        places: dict[Container, _Place] = {}
        for container in containers:
            if not container.blocks:
                continue
            around = container.parent
            to_title, to_core, item, card = places[around] if around else _NOWHERE
            if container in title_path:
                to_title = self._above(container, title_path)
            elif title_path:
                to_title = _one_further(to_title)
            if container in core_path:
                to_core = self._above(container, core_path)
            elif core_path:
                to_core = _one_further(to_core)
            if container is self.core or around in self._in_core:
                self._in_core.add(container)
            if row := self._rows.get(container):
                item, card = row, row if row[3] >= 2 else card
            places[container] = to_title, to_core, item, card
        return places

    def _above(self, container: Container, path: dict[Container, int]) -> _Numbers:
        """Return the distance of a container that holds what is looked for, and what it holds.

        For what stands beside, the steps up are counted to the first that holds both.
        """
        characters, prose = container.characters / self._characters, container.prose / self._prose
        return 0.0, float(path[container]), characters, prose

    def _find_passed(self) -> list[_Numbers]:
        """Return how much text, prose and prose of the core stands before each block.

        Prose is counted from the title on too, below zero above it.
        """
        passed: list[tuple[int, int, int]] = []
        characters = prose = in_core = 0
        for block in self._blocks:
            passed.append((characters, prose, in_core))
            size = block.characters
            characters += size
            if size >= _LONG and block.linked < size / 2:
                prose += size
                in_core += size if block.container in self._in_core else 0
        above = None if self._title is None else passed[self._title][1]
        return [
            (float(text), float(long), -1.0 if above is None else float(long - above), float(core))
            for text, long, core in passed
        ]


def _one_further(distance: _Numbers) -> _Numbers:
    steps, down, characters, prose = distance
    return steps + 1, down, characters, prose


def _path(container: Container | None) -> dict[Container, int]:
    """Return a container and those around it, each with the number of steps to it."""
    path: dict[Container, int] = {}
    while container is not None:
        path[container] = len(path)
        container = container.parent
    return path


def _title_block(outline: Outline) -> int | None:
    """Return the number of the heading that is most like the page's title; None if none is."""
    wanted = set(words_of(outline.facts.get("headline") or outline.title))
    best, best_score = None, 0.5
    for number, block in enumerate(outline.blocks):
        if not block.heading or block.characters > _FAR:
            continue
        words = words_of(block.text)
        shared = sum(word in wanted for word in words) / max(_FEW, len(words))
        score = shared + 0.3 * (block.heading == 1)
        score -= 0.3 * (block.container.all_groups & _BESIDE > 0)
        if score > best_score:
            best, best_score = number, score
    return best


def _commas(text: str) -> int:
    return text.count(",") if text.isascii() else sum(map(text.count, _COMMAS))


def _core(blocks: Sequence[Block]) -> Container | None:
    """Return the container whose own paragraphs say most; None if there are no paragraphs."""
    scores: dict[Container, float] = defaultdict(float)
    for block in blocks:
        size = block.characters
        if size < _LONG or block.linked > size / 2:
            continue
        worth = 1 + _commas(block.text) + min(size / 100, 3)
        if block.container.all_groups & _BESIDE:
            worth /= 4
        holder = block.container.parent or block.container
        scores[holder] += worth
        if holder.parent:
            scores[holder.parent] += worth / 2
    return max(
        scores, key=lambda c: scores[c] * (1 - c.linked / max(1, c.characters)), default=None
    )
