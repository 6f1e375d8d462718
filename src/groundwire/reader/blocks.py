"""A page as a list of blocks: runs of text that stand on their own, each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True, eq=False)
class Container:
    """An element that holds blocks, and what all blocks below it add up to.

    `groups` are the bits of `names.groups_of`, `all_groups` those of the elements above as well.
    `roles` are the bits of `ROLES`, of this element and of those above. `name` is the class as it
    is written. `prose` counts the characters of long blocks that are not mostly links.
    """

    tag: str
    parent: Container | None
    depth: int
    groups: int
    all_groups: int
    roles: int
    name: str = ""
    characters: int = 0
    linked: int = 0
    blocks: int = 0
    prose: int = 0
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a block's text where something begins or ends.

    `kind` is link, strong, emphasis, code or break; `value` is a link's address.
    """

    kind: str
    is_end: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One list item, quotation or table cell that a block stands in.

    `kind` is ul, ol, quote, cell or term; `group` tells neighbours apart (which list, which
    table), `row` and `column` say which item or cell; a list item has only a row.
    """

    kind: str
    group: int
    row: int = 0
    column: int = 0


Run: TypeAlias = str | Mark


@dataclass(slots=True, eq=False)
class Block:
    """One run of text: a paragraph, a heading, the text of a list item or cell, a code block.

    `heading` is 1 to 6, or 0; `language` is that of a code block, None for anything else.
    `characters` and `words` say how long the text would be in a Latin script, and `linked` how much
    of that is inside links.
    """

    container: Container
    runs: list[Run]
    levels: tuple[Level, ...]
    text: str
    characters: int
    words: int
    linked: int = 0
    links: int = 0
    heading: int = 0
    language: str | None = None
    tag: str = "div"


@dataclass(slots=True, eq=False)
class Outline:
    """The blocks of a page in order, and what its head says.

    `containers` has every container after the one that holds it. `is_cut` means that elements were
    left out, with `is_too_deep` because of how deep they are nested.
    """

    blocks: list[Block] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)
    title: str = ""
    scripts: int = 0
    is_cut: bool = False
    is_too_deep: bool = False
    facts: dict[str, str] = field(default_factory=dict)


ROLES = [
    "main",
    "article",
    "nav",
    "header",
    "footer",
    "aside",
    "form",
    "table",
    "list",
    "figure",
    "quote",
    "button",
    "label",
    "details",
    "section",
    "dialog",
]
ROLE_BIT = {role: 1 << bit for bit, role in enumerate(ROLES)}
