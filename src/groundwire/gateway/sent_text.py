"""What was sent of an answer, and where in it the places of the text that was shown are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from groundwire.text.sentences import sentences

# A link that the provider wrote for a source, with the brackets around it.
_LINK_BEFORE = re.compile(r"\(?\[[^\[\]]*\]\([^()\s]*\)\)?$")
_LINK_LENGTH = 4_000


class SentText:
    """Grows with what is sent. What was shown has fewer characters: markers are none of it."""

    def __init__(self) -> None:
        self.length = 0
        self._pieces: list[str] = []
        # From each of these places on, as it was shown and as it was sent, both go on alike.
        self._shown = [0]
        self._sent = [0]

    def add(self, text: str) -> None:
        """Take what is sent next."""
        self._pieces.append(text)
        self.length += len(text)

    def go_on(self, shown: int) -> None:
        """Note that what follows was shown from this place on."""
        self._shown.append(shown)
        self._sent.append(self.length)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where words are that were shown, without what was written before or behind."""
        first = self._place(start, bisect_right(self._shown, start))
        return first, max(first, self._place(end, bisect_left(self._shown, end)))

    def span_before(self, end: int) -> tuple[int, int]:
        """Return where the link is that ends at a place that was shown, or else its sentence."""
        last = self._place(end, bisect_left(self._shown, end))
        text = "".join(self._pieces)[:last]
        begin = max(0, last - _LINK_LENGTH)
        if link := _LINK_BEFORE.search(text, begin):
            return link.start(), last
        return begin_of_last(text), last

    def _place(self, shown: int, following: int) -> int:
        before = max(0, following - 1)
        place = self._sent[before] + shown - self._shown[before]
        return min([place, *self._sent[before + 1 : before + 2]])


def begin_of_last(text: str) -> int:
    """Return where the last sentence begins, or the last line that says something.

    A sentence that ends the text may still be cited: only what follows shows that it is over.
    """
    begin = text.rfind("\n", 0, len(text.rstrip())) + 1
    for sentence in sentences(text, begin, len(text)):
        begin = sentence.start
    return begin
