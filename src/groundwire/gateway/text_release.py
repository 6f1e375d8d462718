"""Text as a client gets it: markers written into it, and nothing ever taken back.

A page can insert a marker into what it shows; a client only appends. So where the provider names
its sources after the words, the sentence that is being written is held back until it is over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.citations import folded_note
from groundwire.citations.sources import label
from groundwire.text.sentences import sentences
from groundwire.wire.outbound import SentCitation, Text

if TYPE_CHECKING:
    from groundwire.chat.events import MarkerShown, PassageFolded

# Most pieces of a text have none of these, and then there is nothing to look for.
_END = re.compile(r"[.!?…。！？\n]")
_IN_A_LINK = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"})

NOWHERE = -1
"""The place of a source that is named for no words: nothing can be compared with it."""


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

    `cite` returns the source of a number, without its place.
    """

    def __init__(
        self, style: MarkerStyle, cite: Callable[[int], SentCitation], *, hold: Hold
    ) -> None:
        self._style = style
        self._cite = cite
        self._hold = hold
        self._held = ""
        self._has_end = False  # Whether a sentence or a line may be over in what is held.
        self._base = 0  # How much of the shown text was sent.
        self._sent = 0  # How many characters were sent, markers and all.
        self._markers: dict[int, MarkerShown] = {}
        self._folds: dict[int, PassageFolded] = {}
        self._used: dict[int, None] = {}
        self._late: dict[int, int] = {}  # Where each stands that came too late.

    @property
    def place(self) -> int:
        """Return where the text ends that was shown."""
        return self._base + len(self._held)

    def holds(self, text: str) -> bool:
        """Tell whether nothing could be sent if this text came next: no sentence ends in it."""
        if self._hold is Hold.SENTENCE:
            return not self._has_end and _END.search(text) is None
        return self._hold is Hold.ALL

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
        released = self._released(_last_sentence(self._held))
        self._has_end = _END.search(self._held) is not None
        return _with_words(released)

    def mark(self, marker: MarkerShown) -> None:
        """Take a marker, for a place that was shown."""
        if marker.position >= self._base:
            self._markers[marker.position] = marker
        else:
            for number in marker.numbers:
                self._late.setdefault(number, marker.position)

    def name(self, number: int) -> None:
        """Take a source of the whole answer, which may stand for no words of it."""
        self._late.setdefault(number, NOWHERE)

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
        return [*self.flush(), *self._closing()]

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
        text = self._unfolded(text, end)
        self._base = end
        self._sent += len(text)
        return [Text(text)] if text else []

    def _unfolded(self, text: str, end: int) -> str:
        """Return words without those that are folded, with a note in their place."""
        for start, fold in sorted(self._folds.items(), reverse=True):
            first, last = max(start, self._base) - self._base, min(fold.end, end) - self._base
            if first < last:
                note = folded_note(fold.domains) if start >= self._base else ""
                text = f"{text[:first]}{note}{text[last:]}"
            if fold.end <= end:
                del self._folds[start]
        return text

    def _marker(self, marker: MarkerShown) -> list[Text]:
        if self._style is MarkerStyle.NONE:
            self._used.update(dict.fromkeys(marker.numbers))
            found = [self._unwritten(number, marker.position) for number in marker.numbers]
            return [Text("", tuple(found))] if found else []
        self._sent += len(marker.before)
        text, cited = self._links(marker.numbers, marker.position)
        rest = label((), marker.struck, marker.unknown) + marker.after
        self._sent += len(rest)
        return [Text(f"{marker.before}{text}{rest}", cited)]

    def _links(self, numbers: Sequence[int], position: int) -> tuple[str, tuple[SentCitation, ...]]:
        """Return the markers of one place one after the other, and count them as sent."""
        pieces, cited = [], []
        for number in numbers:
            self._used[number] = None
            self._late.pop(number, None)
            source = self._cite(number)
            written = self._written(source)
            cited.append(self._placed(source, written, (position, number)))
            pieces.append(written)
            self._sent += len(written)
        return "".join(pieces), tuple(cited)

    def _written(self, source: SentCitation) -> str:
        name = f"[{source.number}]"
        if self._style is not MarkerStyle.LINKS:
            return name
        return f"{name}({source.url.translate(_IN_A_LINK)})"

    def _placed(self, source: SentCitation, written: str, key: tuple[int, int]) -> SentCitation:
        end = self._sent + len(written)
        known = None if key[0] == NOWHERE else key
        return replace(source, start=self._sent, end=end, key=known)

    def _unwritten(self, number: int, position: int) -> SentCitation:
        return self._placed(self._cite(number), "", (position, number))

    def _closing(self) -> list[Text]:
        late = {each: place for each, place in self._late.items() if each not in self._used}
        if self._style is MarkerStyle.NONE:
            cited = tuple(self._unwritten(number, place) for number, place in late.items())
            return [Text("", cited)] if cited else []
        listed = [*self._used, *late] if self._style is MarkerStyle.NUMBERS_AND_LIST else late
        if not listed:
            return []
        is_list = self._style is not MarkerStyle.LINKS
        sent = [self._plain("\n\nSources:")]
        for number in listed:
            sent.append(self._plain("\n" if is_list else " "))
            is_new = number in late
            text, cited = self._links([number], late.get(number, 0))
            sent.append(Text(text, cited if is_new else ()))
            if is_list:
                source = self._cite(number)
                sent.append(self._plain(f" {source.title} ({source.url})"))
        return [_joined(sent)]

    def _plain(self, text: str) -> Text:
        self._sent += len(text)
        return Text(text)


def _last_sentence(text: str) -> int:
    """Return where the last sentence begins, or the last line that says something.

    A sentence that ends the text may still be cited: only what follows shows that it is over.
    """
    begin = text.rfind("\n", 0, len(text.rstrip())) + 1
    for sentence in sentences(text, begin, len(text)):
        begin = sentence.start
    return begin


def _with_words(texts: Sequence[Text]) -> list[Text]:
    """Return each marker together with the words of its sentence that stand before it."""
    found: list[Text] = []
    for text in texts:
        before = found[-1] if found else None
        if not text.citations or before is None or before.citations:
            found.append(text)
            continue
        begin = _last_sentence(before.text)
        found[-1:] = [Text(before.text[:begin])] if begin else []
        found.append(Text(before.text[begin:] + text.text, text.citations))
    return found


def _joined(texts: Sequence[Text]) -> Text:
    cited = tuple(one for text in texts for one in text.citations)
    return Text("".join(text.text for text in texts), cited)
