"""What can be counted about a block: the numbers that the scorer's trees ask about."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from groundwire.reading import kinds, places, wording
from groundwire.reading.blocks import ROLES
from groundwire.reading.names import GROUPS, is_aside
from groundwire.reading.places import Places
from groundwire.reading.wording import ends_a_sentence, measure_wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundwire.reading.blocks import Block, Container, Outline

_TAGS = (
    "p",
    "li",
    "td",
    "th",
    "div",
    "pre",
    "dd",
    "dt",
    "span",
    "section",
    "figcaption",
    "article",
)
_TAG_NUMBER = {tag: number for number, tag in enumerate(_TAGS)}
_is_punctuation = frozenset(".!?,;:。，！？、؟").__contains__
_WORD = re.compile(r"\w+")
_ASCII_PUNCTUATION = b".!?,;:"
_ASCII_DIGITS = b"0123456789"
_ASCII_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONG = 80  # Characters: what reads like a sentence or more.
_START = 40  # Characters: what begins alike says the same, as a quotation in a forum does.
_FAR = 99
_NO_WORDING = (0.0,) * len(wording.NAMES)
_NOBODY = (-1.0,) * 5


# What can be told of a block by itself.
OWN: tuple[str, ...] = (
    *("characters", "words", "links", "link_share", "punctuation", "digits", "capitals"),
    *("sentence", "tag", "heading", "depth"),
    *wording.NAMES,
    *("average_word", "in_title", "repeats", "said_before", "position", "characters_before"),
    "is_linked",
)
NAMES: tuple[str, ...] = (
    *OWN,
    *(f"role_{role}" for role in ROLES),
    *(f"near_{group}" for group in GROUPS),
    *(f"any_{group}" for group in GROUPS),
    *(
        f"{what}_{level}"
        for level in ("up1", "up2", "up4", "root")
        for what in ("characters", "link_share", "blocks", "long_share", "share", "sentences")
    ),
    *(
        f"{where}_{what}"
        for where in ("before2", "before1", "after1", "after2")
        for what in ("characters", "link_share", "heading", "same_parent", "sentence")
    ),
    *[
        "heading_distance",
        "heading_level",
        "heading_aside",
        "heading_near",
        "title_distance",
        "heading_linked",
        "aside_above",
        "headings_above",
        "siblings_alike",
    ],
    *["window_characters", "window_link_share", "root_depth_gap"],
    "page_repeats",
    *kinds.NAMES,
    *places.NAMES,
)


def tally(outline: Outline) -> None:
    """Add every block up into the containers around it."""
    for block in outline.blocks:
        size, container = len(block.text), block.container
        container.characters += size
        container.linked += block.linked
        container.blocks += 1
        if size >= _LONG and block.linked < size / 2:
            container.prose += size
            container.sentences += ends_a_sentence(block.text)
    for container in reversed(outline.containers):
        outer = container.parent
        if outer is not None and container.blocks:
            outer.characters += container.characters
            outer.linked += container.linked
            outer.blocks += container.blocks
            outer.prose += container.prose
            outer.sentences += container.sentences


def content_root(outline: Outline) -> Container | None:
    """Return the smallest container that holds most of the page's prose; None if there is none."""
    most = 0.6 * outline.containers[0].prose
    holding = [container for container in outline.containers if container.prose >= most > 0]
    return max(holding, key=lambda container: container.depth, default=None)


