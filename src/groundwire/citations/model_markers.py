"""Markers that a model wrote itself: what they name, and whether there is such a source.

A model that was given search results cites them in its own words: `[3]`, `[1, 2]`,
`【3†source】`, or in the private-use characters that OpenAI's models learnt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from groundwire.citations.inline import Region
from groundwire.model import Citation

_LINES = re.compile(r"L\d+(?:-L?\d+)?")
_SEPARATORS = re.compile(r"[,;\s]+")


class KnownSources(IntEnum):
    """What is known of sources where a marker may stand; it decides what may be changed."""

    NONE = 0  # No source is known: text stays as it came.
    EXPECTED = 1  # Somebody searches: what nobody can read goes, all else stays.
    KNOWN = 2  # There are sources with numbers: a number without one is shown as unknown.


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a model's marker leads to, and the ids that lead nowhere."""

    citations: tuple[Citation, ...]
    unknown: tuple[str, ...]


def ids_in(marker: str) -> tuple[str, ...]:
    """Return the ids that a marker names, each once, as they were written."""
    if marker.startswith("["):
        found = [str(int(number)) for number in _SEPARATORS.split(marker[1:-1].strip())]
    elif marker.startswith("【"):
        found = [marker[1:-1].partition("†")[0]]
    else:
        # The field before the first separator names the kind of marker, `cite` for one.
        fields = marker.strip("\ue200\ue201").split("\ue202")[1:]
        found = [field for field in fields if field and not _LINES.fullmatch(field)]
    return tuple(dict.fromkeys(found))


def reads_as_marker(
    region: Region, known: Mapping[str, Citation] | None, known_sources: KnownSources
) -> bool:
    """Tell whether a model's brackets are a citation, not ordinary text such as `a[0][1]`.

    Right behind a word they are one only if the first of them names a known source.
    """
    if region.words[0] in "\ue200\ue202":
        # Nobody can read these characters; they are ordinary text only where nobody searches.
        return known_sources >= KnownSources.EXPECTED
    if known is None or known_sources < KnownSources.KNOWN:
        return False
    if not region.head:
        return True
    names_source = any(id_ in known for id_ in ids_in(region.head))
    return names_source and "0" not in (*ids_in(region.head), *ids_in(region.words))


def check(marker: str, known: Mapping[str, Citation]) -> Checked:
    """Look up what one marker names; a marker that names nothing is unknown as a whole."""
    ids = ids_in(marker)
    return Checked(
        citations=tuple(known[id_] for id_ in ids if id_ in known),
        unknown=tuple(id_ for id_ in ids if id_ not in known) if ids else ("",),
    )
