"""What a paragraph holds that a marker must not cut: code, links, URLs, tags, other markers.

The scan goes once from left to right and stops where more text could decide otherwise. A stream
goes on from there; `closed` says that the paragraph is over.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from operator import attrgetter

import regex

from groundwire.text.unspaced import DENSE, LETTERS

# How long code or the words of a link may be. Beyond it an opening bracket or backtick is
# plain text; without a limit a stream could not settle anything after a stray one.
MAX_OPEN = 1000


class RegionKind(Enum):
    """What a region is."""

    BLOCK = "code block"
    CODE = "inline code"
    LINK = "link"
    URL = "bare URL"
    OTHER = "image, reference or tag"
    OWN = "a marker that the model wrote"
    STRAY = "a private-use character without meaning"


@dataclass(slots=True)
class Region:
    """A stretch of text from `start` to `end` that no marker may cut.

    `outer_start` and `outer_end` add a link's parentheses and the punctuation after a URL. `head`
    is the first bracket of a run that directly follows a word, as in `a[0][1]`: it may be an index.
    """

    kind: RegionKind
    start: int
    end: int
    words: str = ""
    url: str = ""
    head: str = ""
    outer_start: int = -1
    outer_end: int = -1
    is_open_ended: bool = False

    def __post_init__(self) -> None:
        self.outer_start = self.start if self.outer_start < 0 else self.outer_start
        self.outer_end = self.end if self.outer_end < 0 else self.outer_end

    def shift(self, by: int) -> None:
        """Count from another character on."""
        self.start += by
        self.end += by
        self.outer_start += by
        self.outer_end += by


_TOKEN = regex.compile(
    r"\\[!-/:-@\[-`{-~]?|`{1,64}|!?\[|\]|<|(?<![\w/])(?:https?://|www\.)|【|[\ue200-\ue206]",
    regex.IGNORECASE,
)
# The start of a token, or the parenthesis before a link, as the last thing that has arrived.
_UNFINISHED = regex.compile(
    r"(?:(?<![\w/])(?:https?:/?|https|http|htt|ht|h|www|ww|w)|!|\()$", regex.IGNORECASE
)
# Words in which no token begins or goes on; only their end may be the start of one.
_PROSE = re.compile(r"(?:[^\\`\[\]<【\ue200-\ue206/.\n\r]|(?<![wW])\.)+")
_LAST_OF_UNFINISHED = frozenset("hHtTpPsSſ:wW!(")
_ANGLE = regex.compile(r"<[A-Za-z/!?][^<>\n]{0,2048}>")
_URL = regex.compile(
    r"(?:https?://|www\.)[^\s<>\"`\[\]「」『』【】（）《》，。、；：！？\ue200-\ue206]{1,4096}+",
    regex.IGNORECASE,
)
_TARGET = regex.compile(
    r"\([ \t]*+\n?[ \t]*+"
    r"(?:<(?P<angle>[^<>\n]{0,2048})>"
    r"|(?P<plain>(?:[^\s()<\\]|\\.|\((?:[^\s()\\]|\\.){0,2048}+\)){0,2048}+))"
    r"(?:\s++(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s*+\)"
)
_REFERENCE = regex.compile(r"\[[^\[\]\n]{0,200}\]")
# Three digits: a year in brackets is no citation.
_OWN = regex.compile(r"\[ ?\d{1,3}(?: ?[,;] ?\d{1,3}){0,30} ?\]")
# What an index may follow: a name, or what ends an expression. Scripts without spaces between
# words have no such names, and a marker stands right behind a word there.
_INDEXED = regex.compile(rf"[^\W{DENSE}{LETTERS}]|[)\]}}]")
_OWN_CORNER = regex.compile(r"【(?:\d+(?::\d+)?|turn\d+[a-z]+\d+)(?:†[^【】\n]{0,100})?】")
_OWN_PRIVATE = regex.compile(r"\ue200[^\ue200\ue201\n]{0,400}\ue201|\ue202turn\d+[a-z]+\d+")


@lru_cache(maxsize=64)
def _closing(ticks: int) -> regex.Pattern[str]:
    return regex.compile(f"(?<!`)`{{{ticks}}}(?!`)")


class InlineScan:
    """The scan of one paragraph, which may still grow; all indices are those of the buffer.

    Handlers return the index to go on from, or None where more text could decide otherwise.
    What they decided stays decided, so the scan goes on where it stopped.
    """

    def __init__(self, start: int) -> None:
        self._text = ""
        self._start = start  # All before is settled.
        self._at = start  # The first token that is not decided.
        self._end = start
        self._closed = False
        self._openers: list[int] = []
        self._regions: list[Region] = []
        self._run_end = -1  # Where the last bracket of the model's own ends, and its head.
        self._run_head = ""
        self._item_end = -1  # Where the last link or URL ends: what follows it is no index.
        self._handlers: dict[str, Callable[[int, int], int | None]] = {
            "\\": self._escape,
            "`": self._code,
            "!": self._bracket,
            "[": self._bracket,
            "]": self._close_bracket,
            "<": self._angle,
            "【": self._corner,
        }

    def run(self, text: str, end: int, *, closed: bool) -> tuple[int, list[Region]]:
        """Scan on; return the index before which all is settled, and the regions up to there."""
        self._text, self._end, self._closed = text, end, closed
        self._start = self._settled(self._scan())
        count = bisect_right(self._regions, self._start, key=attrgetter("outer_end"))
        regions, self._regions = self._regions[:count], self._regions[count:]
        return self._start, regions

    def pass_over(self, text: str, piece: str) -> bool:
        """Go on to the end without a scan if settled text only grew by plain words; tell whether.

        Nearly every piece of an answer is such.
        """
        end = len(text)
        if _PROSE.fullmatch(piece) is None:
            return False
        if piece[-1] in _LAST_OF_UNFINISHED and _UNFINISHED.search(text, max(self._at, end - 8)):
            return False
        self._start = self._at = end
        return True

    def shift(self, cut: int) -> None:
        """Follow the buffer, from which so many characters were cut."""
        self._start -= cut
        self._at -= cut
        self._run_end -= cut
        self._item_end -= cut
        self._openers = [opener - cut for opener in self._openers]
        for region in self._regions:
            region.shift(-cut)

    def _scan(self) -> int:
        """Decide all tokens that can be decided; return where the first other one starts."""
        while token := _TOKEN.search(self._text, self._at, self._end):
            first = token.start()
            handler = self._handlers.get(self._text[first], self._url_or_private)
            after = handler(first, token.end())
            if after is None:
                self._at = first
                return first
            self._at = after
        tail = None
        if not self._closed:
            tail = _UNFINISHED.search(self._text, max(self._at, self._end - 8), self._end)
        self._at = max(self._at, tail.start() if tail else self._end)
        return self._at

    def _settled(self, limit: int) -> int:
        """Return how much before `limit` is final, given the brackets that are open."""
        if self._closed:
            return limit
        del self._openers[: bisect_left(self._openers, limit - MAX_OPEN)]
        if self._openers:
            return min(limit, self._with_parenthesis(self._openers[0]))
        return self._with_parenthesis(limit)

    def _with_parenthesis(self, index: int) -> int:
        """Return where a link at `index` begins, counting a parenthesis that is not a URL's."""
        if index <= self._start or self._text[index - 1] != "(":
            return index
        if index > 1 and self._text[index - 2] == "\\":
            return index
        earlier = (each.outer_end for each in reversed(self._regions) if each.start < index)
        return index if next(earlier, 0) >= index else index - 1

    def _touches_end(self, index: int) -> bool:
        return index >= self._end and not self._closed

    def _match(self, pattern: regex.Pattern[str], at: int) -> tuple[regex.Match[str] | None, bool]:
        """Return a match, and whether the text ended before one could be ruled out."""
        match = pattern.match(self._text, at, self._end, partial=not self._closed)
        if match is not None and match.partial:
            return None, True
        return match, False

    def _escape(self, first: int, after: int) -> int | None:
        is_cut = after - first == 1 and self._touches_end(after)
        return None if is_cut else after

    def _code(self, first: int, after: int) -> int | None:
        if self._touches_end(after):
            return None
        found = _closing(after - first).search(self._text, after, min(self._end, after + MAX_OPEN))
        if found is None:
            is_hopeless = self._closed or self._end - after > MAX_OPEN
            return after if is_hopeless else None
        if self._touches_end(found.end()):
            return None
        self._regions.append(Region(RegionKind.CODE, first, found.end()))
        return found.end()

    def _angle(self, first: int, after: int) -> int | None:
        match, is_cut = self._match(_ANGLE, first)
        if match is None:
            return None if is_cut else after
        self._regions.append(Region(RegionKind.OTHER, first, match.end()))
        return match.end()

    def _corner(self, first: int, after: int) -> int | None:
        match, is_cut = self._match(_OWN_CORNER, first)
        if match is None:
            return None if is_cut else after
        self._add_own(first, match.end())
        return match.end()

    def _url_or_private(self, first: int, after: int) -> int | None:
        if self._text[first] in "hHwW":
            return self._url(first, after)
        match, is_cut = self._match(_OWN_PRIVATE, first)
        if is_cut:
            return None
        if match is None:
            self._regions.append(Region(RegionKind.STRAY, first, after))
            return after
        if self._text[first] == "\ue202" and self._touches_end(match.end()):
            return None
        self._add_own(first, match.end())
        return match.end()

    def _url(self, first: int, after: int) -> int | None:
        match = _URL.match(self._text, first, self._end)
        if match is None:
            return None if self._touches_end(after) else after
        end = match.end()
        if self._touches_end(end):
            return None
        core = match.group().rstrip(".,;:!?'*_~")
        while core.endswith(")") and core.count("(") < core.count(")"):
            core = core[:-1].rstrip(".,;:!?'*_~")
        self._regions.append(
            Region(RegionKind.URL, first, first + len(core), url=core, outer_end=end)
        )
        self._item_end = end
        return end

    def _bracket(self, first: int, after: int) -> int | None:
        opening = after - 1
        match, is_cut = self._match(_OWN, opening)
        if is_cut:
            return None
        if match is None:
            self._openers.append(first)
            return after
        if self._touches_end(match.end()):
            return None
        following = self._text[match.end() : min(match.end() + 1, self._end)]
        if following == "(":
            return self._numbered_link(first, opening, match.end())
        is_definition = following == ":" and self._text[opening - 1 : opening] in ("", "\n")
        if not is_definition:
            self._add_bracket(opening, match.end())
        return match.end()

    def _numbered_link(self, first: int, opening: int, after: int) -> int | None:
        target, is_cut = self._match(_TARGET, after)
        if is_cut or (target is not None and self._touches_end(target.end())):
            return None
        if target is None:
            self._add_bracket(opening, after)
            return after
        self._add_link(first, after - 1, target)
        return target.end()

    def _close_bracket(self, first: int, after: int) -> int | None:
        while self._openers and first - self._openers[-1] > MAX_OPEN:
            self._openers.pop()
        if not self._openers:
            return after
        if self._touches_end(after):
            return None
        following = self._text[after : min(after + 1, self._end)]
        if following == "(":
            pattern = _TARGET
        elif following == "[":
            pattern = _REFERENCE
        else:
            self._openers.pop()
            return after
        target, is_cut = self._match(pattern, after)
        if is_cut or (target is not None and self._touches_end(target.end())):
            return None
        opener = self._openers.pop()
        if target is None or (pattern is _REFERENCE and _OWN.fullmatch(target.group())):
            return after
        self._add_link(opener, first, target)
        return target.end()

    def _add_own(self, start: int, end: int, head: str = "") -> None:
        self._regions.append(
            Region(RegionKind.OWN, start, end, words=self._text[start:end], head=head)
        )

    def _add_bracket(self, start: int, end: int) -> None:
        """Add a number in brackets; what follows a word, or another such, may be an index."""
        if start != self._run_end:
            follows = self._text[start - 1 : start] if start != self._item_end else ""
            self._run_head = self._text[start:end] if _INDEXED.match(follows) else ""
        self._run_end = end
        self._add_own(start, end, self._run_head)

    def _add_link(self, start: int, closing: int, target: regex.Match[str]) -> None:
        while self._regions and self._regions[-1].start >= start:
            self._regions.pop()
        end = self._item_end = target.end()
        if self._text[start] == "!" or "plain" not in target.re.groupindex:
            self._regions.append(Region(RegionKind.OTHER, start, end))
            return
        has_opening = self._with_parenthesis(start) < start
        is_wrapped = has_opening and self._text[end : min(end + 1, self._end)] == ")"
        self._regions.append(
            Region(
                RegionKind.LINK,
                start,
                end,
                words=self._text[start + 1 : closing],
                url=target["angle"] or target["plain"] or "",
                outer_start=start - is_wrapped,
                outer_end=end + is_wrapped,
            )
        )
