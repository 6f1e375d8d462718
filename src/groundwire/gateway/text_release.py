"""Text as a client gets it: markers written into it, and nothing ever taken back.

A page can insert a marker into what it shows; a client only appends. So where the provider names
its sources after the words, the sentence that is being written is held back until it is over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.citations import folded_note
from groundwire.citations.sources import label
from groundwire.gateway.sent_text import SentText, begin_of_last
from groundwire.wire.outbound import SentCitation, Text

if TYPE_CHECKING:
    from groundwire.chat.events import MarkerShown, PassageFolded

# Most pieces of a text have none of these, and then there is nothing to look for.
_END = re.compile(r"[.!?…。！？\n]")
_IN_A_LINK = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"})


class MarkerStyle(StrEnum):
    """How a marker stands in the text."""

    LINKS = "links"  # [1](https://…)
    NUMBERS = "numbers"  # [1]
    NUMBERS_AND_LIST = "numbers+list"  # [1], and a list of sources at the end
    NONE = "none"  # not at all: the text has a form that a marker would break


class Hold(StrEnum):
    """What waits for its markers."""

    NOTHING = "nothing"  # the model writes them itself, where they belong
    SENTENCE = "sentence"  # the provider names a source after the words
    ALL = "all"  # the whole answer comes at once, and its sources after it


class TextRelease:
    """Takes what is shown and gives what can be sent.

    `cite` returns the source of a number with the words of it that are quoted at a place, None
    where nobody named any; without the place.
    """

    def __init__(
        self, style: MarkerStyle, cite: Callable[[int, str | None], SentCitation], *, hold: Hold
    ) -> None:
        self._style = style
        self._cite = cite
        self._hold = hold
        self._held = ""
        self._has_end = False  # Whether a sentence or a line may be over in what is held.
        self._base = 0  # How much of the shown text was sent.
        self._sent = SentText()
        self._markers: dict[int, MarkerShown] = {}
        self._folds: dict[int, PassageFolded] = {}
        self._used: dict[int, None] = {}  # Numbers that stand in the text.
        self._placed: set[tuple[int, int]] = set()
        self._late: dict[int, MarkerShown] = {}  # By their places, which were sent without them.
        self._named: dict[int, None] = {}

    @property
    def place(self) -> int:
        """Return where the text ends that was shown."""
        return self._base + len(self._held)

    def holds(self, text: str) -> bool:
        """Tell whether nothing could be sent if this text came next; then it may come later.

        No sentence ends in it, or one ends with it: only what follows shows that it is over.
        """
        if self._hold is not Hold.SENTENCE:
            return self._hold is Hold.ALL
        if self._has_end:
            return text.isspace()
        end = _END.search(text)
        self._has_end = end is not None
        return end is None or end.end() == len(text)

    def show(self, text: str) -> list[Text]:
        """Take the next text; return what of it, and of what waited, can be sent."""
        self._held += text
        if self._hold is Hold.ALL:
            return []
        if self._hold is Hold.NOTHING:
            # A marker at the very end may still get more numbers.
            return self._released(len(self._held))
        self._has_end = self._has_end or _END.search(text) is not None
        if not self._has_end:
            return []
        released = self._released(begin_of_last(self._held))
        self._has_end = _END.search(self._held) is not None
        return _with_words(released)

    def mark(self, marker: MarkerShown) -> None:
        """Take a marker, for a place that was shown."""
        known = self._markers if marker.position >= self._base else self._late
        known[marker.position] = marker

    def name(self, number: int) -> None:
        """Take a source of the whole answer, which may stand for no words of it."""
        self._named[number] = None

    def fold(self, passage: PassageFolded) -> None:
        """Take words that a policy is against; what was sent of them stays."""
        if passage.end > self._base:
            self._folds[passage.start] = passage

    def flush(self) -> list[Text]:
        """Return all that waits, because something else comes next."""
        rest = [*self._released(len(self._held)), *self._pending()]
        return rest if self._hold is Hold.NOTHING else _with_words(rest)

    def release_to(self, place: int) -> list[Text]:
        """Return what waits up to a place, with the marker that stands right there."""
        sent = self._released(place - self._base)
        if marker := self._markers.pop(place, None):
            sent += self._marker(marker)
        return _with_words(sent)

    def finish(self) -> list[Text]:
        """Return the rest, and what names the sources that came too late for their place."""
        return [*self.flush(), *self._cited_late(), *self._closing()]

    def _released(self, count: int) -> list[Text]:
        """Return the next so many characters with the markers that stand before or in them."""
        sent: list[Text] = []
        end = self._base + count
        for position in sorted(each for each in self._markers if each < end):
            sent += self._words(position)
            sent += self._marker(self._markers.pop(position))
        return [*sent, *self._words(end)]

    def _pending(self) -> list[Text]:
        """Return the marker at the very end."""
        return [text for each in [*self._markers] for text in self._marker(self._markers.pop(each))]

    def _words(self, end: int) -> list[Text]:
        count = end - self._base
        if count <= 0:
            return []
        text, self._held = self._held[:count], self._held[count:]
        if self._folds:
            text = self._unfolded(text, end)
        else:
            self._sent.add(text)
        self._base = end
        return [Text(text)] if text else []

    def _unfolded(self, text: str, end: int) -> str:
        """Return words without those that are folded, with a note in their place."""
        base, at, kept = self._base, self._base, []
        for start, fold in sorted(self._folds.items()):
            first, last = max(start, at), min(fold.end, end)
            if first < last:
                note = folded_note(fold.domains) if start >= base else ""
                kept.append(f"{text[at - base : first - base]}{note}")
                self._sent.add(kept[-1])
                self._sent.go_on(last)
                at = last
            if fold.end <= end:
                del self._folds[start]
        kept.append(text[at - base :])
        self._sent.add(kept[-1])
        return "".join(kept)

    def _marker(self, marker: MarkerShown) -> list[Text]:
        if self._style is MarkerStyle.NONE:
            self._used.update(dict.fromkeys(marker.numbers))
            cited = [one for number in marker.numbers for one in self._cited(marker, number)]
            return [Text("", tuple(cited))] if cited else []
        self._sent.add(marker.before)
        pieces, found = [marker.before], []
        for number in marker.numbers:
            cited = self._cited(marker, number)
            pieces.append(self._link(number, cited[0]))
            found += [replace(one, end=self._sent.length) for one in cited]
        pieces.append(label((), marker.struck, marker.unknown) + marker.after)
        self._sent.add(pieces[-1])
        self._sent.go_on(marker.position)
        return [Text("".join(pieces), tuple(found))]

    def _cited(self, marker: MarkerShown, number: int) -> list[SentCitation]:
        """Return a source at the end of what was sent, once for each passage that is quoted."""
        self._placed.add((marker.position, number))
        return [
            replace(
                self._cite(number, quote),
                start=self._sent.length,
                end=self._sent.length,
                key=(marker.position, number),
            )
            for quote in _quotes(marker, number)
        ]

    def _cited_late(self) -> list[Text]:
        """Return what was cited in words that were gone: it is about those before it."""
        found: list[SentCitation] = []
        for position, marker in sorted(self._late.items()):
            for number in marker.numbers:
                if (position, number) not in self._placed:
                    start, end = self._claimed(marker, number)
                    cited = self._cited(marker, number)
                    found += [replace(one, start=start, end=end) for one in cited]
        return [Text("", tuple(found))] if found else []

    def _claimed(self, marker: MarkerShown, number: int) -> tuple[int, int]:
        """Return where the words are that rest on a source, or the link that was written for it."""
        for each in marker.supports:
            if each.number == number:
                return self._sent.span(each.start, each.end)
        return self._sent.span_before(marker.position)

    def _link(self, number: int, source: SentCitation) -> str:
        """Return a marker, and count it as sent."""
        self._used[number] = None
        name = f"[{source.number}]"
        if self._style is MarkerStyle.LINKS:
            name = f"{name}({source.url.translate(_IN_A_LINK)})"
        self._sent.add(name)
        return name

    def _closing(self) -> list[Text]:
        """Return what names the sources that no marker names, and those that stand for no words."""
        late = dict.fromkeys(each for one in self._late.values() for each in one.numbers)
        # What stands for no words has nothing that could be compared.
        unplaced = [each for each in self._named if each not in late and each not in self._used]
        if self._style is MarkerStyle.NONE:
            end = self._sent.length
            found = [replace(self._cite(each, None), start=end, end=end) for each in unplaced]
            return [Text("", tuple(found))] if found else []
        missing = [each for each in {**late, **self._named} if each not in self._used]
        is_list = self._style is MarkerStyle.NUMBERS_AND_LIST
        listed = [*self._used, *missing] if is_list else missing
        if not listed:
            return []
        return [self._sources(listed, unplaced)]

    def _sources(self, listed: Sequence[int], unplaced: Collection[int]) -> Text:
        is_list = self._style is not MarkerStyle.LINKS
        text, cited = ["\n\nSources:"], []
        self._sent.add(text[-1])
        for number in listed:
            text.append("\n" if is_list else " ")
            self._sent.add(text[-1])
            start, source = self._sent.length, self._cite(number, None)
            text.append(self._link(number, source))
            if number in unplaced:
                cited.append(replace(source, start=start, end=self._sent.length))
            if is_list:
                text.append(f" {source.title} ({source.url})")
                self._sent.add(text[-1])
        return Text("".join(text), tuple(cited))


def _quotes(marker: MarkerShown, number: int) -> list[str | None]:
    """Return the passages of a source that are named at a place, None if there are none."""
    named = [each.quote for each in marker.supports if each.number == number]
    return [*dict.fromkeys(filter(None, named))] or ["" if named else None]


def _with_words(texts: Sequence[Text]) -> list[Text]:
    """Return each marker together with the words of its sentence that stand before it."""
    found: list[Text] = []
    for text in texts:
        before = found[-1] if found else None
        if not text.citations or before is None or before.citations:
            found.append(text)
            continue
        begin = begin_of_last(before.text)
        found[-1:] = [Text(before.text[:begin])] if begin else []
        found.append(Text(before.text[begin:] + text.text, text.citations))
    return found
