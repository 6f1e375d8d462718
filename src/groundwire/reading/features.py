"""What can be counted about a block: the numbers that the scorer's trees ask about."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire.reading.blocks import ROLES
from groundwire.reading.names import GROUPS, is_aside

if TYPE_CHECKING:
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
_PUNCTUATION = re.compile(r"[.!?,;:。，！？、؟]")
_SENTENCE_END = re.compile(r"[.!?。！？…:](?:[\"'”’)\]]*)$")
_WORD = re.compile(r"\w+")
_YEAR_OR_TIME = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\bago\b")
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|USD|EUR|kr)\b")
_LEGAL = re.compile(r"©|all rights reserved|cookie|privacy|terms of", re.IGNORECASE)
_CALL = re.compile(
    r"^(?:read|learn|view|see|show|load|find|sign|log|subscribe|share|follow|add|buy|shop|click|get"
    r"|download|reply|report|quote|like|print|email|skip|back|next|previous|home|menu|search|close)\b",
    re.IGNORECASE,
)
_URL_WORDS = (
    (
        "forum",
        re.compile(
            r"forum|thread|topic|viewtopic|discuss|community|question|/t/|comments|showthread"
        ),
    ),
    ("docs", re.compile(r"doc|wiki|manual|reference|guide|tutorial|/api|learn|help|support")),
    ("product", re.compile(r"product|/p/|/dp/|item|shop|store|/buy")),
    ("collection", re.compile(r"collection|categor|/c/|catalog|shop/|/tag")),
    ("article", re.compile(r"news|article|blog|post|story|/20[012]\d/|\d{6,}")),
)
_LONG = 80  # Characters: what reads like a sentence or more.
_FAR = 99


def _block_features() -> list[str]:
    own = "characters words links link_share punctuation digits capitals sentence tag heading depth"
    more = (
        "date money legal call average_word in_title repeats position characters_before is_linked"
    )
    return f"{own} {more}".split()


NAMES: tuple[str, ...] = (
    *_block_features(),
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
        "siblings_alike",
    ],
    *["window_characters", "window_link_share", "root_depth_gap"],
    *[
        "page_blocks",
        "page_characters",
        "page_link_share",
        "page_long_share",
        "page_article",
        "page_tables",
    ],
    *[
        "page_headings",
        "page_lists",
        "page_forms",
        "page_has_main",
        "page_has_article",
        "page_repeats",
    ],
    *(f"url_{name}" for name, _ in _URL_WORDS),
    *["url_depth", "type_article", "type_product", "type_forum", "type_website", "type_question"],
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
            container.sentences += _SENTENCE_END.search(block.text) is not None
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
        self._page = self._page_features(outline, url)
        self._ups: dict[Container, list[float]] = {}
        self._named: dict[Container, list[float]] = {}

    def _count_texts(self) -> None:
        self._texts: dict[str, int] = {}
        self._shapes: dict[tuple[int, str, int], int] = {}
        for block in self._blocks:
            self._texts[block.text] = self._texts.get(block.text, 0) + 1
            shape = _shape(block)
            self._shapes[shape] = self._shapes.get(shape, 0) + 1

    def vectors(self) -> list[list[float]]:
        """Return the numbers of every block, in the order of NAMES."""
        trail = _HeadingTrail(self._title_words)
        return [
            [
                *self._own[number],
                *self._place(block),
                *self._neighbours(number),
                *trail.measure(number, block),
                float(self._shapes[_shape(block)]),
                *self._window(number),
                *self._page,
            ]
            for number, block in enumerate(self._blocks)
        ]

    def _own_features(self, number: int, block: Block) -> list[float]:
        text = block.text
        size = len(text)
        words = text.count(" ") + 1
        start = text[:300]  # Enough to tell prose from the rest.
        short = size < 200
        first = block.container
        return [
            float(size),
            float(words),
            float(block.links),
            block.linked / size,
            100.0 * len(_PUNCTUATION.findall(start)) / len(start),
            sum(map(str.isdigit, start[:60])) / len(start[:60]),
            sum(map(str.isupper, start[:60])) / len(start[:60]),
            float(_SENTENCE_END.search(text) is not None),
            float(_TAG_NUMBER.get(block.tag, _FAR)),
            float(block.heading),
            float(first.depth),
            float(short and _YEAR_OR_TIME.search(text) is not None),
            float(short and _MONEY.search(text) is not None),
            float(short and _LEGAL.search(text) is not None),
            float(short and _CALL.match(text) is not None),
            size / words,
            self._title_share(text) if short else 0.0,
            float(self._texts[text]),
            number / len(self._blocks),
            self._sizes[number] / self._total,
            float(block.linked >= size * 0.9),
        ]

    def _title_share(self, text: str) -> float:
        words = _WORD.findall(text.lower())
        return sum(word in self._title_words for word in words) / len(words) if words else 0.0

    def _place(self, block: Block) -> list[float]:
        container = block.container
        if container not in self._named:
            self._named[container] = self._ancestry(container)
        return self._named[container]

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
        place: Container | None = container
        while place is not None and place is not self._root:
            place = place.parent
        return place is not None

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
        own = self._blocks[number].container
        for step in (-2, -1, 1, 2):
            other = number + step
            if 0 <= other < len(self._blocks):
                block, features = self._blocks[other], self._own[other]
                numbers += (
                    features[0],
                    features[3],
                    float(block.heading),
                    float(block.container.parent is own.parent),
                    features[7],
                )
            else:
                numbers += (-1.0, -1.0, -1.0, -1.0, -1.0)
        return numbers

    def _window(self, number: int) -> list[float]:
        first, last = max(0, number - 5), min(len(self._blocks), number + 6)
        size = self._sizes[last] - self._sizes[first]
        linked = self._linked[last] - self._linked[first]
        gap = -1.0
        if self._root is not None:
            gap = float(self._blocks[number].container.depth - self._root.depth)
        return [size / (last - first), linked / size, gap]

    def _page_features(self, outline: Outline, url: str) -> list[float]:
        blocks, total = self._blocks, self._total
        repeated = sum(count for count in self._shapes.values() if count >= 5)
        kind = outline.facts.get("type", "")
        shape = urlsplit(url)
        path = shape.path.lower() + "?" + shape.query.lower()
        roles = 0
        for block in blocks:
            roles |= block.container.roles
        return [
            float(len(blocks)),
            float(total),
            sum(block.linked for block in blocks) / total,
            sum(len(b.text) for b in blocks if len(b.text) >= _LONG and b.linked < len(b.text) / 2)
            / total,
            float(sum(1 for b in blocks if b.tag == "p" and len(b.text) >= _LONG)),
            float(sum(1 for b in blocks if b.tag in ("td", "th"))),
            float(sum(1 for b in blocks if b.heading)),
            float(sum(1 for b in blocks if b.tag == "li")) / max(1, len(blocks)),
            float(outline.scripts),
            float(roles & 1),
            float(roles >> 1 & 1),
            repeated / max(1, len(blocks)),
            *(float(pattern.search(path) is not None) for _, pattern in _URL_WORDS),
            float(shape.path.strip("/").count("/")),
            *(
                float(word in kind)
                for word in ("article", "product", "forum", "website", "question")
            ),
        ]


class _HeadingTrail:
    """Remembers, on the way down a page, the heading that a block stands under."""

    def __init__(self, title_words: frozenset[str]) -> None:
        self._title_words = title_words
        self._at = -_FAR
        self._level = 0
        self._is_aside = 0.0
        self._container: Container | None = None
        self._title_at: int | None = None

    def measure(self, number: int, block: Block) -> list[float]:
        if block.heading:
            self._at, self._level = number, block.heading
            self._is_aside = float(is_aside(block.text))
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
