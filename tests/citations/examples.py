"""Texts, citations and screens for the tests of citing."""

from collections.abc import Iterable, Sequence
from random import Random

from hypothesis import strategies as st

from groundwire.citations import MarkerShown, Piece, TextShown
from groundwire.model import Citation, Evidence

URLS = [
    "https://x.com/a",
    "https://x.com/a?utm_source=openai#top",
    "https://y.com/b",
    "http://z.com/",
    "https://z.com",
]

KNOWN = {
    "1": Citation(url="https://k.com"),
    "3": Citation(url="https://z.com"),
    "turn0search1": Citation(url="https://t.com"),
}

# What makes Markdown, graphemes and a model's own markers difficult, cut as a stream cuts it.
FRAGMENTS = [
    *"a(é)[]<>`!:\\\t.。'\"",
    "word ",
    "e\u0301",
    "👨‍👩‍👧",
    "🇩🇪",
    "\u0600",
    "\ud83d\ude00",
    "क्ष",
    "``",
    "```",
    "```py\n",
    "\n```\n",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    "    ",
    "- ",
    "1. ",
    "> ",
    "# ",
    "[1]",
    "[2, 3]",
    "[12]:",
    "([x.com](https://x.com/a))",
    "[w s](https://y.com/b)",
    "![i](http://i.png)",
    "[r][ref]",
    "https://u.com/p",
    "www.q.de",
    "http",
    "<b>",
    "【3†s】",
    "【",
    "\ue200cite\ue202turn0search1\ue201",
    "\ue200",
    "\ue202",
    "\ue202turn0news2",
    "\ue203",
]

texts = st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join), st.text())
offsets = st.one_of(st.none(), st.integers(min_value=-2, max_value=80))
citations = st.lists(
    st.builds(Citation, url=st.sampled_from(URLS), start=offsets, end=offsets), max_size=8
)
known = st.sampled_from([None, {}, KNOWN])
# Anything may be removed, also the same page once removed and once allowed.
evidence = st.sampled_from([*Evidence])
mixed_citations = st.lists(
    st.builds(Citation, url=st.sampled_from(URLS), start=offsets, end=offsets, evidence=evidence),
    max_size=8,
)
ids = st.sampled_from(["1", "2", "3", "12", "turn0search1", "turn0news2"])
known_of_any_evidence = st.dictionaries(
    ids, st.builds(Citation, url=st.sampled_from([*URLS, "https://k.com"]), evidence=evidence)
)


def citation_of(id_: str, how: Evidence) -> Citation:
    """Return what an id stands for: always the same page."""
    return Citation(url=[*URLS, "https://k.com"][len(id_) % 6], evidence=how)


lessons = st.lists(
    st.dictionaries(ids, evidence).map(
        lambda learnt: {id_: citation_of(id_, how) for id_, how in learnt.items()}
    ),
    max_size=5,
)


def pieces_of(text: str, seed: int) -> list[str]:
    """Cut a text at random places; an even seed makes it one character at a time."""
    random = Random(seed)
    count = random.randint(0, 12)
    cuts = sorted(random.randint(0, len(text)) for _ in range(count))
    cuts = cuts if seed % 2 else list(range(len(text)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def shown_text(pieces: Iterable[Piece]) -> str:
    """Return what a screen shows that ignores markers."""
    return "".join(piece.text for piece in pieces if isinstance(piece, TextShown))


def screen(pieces: Sequence[Piece]) -> str:
    """Return what a page shows that inserts each marker where it belongs."""
    last = {piece.position: piece for piece in pieces if isinstance(piece, MarkerShown)}
    text = shown_text(pieces)
    for position in sorted(last, reverse=True):
        marker = last[position]
        inserted = f"{marker.before}{marker.label}{marker.after}"
        text = text[:position] + inserted + text[position:]
    return text


def removed(url: str, start: int | None = None, end: int | None = None) -> Citation:
    """Return a citation that a domain policy has taken out."""
    return Citation(url=url, start=start, end=end, evidence=Evidence.REMOVED)
