"""What can be counted about a block: the numbers that the scorer's trees ask about."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from groundwire.reader import block_positions, kinds, phrases
from groundwire.reader.block_positions import Places
from groundwire.reader.blocks import ROLES
from groundwire.reader.names import GROUPS, is_aside
from groundwire.reader.phrases import ends_a_sentence, measure_wording, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.blocks import Block, Container, Outline

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
_TAG_NUMBER = {tag: float(number) for number, tag in enumerate(_TAGS)}
_is_punctuation = frozenset(".!?,;:。，！？、；：؟،؛۔।॥").__contains__
_DIGIT = re.compile(r"\d")
_ASCII_PUNCTUATION = b".!?,;:"
_ASCII_DIGITS = b"0123456789"
_ASCII_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII = bytes(range(128))
_LONG = 80  # Characters: what reads like a sentence or more.
_START = 40  # Characters: what begins alike says the same, as a quotation in a forum does.
_OPENING = 60  # Characters that show what a text is made of.
_SHORT = 60  # Characters: less is no sentence; a price stands alone.
_SENTENCES = 200  # Characters: from here on, single words no longer say what a text is for.
_FAR = 99.0
_NO_WORDING = (0.0,) * len(phrases.NAMES)
_NOBODY = (-1.0,) * 5


# What can be told of a block by itself.
OWN: tuple[str, ...] = (
    *("characters", "words", "links", "link_share", "punctuation", "digits", "capitals"),
    *("sentence", "tag", "heading", "depth"),
    *phrases.NAMES,
    *("average_word", "in_title", "repeats", "said_before", "position", "characters_before"),
    "is_linked",
)
# What an element, or one around it, is or is not: the only ones that are True or False.
FLAGS: tuple[str, ...] = (
    *(f"role_{role}" for role in ROLES),
    *(f"near_{group}" for group in GROUPS),
    *(f"any_{group}" for group in GROUPS),
)
_MONEY = OWN.index("money")
NAMES: tuple[str, ...] = (
    *OWN,
    *FLAGS,
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
    *block_positions.NAMES,
)


def tally(outline: Outline) -> None:
    """Add every block up into the containers around it."""
    for block in outline.blocks:
        size, container = block.characters, block.container
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
        self._sizes = [0, *accumulate(block.characters for block in self._blocks)]
        self._linked = [0, *accumulate(block.linked for block in self._blocks)]
        self._total = max(1, self._sizes[-1])
        self._title_words = frozenset(words_of(outline.title))
        self._count_texts()
        self._own = [self._own_features(n, b) for n, b in enumerate(self._blocks)]
        # What a block's neighbours ask of it.
        self._seen = [
            (own[0], own[3], own[9], own[7], block.container.parent)
            for own, block in zip(self._own, self._blocks, strict=True)
        ]
        self._places = Places(outline)
        priced = sum(own[_MONEY] for own in self._own if own[0] < _SHORT)
        self._page = [self._repeats(), *kinds.measure_page(outline, self._places, priced, url)]
        self._add_up(outline.containers)

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
        size, words = block.characters, block.words
        punctuation, digits, capitals = _signs(text)
        phrases, title_share = _NO_WORDING, 0.0
        if size < _SENTENCES:
            has_digit = digits > 0 or _DIGIT.search(text, _OPENING) is not None
            phrases, title_share = measure_wording(text, has_digit), self._title_share(text)
        return [
            float(size),
            float(words),
            float(block.links),
            block.linked / size,
            punctuation,
            digits,
            capitals,
            1.0 if ends_a_sentence(text) else 0.0,
            _TAG_NUMBER.get(block.tag, _FAR),
            float(block.heading),
            float(block.container.depth),
            *phrases,
            size / words,
            title_share,
            float(self._texts[text]),
            1.0 if size >= _START and self._first_of[number] < number else 0.0,
            number / len(self._blocks),
            self._sizes[number] / self._total,
            1.0 if block.linked >= size * 0.9 else 0.0,
        ]

    def _title_share(self, text: str) -> float:
        words = words_of(text)
        return sum(map(self._title_words.__contains__, words)) / len(words) if words else 0.0

    def _ancestry(self, container: Container) -> list[float]:
        up1 = container.parent
        up2 = up1.parent if up1 else None
        up3 = up2.parent if up2 else None
        near = container.groups | (up1.groups if up1 else 0) | (up2.groups if up2 else 0)
        return [
            *_role_flags(container.roles),
            *_group_flags(near),
            *_group_flags(container.all_groups),
            *self._sums[container],
            *self._sums[up1],
            *self._sums[up3],
            *self._sums[self._root if container in self._in_root else None],
        ]

    def _add_up(self, containers: Sequence[Container]) -> None:
        """Work out the sums of every container with text, and which of them the root holds."""
        self._sums: dict[Container | None, tuple[float, ...]] = {None: (-1.0,) * 6}
        self._in_root: set[Container | None] = set()
        for container in containers:
            if not container.blocks:
                continue
            if container is self._root or container.parent in self._in_root:
                self._in_root.add(container)
            size = container.characters
            self._sums[container] = (
                float(size),
                container.linked / size,
                float(container.blocks),
                container.prose / size,
                size / self._total,
                float(container.sentences),
            )

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
        self._at = -int(_FAR)
        self._container: Container | None = None
        self._title_at: int | None = None
        self._above: list[tuple[int, float]] = []
        self._level = self._is_aside = self._linked = self._aside_above = self._count = 0.0

    def measure(self, number: int, block: Block) -> tuple[float, ...]:
        if block.heading:
            self._pass(number, block)
        near = self._container is not None and self._is_near(block.container)
        since = number - self._at
        title_at = self._title_at
        return (
            float(since) if since < _FAR else _FAR,
            self._level,
            self._is_aside,
            1.0 if near else 0.0,
            _FAR if title_at is None else float(min(number - title_at, 500)),
            self._linked,
            self._aside_above,
            self._count,
        )

    def _pass(self, number: int, block: Block) -> None:
        self._at, self._level = number, float(block.heading)
        self._linked = block.linked / block.characters
        self._is_aside = float(is_aside(block.text))
        self._above = [above for above in self._above if above[0] < block.heading]
        self._above.append((block.heading, self._is_aside))
        self._aside_above = max(aside for _, aside in self._above)
        self._count = float(len(self._above))
        self._container = block.container.parent
        if self._title_at is None and self._is_title(block.text):
            self._title_at = number

    def _is_near(self, container: Container | None) -> bool:
        """Tell whether the heading's surroundings hold a container, at most four levels up."""
        for _ in range(4):
            if container is None or container is self._container:
                break
            container = container.parent
        return container is self._container

    def _is_title(self, text: str) -> bool:
        words = words_of(text)
        shared = sum(word in self._title_words for word in words)
        return len(words) > 0 and shared >= 0.7 * len(words)