class Measurer:
    """Measures the blocks of one page; what holds for the whole page is worked out once."""

    def __init__(self, outline: Outline, url: str) -> None:
        tally(outline)
        self._blocks = outline.blocks
        self._root = content_root(outline)
        self._sizes = [0, *accumulate(len(block.text) for block in self._blocks)]
        self._linked = [0, *accumulate(block.linked for block in self._blocks)]
        self._total = max(1, self._sizes[-1])
        self._title_words = frozenset(_WORD.findall(outline.title.lower()))
        self._count_texts()
        self._own = [self._own_features(n, b) for n, b in enumerate(self._blocks)]
        # What a block's neighbours ask of it.
        self._seen = [
            (own[0], own[3], own[9], own[7], block.container.parent)
            for own, block in zip(self._own, self._blocks, strict=True)
        ]
        self._places = Places(outline)
        self._page = [self._repeats(), *kinds.measure_page(outline, self._places, url)]
        self._ups: dict[Container, list[float]] = {}

    def _count_texts(self) -> None:
        self._shape_of = [_shape(block) for block in self._blocks]
        self._shapes = Counter(self._shape_of)
        self._texts = Counter(block.text for block in self._blocks)
        starts = [block.text[:_START] for block in self._blocks]
        first: dict[str, int] = {}
        for number, start in enumerate(starts):
            first.setdefault(start, number)
        self._first_of = [first[start] for start in starts]

    def vectors(self) -> list[list[float]]:
        """Return the numbers of every block, in the order of NAMES."""
        trail = _HeadingTrail(self._title_words)
        return [
            [
                *self._own[number],
                *self._ancestry(block.container),
                *self._neighbours(number),
                *trail.measure(number, block),
                float(self._shapes[self._shape_of[number]]),
                *self._window(number),
                *self._page,
                *self._places.measure(number, block),
            ]
            for number, block in enumerate(self._blocks)
        ]

    def _own_features(self, number: int, block: Block) -> list[float]:
        text = block.text
        size = len(text)
        words = text.count(" ") + 1
        start, opening = text[:300], text[:60]  # Enough to tell prose from the rest.
        short = size < 200
        first = block.container
        return [
            float(size),
            float(words),
            float(block.links),
            block.linked / size,
            100.0 * _count(start, _is_punctuation, _ASCII_PUNCTUATION) / len(start),
            _count(opening, str.isdigit, _ASCII_DIGITS) / len(opening),
            _count(opening, str.isupper, _ASCII_CAPITALS) / len(opening),
            float(ends_a_sentence(text)),
            float(_TAG_NUMBER.get(block.tag, _FAR)),
            float(block.heading),
            float(first.depth),
            *(measure_wording(text) if short else _NO_WORDING),
            size / words,
            self._title_share(text) if short else 0.0,
            float(self._texts[text]),
            float(size >= _START and self._first_of[number] < number),
            number / len(self._blocks),
            self._sizes[number] / self._total,
            float(block.linked >= size * 0.9),
        ]

    def _title_share(self, text: str) -> float:
        words = _WORD.findall(text.lower())
        return sum(map(self._title_words.__contains__, words)) / len(words) if words else 0.0

    def _ancestry(self, container: Container) -> list[float]:
        near = container.groups
        up1 = container.parent
        up2 = up1.parent if up1 else None
        up3 = up2.parent if up2 else None
        near |= (up1.groups if up1 else 0) | (up2.groups if up2 else 0)
        root = self._root if self._is_in_root(container) else None
        return [
            *_bits(container.roles, len(ROLES)),
            *_bits(near, len(GROUPS)),
            *_bits(container.all_groups, len(GROUPS)),
            *self._sums(container),
            *self._sums(up1),
            *self._sums(up3),
            *self._sums(root),
        ]

    def _is_in_root(self, container: Container) -> bool:
        if self._root is None:
            return False
        place: Container | None = container
        while place is not None and place.depth > self._root.depth:
            place = place.parent
        return place is self._root

    def _sums(self, container: Container | None) -> list[float]:
        if container is None:
            return [-1.0] * 6
        if container not in self._ups:
            size = container.characters or 1
            self._ups[container] = [
                float(container.characters),
                container.linked / size,
                float(container.blocks),
                container.prose / size,
                container.characters / self._total,
                float(container.sentences),
            ]
        return self._ups[container]

    def _neighbours(self, number: int) -> list[float]:
        numbers: list[float] = []
        outer = self._blocks[number].container.parent
        for other in (number - 2, number - 1, number + 1, number + 2):
            if 0 <= other < len(self._blocks):
                size, linked, heading, sentence, around = self._seen[other]
                numbers += (size, linked, heading, 1.0 if around is outer else 0.0, sentence)
            else:
                numbers += _NOBODY
        return numbers

    def _window(self, number: int) -> list[float]:
        first, last = max(0, number - 5), min(len(self._blocks), number + 6)
        size = self._sizes[last] - self._sizes[first]
        linked = self._linked[last] - self._linked[first]
        gap = -1.0
        if self._root is not None:
            gap = float(self._blocks[number].container.depth - self._root.depth)
        return [size / (last - first), linked / size, gap]

    def _repeats(self) -> float:
        """Return the share of blocks that look like at least four others."""
        repeated = sum(count for count in self._shapes.values() if count >= 5)
        return repeated / max(1, len(self._blocks))


class _HeadingTrail:
    """Remembers, on the way down a page, the heading that a block stands under."""

    def __init__(self, title_words: frozenset[str]) -> None:
        self._title_words = title_words
        self._at = -_FAR
        self._level = 0
        self._is_aside = 0.0
        self._container: Container | None = None
        self._title_at: int | None = None
        self._linked = 0.0
        self._above: list[tuple[int, float]] = []
        self._aside_above = 0.0

    def measure(self, number: int, block: Block) -> list[float]:
        if block.heading:
            self._at, self._level = number, block.heading
            self._linked = block.linked / len(block.text)
            self._is_aside = float(is_aside(block.text))
            self._above = [above for above in self._above if above[0] < block.heading]
            self._above.append((block.heading, self._is_aside))
            self._aside_above = max(aside for _, aside in self._above)
            self._container = block.container.parent
            if self._title_at is None and self._is_title(block.text):
                self._title_at = number
        near = self._container is not None and self._is_near(block.container)
        return [
            float(min(number - self._at, _FAR)),
            float(self._level),
            self._is_aside,
            float(near),
            float(_FAR if self._title_at is None else min(number - self._title_at, 500)),
            self._linked,
            self._aside_above,
            float(len(self._above)),
        ]

    def _is_near(self, container: Container | None) -> bool:
        """Tell whether the heading's surroundings hold a container, at most four levels up."""
        for _ in range(4):
            if container is None or container is self._container:
                break
            container = container.parent
        return container is self._container

    def _is_title(self, text: str) -> bool:
        words = _WORD.findall(text.lower())
        shared = sum(word in self._title_words for word in words)
        return len(words) > 0 and shared >= 0.7 * len(words)


@lru_cache(maxsize=10_000)
def _bits(number: int, count: int) -> tuple[float, ...]:
    return tuple(float(number >> bit & 1) for bit in range(count))


def _shape(block: Block) -> tuple[int, str, int]:
    container = block.container
    parent = container.parent
    return (container.depth, block.tag, (container.groups << 40) ^ (parent.groups if parent else 0))


def _count(text: str, is_one: Callable[[str], bool], ascii_ones: bytes) -> int:
    """Return how many characters are of a kind; in ASCII it is quicker to take them out."""
    if not text.isascii():
        return sum(map(is_one, text))
    written = text.encode()
    return len(written) - len(written.translate(None, ascii_ones))
