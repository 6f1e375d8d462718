"""Who wrote a page and when, where only its own markup says so."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from groundwire.reader.dates import date_in_numbers, date_in_words, iso_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from turbohtml import Document, Element

    from groundwire.reader.blocks import Block

_AUTHORS = (
    "[itemprop=author] [itemprop=name], [itemprop=author][content]",
    "[itemprop=author], a[rel~=author], [rel=author]",
    ".byline .author, .author-name, .byline__name, .author .fn, .entry-author, .post-author",
    ".byline, [class*=byline] a, a[class*=author], span[class*=author]",
)
_DATES = (
    "[itemprop=datePublished], time[pubdate], time.published, time.entry-date",
    "article time[datetime], main time[datetime], header time[datetime]",
    ".published, .entry-date, .post-date, .publish-date, .article-date, .date-published, .dateline",
    "time[datetime]",
)
# What stands before a name, in the languages that many pages are written in.
_WRITTEN_BY = (
    r"(?:(?:written|posted|published|reported|story|text|words) )?by|"
    r"(?:(?:geschrieben|verfasst|(?:ein )?(?:beitrag|artikel)) )?von|"
    r"(?:(?:publié|écrit|rédigé) )?par|(?:(?:escrito|publicado) )?por|"
    r"scritto da|a cura di|(?:geschreven )?door|skrevet av|skriven av|skrevet af|oleh|bởi|"
    r"بقلم|كتبه?|द्वारा|โดย"
)
_LABELS = (
    r"authors?|autor(?:a|es|in|en)?|auteure?|autore|text[eo]?|testo|teksti?|yazan|yazar|kirjoittaja"
    r"|författare|forfatter|penulis|tác giả|автор|текст|लेखक|ผู้เขียน|الكاتب"
    r"|作者|撰文|文|著者|執筆者?|取材・文|ライター|글|글쓴이|기자"
)
_PREFIX = re.compile(
    rf"(?:(?:{_WRITTEN_BY})(?::\s*|\s+)|(?:{_LABELS})\s?[:：/／=＝]\s*)", re.IGNORECASE
)
# These begin names, too, so that they count only where a byline stands.
_PREFIX_NEAR_TITLE = re.compile(rf"(?:{_PREFIX.pattern}|(?:di|av|af)\s+)", re.IGNORECASE)
_LATER = re.compile(r"\s(?:作者|撰文|著者|執筆者?|Автор)\s?[:：]\s*")  # Behind a source.
_REPORTER = re.compile(
    r"[記记]者[:：]?\s?([\u4e00-\u9fff]{2,4})(?=[／/\s]|$)|([가-힣]{2,4}) ?기자(?=\W|$)"
)
_END_OF_NAMES = re.compile(
    r"\s*[|•·–—(（/／\d]|\s+(?:on|in|at|updated|am|le|el|il|op|den|em|для|[-][-\s])\b|\s-\s|\s{3,}",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+(?:and|und|et|y|e|en|och|og|i|и|dan|&)\s+|、|と(?=[\u4e00-\u9fff]{2,})")
_COMMA = re.compile(r"\s*[,،，]\s*")
_WORD_OF_NAME = re.compile(r"[^\W\d_][\w.'’\u0300-\u036f\u0900-\u0dff\u0e00-\u0e7f-]*")
_UNSPACED_NAME = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff々]{2,8}|[가-힣]{2,4}")
_PARTICLES = frozenset(
    {
        *("de", "del", "della", "di", "da", "do", "dos", "das", "du", "van", "von", "der", "den"),
        *("ter", "ten", "la", "le", "el", "al", "bin", "ibn", "af", "av", "zu"),
    }
)
_MODIFIED = re.compile(
    r"(?:last )?(?:updated|modified|edited|reviewed)|(?:zuletzt )?(?:aktualisiert|geändert)"
    r"|mise? à jour|modifié|(?:última )?actuali[sz]a|atualizado|aggiornato|bijgewerkt|gewijzigd"
    r"|oppdatert|uppdaterad|opdateret|обновлено|изменено|(?:最終)?更新|最后更新|最後更新|수정|업데이트",
    re.IGNORECASE,
)
_BEFORE_TITLE, _AFTER_TITLE = 5, 12  # Blocks in which a byline stands.
_MOST_LOOKED_AT = 3
_MOST_OF_A_BYLINE = 80
_WORDS_OF_A_NAME = (2, 5)


def author_in_page(document: Document) -> str:
    """Return the first byline of the page's markup; "" if it has none."""
    for selector in _AUTHORS:
        for element in document.select(selector)[:_MOST_LOOKED_AT]:
            name = " ".join((element.attr("content") or element.text).split())
            if 0 < len(name) <= _MOST_OF_A_BYLINE:
                return name
    return ""


def date_in_page(document: Document) -> str:
    """Return the first date of publication that the page's markup names; "" if none."""
    for selector in _DATES:
        for element in document.select(selector)[:_MOST_LOOKED_AT]:
            if found := _date(element):
                return found
    return ""


def _date(element: Element) -> str:
    for attribute in ("datetime", "content"):
        if found := iso_date(element.attr(attribute) or ""):
            return found
    return date_in_words(element.text)


def near_title(blocks: Sequence[Block]) -> tuple[list[str], str]:
    """Return the authors and the date that stand in words around the page's first heading."""
    title = next((n for n, block in enumerate(blocks) if block.heading == 1), None)
    if title is None:
        return [], ""
    around = blocks[max(0, title - _BEFORE_TITLE) : title + _AFTER_TITLE]
    texts = [block.text for block in around if len(block.text) <= 2 * _MOST_OF_A_BYLINE]
    authors = (_signed(text) for text in texts)
    dates = (
        date_in_words(text) or date_in_numbers(text) for text in texts if not _MODIFIED.match(text)
    )
    return next(filter(None, authors), []), next(filter(None, dates), "")


def names_in(byline: str) -> list[str]:
    """Return the names of a text that names someone, with or without a word for "by" before."""
    match = _PREFIX.match(byline)
    if match is None:
        return [byline]
    return _names(byline[match.end() :]) or [byline[match.end() :]]


def _signed(text: str) -> list[str]:
    """Return the names that a byline in words has; none if a text is no byline."""
    if match := _PREFIX_NEAR_TITLE.match(text):
        return _names(text[match.end() :])
    if match := _LATER.search(text):
        return _names(text[match.end() :])
    match = _REPORTER.match(text)
    return [match[1] or match[2]] if match else []


def _names(text: str) -> list[str]:
    """Return the names that a text begins with: one, or several with an "and" before the last."""
    if end := _END_OF_NAMES.search(text):
        text = text[: end.start()]
    several = _AND.split(text)
    # Without an "and", what follows a comma is an office or a place.
    parts = [part for each in several for part in _COMMA.split(each)[: None if several[1:] else 1]]
    return list(takewhile(_is_name, (part.strip() for part in parts)))


def _is_name(text: str) -> bool:
    if _UNSPACED_NAME.fullmatch(text):
        return True
    words = text.split()
    least, most = _WORDS_OF_A_NAME
    return (
        least <= len(words) <= most
        and all(map(_WORD_OF_NAME.fullmatch, words))
        and all(_begins_large(word) or word in _PARTICLES for word in words[1:])
        and _begins_large(words[0])
    )


def _begins_large(word: str) -> bool:
    """Tell whether a word begins with a capital, or with a letter of a script that has none."""
    return word[0].isupper() or word[0].lower() == word[0].upper()