@lru_cache(maxsize=2_000)
def _role_flags(roles: int) -> tuple[bool, ...]:
    return tuple(roles >> bit & 1 == 1 for bit in range(len(ROLES)))


@lru_cache(maxsize=10_000)
def _group_flags(groups: int) -> tuple[bool, ...]:
    return tuple(groups >> bit & 1 == 1 for bit in range(len(GROUPS)))


def _shape(block: Block) -> tuple[int, str, int]:
    container = block.container
    parent = container.parent
    return (container.depth, block.tag, (container.groups << 40) ^ (parent.groups if parent else 0))


def _signs(text: str) -> tuple[float, float, float]:
    """Return how much of a text's beginning is punctuation (in a hundred), digits and capitals.

    In bytes they are quickly taken out. What is not ASCII is looked at one by one, as it is rare.
    """
    start, opening = text[:300], text[:_OPENING]  # Enough to tell prose from the rest.
    written = start.encode("utf-8", "replace")
    opened = written if len(text) <= _OPENING else opening.encode("utf-8", "replace")
    punctuation = len(written) - len(written.translate(None, _ASCII_PUNCTUATION))
    digits = len(opened) - len(opened.translate(None, _ASCII_DIGITS))
    capitals = len(opened) - len(opened.translate(None, _ASCII_CAPITALS))
    if not text.isascii():
        punctuation += sum(map(_is_punctuation, written.translate(None, _ASCII).decode()))
        others = opened.translate(None, _ASCII).decode()
        digits += sum(map(str.isdigit, others))
        capitals += sum(map(str.isupper, others))
    return 100.0 * punctuation / len(start), digits / len(opening), capitals / len(opening)
