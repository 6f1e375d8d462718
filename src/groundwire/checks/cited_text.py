"""Any text that cites, by anyone: its claims, and the pages that it names for them.

Links, footnotes, reference links, `[n]` with a list of sources, raised numbers and bare addresses,
as people and other products write them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import count, pairwise
from typing import TYPE_CHECKING

from groundwire.checks.claims import Claim, claim_at, sentence_end, without_code
from groundwire.checks.plain_text import ADDRESS, plain
from groundwire.checks.source_lists import URL, number_of, source_lists, trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.checks.source_lists import SourceLists

MAX_CHARACTERS = 2_000_000
MAX_MARKS = 3_000
"""So many citations of a text are read; of one with more, `is_cut` says so."""

_MIN_OTHER_WORDS = 3
_WORDS_OF_LINK = r"((?:[^\[\]\\\n]|\\[^\n]|\[[^\[\]\n]{0,60}\]){0,300})"
_RAISED = "\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
_SIGN = re.compile(
    rf"!\[[^\[\]\n]{{0,300}}\]\({ADDRESS}\)"
    rf"|(?P<open>\()?(?<!\\)\[(?P<words>{_WORDS_OF_LINK[1:-1]})\]\(<?(?P<address>{ADDRESS})>?\)(?P<close>\))?"
    r"|\[\^(?P<footnote>[^\]\s]{1,80}?)\^?\](?:\[\d{1,3}\])?"
    r"|\[\\?\[?(?P<numbers>\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3}){0,20})\\?\]?\](?!\()"
    rf"|(?<!\\)\[(?P<named>{_WORDS_OF_LINK[1:-1]})\]\[(?P<name>[^\[\]\n]{{0,200}})\]"
    r"|\u3010(?P<dagger>\d{1,3})[^\u3010\u3011\n]{0,80}\u3011"
    rf"|(?:(?<=[.!?,;:)\]\u201d\"\u2019'])|(?<=[^\W\d_]{{4}}))(?P<raised>[{_RAISED}]{{1,3}})"
    rf"|<?(?P<url>{URL})>?"
)
# Raised numbers that lost their height on the way: `in the sea.12`
_GLUED = re.compile(r"(?:(?<=[^\W\d][.!?])|(?<=[\u201d\"%)][.!?])|(?<=\d{4}[.!?]))\d{1,3}(?=\s|$)")
_INLINE_CODE = re.compile(r"`[^`\n]{1,500}`")
_COMMENT = re.compile(r"<!--[\s\S]{0,20000}?-->")
_FRONT_MATTER = re.compile(r"\A---\n[\s\S]{0,20000}?\n---\n")
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,6}[a-zA-Z]{2,24}")
_ONLY_A_MARK = re.compile(r"(?i)(?:[\d\W_]{0,8}|\W{0,2}(?:source|link|here|ref|via|quelle)\W{0,2})")
_LEAD = re.compile(r"(?i)\W{0,6}(?:sources?|see(?: also)?|via|from|link|refs?|references?|"
                   r"read more|more|cf|quellen?)\W{0,4}")  # fmt: skip
_GAP = re.compile(r"[ \t]{0,2}(?:[,;|\u00b7]|and|&)?[ \t]{0,2}")
_WORD = re.compile(r"[^\W_]{1,100}")
_NOT_A_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim:
    """A claim of a text, and a page that it names for it; `url` is "" where it names none.

    `position` is the marker's in the text without markers, `line` in the text as it was given.
    `quote` is the passage that a provider says it took, "" if it says none.
    """

    number: int
    position: int
    line: int
    claim: Claim
    url: str
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """A text without its markers, and its claims; `mentions` are links that carry no claim."""

    text: str
    citations: tuple[CitedClaim, ...] = ()
    mentions: int = 0
    is_cut: bool = False


@dataclass(slots=True, kw_only=True)
class _Mark:
    """A sign that leads to sources: where it stands, its words if it is a link with words."""

    start: int
    end: int
    urls: tuple[str, ...]
    words: str = ""
    number: int = 0
    position: int = 0


def parse_cited(text: str) -> CitedText:
    """Return the claims of a Markdown text, each with the pages that it names."""
    text = text[:MAX_CHARACTERS].replace("\r\n", "\n").replace("\r", "\n")
    readable = _blanked(text)
    lists = source_lists(readable)
    body = _without(readable, lists.places)
    marks = [*_marks(body, lists)]
    if lists.numbered and not any(mark.number for mark in marks):
        glued = [*_glued(body, lists)]
        marks = sorted((*marks, *glued), key=lambda mark: mark.start)
    is_cut = len(marks) > MAX_MARKS or len(text) == MAX_CHARACTERS
    marks = marks[:MAX_MARKS]
    _join(body, marks)
    # What is blank in the body stays blank: a claim is not made of code or of a list of sources.
    shown = _shown(body, marks)
    return replace(_claims(text, shown, marks), is_cut=is_cut)


def _blanked(text: str) -> str:
    """Return a text of the same length without code, comments and front matter."""
    for pattern in (_FRONT_MATTER, _COMMENT):
        text = pattern.sub(_blank, text)
    return without_code(text)


def _blank(match: re.Match[str]) -> str:
    return _NOT_A_BREAK.sub(" ", match[0])


def _without(text: str, places: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in places:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*pieces, text[at:]))


def _marks(body: str, lists: SourceLists) -> Iterator[_Mark]:
    code = [match.span() for match in _INLINE_CODE.finditer(body)]
    starts = [start for start, _ in code]
    for match in _SIGN.finditer(body):
        inside = bisect_left(starts, match.start()) - 1
        if inside >= 0 and match.start() < code[inside][1]:
            continue
        mark = _mark(match, lists)
        if mark is not None:
            yield mark


def _mark(match: re.Match[str], lists: SourceLists) -> _Mark | None:
    """Return what a sign leads to, None if it is no citation."""
    match match.lastgroup:
        case "address" | "close":
            return _link(match, lists)
        case "footnote":
            return _footnote(match, lists)
        case "name":
            return _named(match, lists)
        case "url":
            return _Mark(start=match.start(), end=_url_end(match), urls=(trimmed(match["url"]),))
        case "numbers" | "dagger":
            return _numbered(match, match["numbers"] or match["dagger"], lists)
    # A raised number without an entry is a power or a unit.
    number = number_of(match["raised"]) if match["raised"] else 0
    is_listed = lists.urls_of(number, match.start()) is not None
    return _numbered(match, str(number), lists) if is_listed else None


def _footnote(match: re.Match[str], lists: SourceLists) -> _Mark | None:
    name = match["footnote"]
    urls = lists.footnotes.get(name)
    if urls is None:
        return _numbered(match, name, lists) if name.isdigit() else None
    return _Mark(start=match.start(), end=match.end(), urls=urls or ("",))


def _url_end(match: re.Match[str]) -> int:
    if match[0].startswith("<"):
        return match.end()
    return match.start("url") + len(trimmed(match["url"]))


def _link(match: re.Match[str], lists: SourceLists) -> _Mark | None:
    address, words = match["address"].split(" ")[0].strip("<>"), match["words"]
    start, end = match.start(), match.end()
    if not address.lower().startswith(("http://", "https://")):
        digits = words.strip("[]\\^ ")
        is_reference = address.startswith("#") and digits.isdigit() and len(digits) < 4
        return _numbered(match, digits, lists) if is_reference else None
    is_wrapped = bool(match["open"]) and bool(match["close"])
    if match["open"] and not is_wrapped:
        start += 1
    if match["close"] and not is_wrapped:
        end -= 1
    name = plain(words).lower().removeprefix("www.")
    is_name = bool(_HOST.fullmatch(name)) and name in address.lower()
    is_sign = is_wrapped or is_name or _ONLY_A_MARK.fullmatch(words) is not None
    digits = words.strip("[]\\^ ")
    number = int(digits) if digits.isdigit() and len(digits) < 4 else 0
    return _Mark(start=start, end=end, urls=(trimmed(address),), number=number,
                 words="" if is_sign else words)  # fmt: skip


def _named(match: re.Match[str], lists: SourceLists) -> _Mark | None:
    words = match["named"]
    url = lists.defined.get((match["name"] or words).strip().casefold())
    if url is None:
        return None
    start, end = match.span()
    is_sign = _ONLY_A_MARK.fullmatch(words) is not None or match["name"].isdigit()
    return _Mark(start=start, end=end, urls=(url,), words="" if is_sign else words)


def _numbered(match: re.Match[str], numbers: str, lists: SourceLists) -> _Mark | None:
    """Return what `[1, 2]` or `[3-5]` lead to; without any list it is an ordinary bracket."""
    if not lists.numbered:
        return None
    wanted = [number for part in re.split(r"[,;]", numbers) for number in _range(part)]
    place = match.start()
    urls = [url for number in wanted for url in lists.urls_of(number, place) or ("",)]
    return _Mark(
        start=match.start(),
        end=match.end(),
        urls=tuple(dict.fromkeys(urls)),
        number=wanted[0] if len(wanted) == 1 else -1,
    )


def _range(part: str) -> range:
    first, _, last = part.replace("\u2013", "-").partition("-")
    low, high = int(first), int(last or first)
    return range(low, high + 1) if low <= high <= low + 20 else range(low, low + 1)


def _glued(body: str, lists: SourceLists) -> Iterator[_Mark]:
    for match in _GLUED.finditer(body):
        number = int(match.group())
        if urls := lists.urls_of(number, match.start()):
            yield _Mark(start=match.start(), end=match.end(), urls=urls, number=number)


def _join(body: str, marks: Sequence[_Mark]) -> None:
    """Make signs of links in parentheses with nothing but links: `([Reuters](…), [BBC](…))`."""
    first = 0
    for place, mark in enumerate(marks):
        following = marks[place + 1].start if place + 1 < len(marks) else len(body)
        if _GAP.fullmatch(body, mark.end, following):
            continue
        group, opening = marks[first : place + 1], marks[first].start - 1
        if opening >= 0 and body[opening] == "(" and body[mark.end : mark.end + 1] == ")":
            group[0].start, group[-1].end = opening, mark.end + 1
            for one, other in pairwise(group):
                one.end = other.start
            for each in group:
                each.words = ""
        first = place + 1


def _shown(body: str, marks: Sequence[_Mark]) -> str:
    """Return the text without its marks, and tell each where it then stands."""
    pieces: list[str] = []
    length = at = 0
    for mark in marks:
        if mark.start < at:
            mark.position = length
            continue
        for piece in (body[at : mark.start], mark.words):
            pieces.append(piece)
            length += len(piece)
        mark.position = length
        at = mark.end
    pieces.append(body[at:])
    return "".join(pieces)


def _claims(text: str, shown: str, marks: Sequence[_Mark]) -> CitedText:
    found: list[CitedClaim] = []
    numbers = {mark.urls[0]: mark.number for mark in marks if mark.number > 0 and mark.urls[0]}
    taken, mentions, line, at, before = {*numbers.values()}, 0, 1, 0, 0
    free = (number for number in count(1) if number not in taken)
    for place, mark in enumerate(marks):
        line, at = line + text.count("\n", at, mark.start), mark.start
        following = marks[place + 1] if place + 1 < len(marks) else None
        claim, end = _claim(shown, mark, before, following)
        before = max(before, end)
        if claim is None:
            mentions += 1
            continue
        for url in mark.urls:
            # As it is written: in another answer of the text the page may have another number.
            is_own = not url or (mark.number > 0 and url == mark.urls[0])
            number = mark.number if is_own else numbers.get(url, 0)
            if number <= 0:
                number = numbers[url] = next(free)
            taken.add(number)
            found.append(
                CitedClaim(number=number, position=mark.position, line=line, claim=claim, url=url)
            )
    return CitedText(text=shown, citations=tuple(found), mentions=mentions)


def _claim(
    shown: str, mark: _Mark, before: int, following: _Mark | None
) -> tuple[Claim | None, int]:
    """Return what a mark stands for, None for a link that is only mentioned.

    And where the next claim of the same sentence begins, 0 if it may begin with this one.
    """
    if mark.words:
        return _around(shown, mark, before, following)
    claim = claim_at(shown, mark.position, after=before)
    if _LEAD.fullmatch(claim.text):
        # `See https://... for more` is a sentence; `Source: https://...` is for what stands above.
        end = sentence_end(shown, mark.position)
        has_more = len(_WORD.findall(shown, mark.position, end)) >= _MIN_OTHER_WORDS
        claim = claim_at(shown, end if has_more else claim.start)
    return (claim if _WORD.search(claim.text) else None), mark.position


def _around(
    shown: str, mark: _Mark, before: int, following: _Mark | None
) -> tuple[Claim | None, int]:
    """Return the sentence that a link stands in, up to the next one if both have their words."""
    # Its own words may end the sentence: then it is not the next one that is meant.
    end, cut = sentence_end(shown, mark.position, since=mark.position - len(mark.words)), 0
    claim = claim_at(shown, end, after=before)
    next_start = following.position - len(following.words) if following else end
    if mark.position < next_start < end:
        own = claim_at(shown, next_start, after=before)
        if _other_words(own, mark) >= _MIN_OTHER_WORDS and own.start <= mark.position:
            claim, cut = own, next_start
    return (claim if _other_words(claim, mark) >= _MIN_OTHER_WORDS else None), cut


def _other_words(claim: Claim, mark: _Mark) -> int:
    return len(_WORD.findall(claim.text)) - len(_WORD.findall(plain(mark.words)))
