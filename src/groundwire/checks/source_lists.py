"""The sources that a text lists: footnotes, reference links, and numbered lists at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

URL = r"https?://[^\s<>\"'`\[\]\u300d\u3011]{1,2000}"
_URL = re.compile(rf"\]\(<?({URL})|<?({URL})>?")
_TITLE = re.compile(
    r"[ \t>]{0,8}(?:#{1,6}[ \t]{1,4})?(?:\*\*|__)?[ \t]{0,2}"
    r"(?:sources?|references|citations?|works cited|bibliography|notes|footnotes|links|"
    r"quellen|einzelnachweise|literatur|r[e\u00e9]f[e\u00e9]rences|sources cit[e\u00e9]es|fuentes|"
    r"referencias|fonti|bronnen|(?:read|found), not cited|learn more|further reading)"
    r"(?:[ \t]{1,2}\(\d{1,4}\))?"
    r"[ \t]{0,2}:?(?:\*\*|__)?[ \t]{0,2}:?[ \t]{0,8}",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ \t>]{0,8}#{1,6}[ \t]")
_FOOTNOTE = re.compile(r"[ \t>]{0,3}\[\^([^\]\s]{1,80})\]:[ \t]{0,8}")
_DEFINITION = re.compile(
    rf"[ \t>]{{0,3}}\[([^\]\n^][^\]\n]{{0,199}})\]:[ \t]{{0,8}}<?({URL})>?[^\n]{{0,500}}$"
)
_ENTRY = re.compile(r"[ \t>]{0,8}(?:[-*+\u2022][ \t]{1,4})?\[\\?\[?\^?(\d{1,3})\^?\\?\]?\][:.]?")
_NUMBERED = re.compile(r"[ \t>]{0,8}(?:[-*+][ \t]{1,4})?(\d{1,3})(?:[.):]|[ \t]{1,8}(?=\S))")
_SUPERSCRIPT = re.compile("[ \t>]{0,8}([\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})[ \t:.]{0,4}")
_DIGITS = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789"
)
_TRAILING = ".,;:!?"


@dataclass(slots=True)
class NumberedList:
    """Numbers with the addresses of their entries, none where one has no link; `end` is a place."""

    end: int
    entries: dict[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class SourceLists:
    """What a text lists as sources, by their numbers and names, and where those lists stand.

    A text of several answers has a list for each in `numbered`. `footnotes` have the addresses of
    an entry; `defined` are the addresses of reference links by name. `places` are the entries' own
    lines.
    """

    numbered: list[NumberedList] = field(default_factory=list)
    footnotes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    defined: dict[str, str] = field(default_factory=dict)
    places: list[tuple[int, int]] = field(default_factory=list)

    def urls_of(self, number: int, place: int) -> tuple[str, ...] | None:
        """Return the addresses of a number that is cited at a place, None if none is listed.

        The list of an answer stands behind it; only where none does, one before is meant.
        """
        if not self.numbered:
            return None
        behind = (each for each in self.numbered if each.end > place)
        return next(behind, self.numbered[-1]).entries.get(number)


def number_of(superscript: str) -> int:
    """Return the number that raised digits stand for."""
    return int(superscript.translate(_DIGITS))


def urls_in(text: str) -> tuple[str, ...]:
    """Return the addresses in a piece of Markdown, each once."""
    return tuple(dict.fromkeys(trimmed(match[1] or match[2]) for match in _URL.finditer(text)))


def trimmed(url: str) -> str:
    """Return an address without what belongs to the sentence around it."""
    url = url.rstrip(_TRAILING)
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(_TRAILING)
    return url


def source_lists(text: str) -> SourceLists:
    """Find what a Markdown text lists as its sources."""
    reader = _Reader()
    at = 0
    for line in text.split("\n"):
        reader.take(line, at)
        at += len(line) + 1
    return reader.found


class _Reader:
    """Reads lines one by one, and knows whether they stand under a title such as `Sources`."""

    def __init__(self) -> None:
        self.found = SourceLists()
        self._in_list = False
        self._footnote = ""
        self._number = 0
        self._has_begun = False

    def take(self, line: str, at: int) -> None:
        """Take the next line, which begins at a place of the text."""
        if not line.strip():
            return
        end = at + len(line)
        is_source = (
            self._is_footnote(line) or self._is_definition(line, end) or self._is_listed(line, end)
        )
        if is_source:
            self.found.places.append((at, end))
        else:
            self._has_begun = False

    def _is_footnote(self, line: str) -> bool:
        if match := _FOOTNOTE.match(line):
            self._footnote, self._number = match[1], 0
            self.found.footnotes[match[1]] = urls_in(line[match.end() :])
            return True
        if self._footnote and line.startswith((" ", "\t")):
            self.found.footnotes[self._footnote] += urls_in(line)
            return True
        self._footnote = ""
        return False

    def _is_definition(self, line: str, end: int) -> bool:
        match = _DEFINITION.match(line)
        if match is None:
            return False
        name, url = match[1].strip().casefold(), trimmed(match[2])
        self.found.defined.setdefault(name, url)
        if name.isdigit() and len(name) < 4:
            self._add(int(name), (url,), end)
        return True

    def _add(self, number: int, urls: tuple[str, ...], end: int) -> None:
        """Add an entry; a number that comes again under another title begins another list."""
        lists = self.found.numbered
        if not lists or (number in lists[-1].entries and not self._has_begun):
            lists.append(NumberedList(end))
        lists[-1].entries.setdefault(number, urls)
        lists[-1].end = end
        self._has_begun = True

    def _is_listed(self, line: str, end: int) -> bool:
        if _TITLE.fullmatch(line):
            self._in_list, self._number, self._has_begun = True, 0, False
            return True
        if _HEADING.match(line):
            self._in_list = False
            return False
        number = self._entry(line)
        if number is not None:
            self._number = number
            self._add(number, urls_in(line), end)
            return True
        if not self._in_list:
            return False
        if self._number and not self.found.numbered[-1].entries[self._number]:
            self.found.numbered[-1].entries[self._number] = urls_in(line)
        return True

    def _entry(self, line: str) -> int | None:
        """Return the number of an entry, None if a line is none."""
        if match := _ENTRY.match(line):
            rest = line[match.end() :].strip()
            has_url = bool(urls_in(line[match.start() :]))
            # Outside of a list, a line with more behind its address is a sentence.
            is_short = bool(rest) and (
                rest.endswith((")", ">")) or urls_in(rest.rpartition(" ")[2])
            )
            return int(match[1]) if self._in_list or (has_url and is_short) else None
        if not self._in_list:
            return None
        if match := _SUPERSCRIPT.match(line):
            return number_of(match[1])
        match = _NUMBERED.match(line)
        return int(match[1]) if match else None
