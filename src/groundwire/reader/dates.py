"""Dates as pages write them, in one form: ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

# In English, German, French, Spanish, Portuguese, Italian, Dutch, Danish, Norwegian, Swedish,
# Finnish, Polish, Czech, Russian, Ukrainian, Turkish, Indonesian, Arabic, Hindi and Thai.
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            (
                "january januar jänner janvier enero janeiro gennaio januari "
                "tammikuuta stycznia ledna января січня ocak يناير जनवरी มกราคม jan "
                "janv ene gen янв"
            ),
            (
                "february februar février febrero fevereiro febbraio februari "
                "helmikuuta lutego února февраля лютого şubat فبراير फ़रवरी फरवरी "
                "กุมภาพันธ์ feb févr fév fev фев"
            ),
            (
                "march märz mars marzo março maart marts maaliskuuta marca března "
                "марта березня mart maret مارس मार्च มีนาคม mar mär мар"
            ),
            (
                "april avril abril aprile huhtikuuta kwietnia dubna апреля квітня "
                "nisan أبريل अप्रैल เมษายน apr abr avr апр"
            ),
            (
                "may mai mayo maio maggio mei maj toukokuuta maja května мая травня "
                "mayıs مايو मई พฤษภาคม mag"
            ),
            (
                "june juni juin junio junho giugno kesäkuuta czerwca června июня "
                "червня haziran يونيو जून มิถุนายน jun giu июн"
            ),
            (
                "july juli juillet julio julho luglio heinäkuuta lipca července июля "
                "липня temmuz يوليو जुलाई กรกฎาคม jul juil lug июл"
            ),
            (
                "august août agosto augustus augusti elokuuta sierpnia srpna августа "
                "серпня ağustos agustus أغسطس अगस्त สิงหาคม aug ago авг"
            ),
            (
                "september septembre septiembre setembro settembre syyskuuta września "
                "září сентября вересня eylül سبتمبر सितंबर सितम्बर กันยายน sept sep "
                "set сен"
            ),
            (
                "october oktober octobre octubre outubro ottobre lokakuuta "
                "października října октября жовтня ekim أكتوبر अक्टूबर अक्तूबर ตุลาคม "
                "oct okt out ott окт"
            ),
            (
                "november novembre noviembre novembro marraskuuta listopada listopadu "
                "ноября листопада kasım نوفمبر नवंबर नवम्बर พฤศจิกายน nov ноя"
            ),
            (
                "december dezember décembre diciembre dezembro dicembre desember "
                "joulukuuta grudnia prosince декабря грудня aralık ديسمبر दिसंबर "
                "दिसम्बर ธันวาคม dec dez déc dic des дек"
            ),
        ),
        start=1,
    )
    for name in names.split()
}
_NAMES = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)\S*)?")
_PLAIN = re.compile(r"(\d{4})[/.]?(\d{2})[/.]?(\d{2})(?:\D|$)")
_MONTH_FIRST = re.compile(
    rf"\b({_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|[.ºª])?\s+(?:de )?({_NAMES})\.?,?\s+"
    r"(?:del? |พ\.ศ\.\s?)?(\d{4})\b",
    re.IGNORECASE,
)
_VIETNAMESE = re.compile(r"\b(\d{1,2})\s+tháng\s+(\d{1,2})(?:\s+năm|,)\s+(\d{4})\b", re.IGNORECASE)
# With points, the day is first wherever it is written so; with strokes nobody knows, but for days
# that no month has.
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)(?![\d.])")
_STROKES = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?![\d/])")
_YEAR_FIRST = re.compile(
    r"(?:^|\s)((?:19|20)\d\d)(?:-|/|\.(?=\d\d\.\d\d)|\.\s)"
    r"(\d{1,2})(?:-|/|\.\s?)(\d{1,2})\.?(?=[\s,|]|$)"
)
_EAST_ASIAN = re.compile(r"(\d{4}|令和\d{1,2})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/-]|$)")
_MAX_CHARACTERS = 200
_BEFORE_REIWA = 2018
_BUDDHIST, _BUDDHIST_YEARS = 2400, 543
_EARLIEST = 1800  # Older than that, it is no date of a page.


def iso_date(text: str) -> str:
    """Return a date as ISO 8601, with its time where it has one; "" if invalid."""
    said = " ".join(text[:_MAX_CHARACTERS].split())
    if match := _ISO.search(said):
        day = _date(match[1], match[2], match[3])
        return _timed(match[0], day) if day and match[4] else day
    return _from_header(said) or date_in_words(said) or _plain(said)


def date_in_words(text: str) -> str:
    """Return the first date that a text has, such as March 2, 2026, in any of many languages."""
    text = text[:_MAX_CHARACTERS]
    if match := _EAST_ASIAN.search(text):
        era = match[1].removeprefix("令和")
        return _date(str(int(era) + _BEFORE_REIWA) if era != match[1] else era, match[2], match[3])
    found = [
        (match.start(), _date(match[year], _month(match[month]), match[day]))
        for pattern, year, month, day in (
            (_MONTH_FIRST, 3, 1, 2),
            (_DAY_FIRST, 3, 2, 1),
            (_VIETNAMESE, 3, 2, 1),
            (_DOTTED, 3, 2, 1),
        )
        if (match := pattern.search(text))
    ]
    return min(found, default=(0, ""))[1] or _with_strokes(text)


def date_in_numbers(text: str) -> str:
    """Return the first date that a text has in numbers alone and from the year on."""
    match = _YEAR_FIRST.search(text[:_MAX_CHARACTERS])
    return _date(match[1], match[2], match[3]) if match else ""


def _month(name: str) -> str:
    return name if name.isdecimal() else str(_MONTHS[name.lower()])


def _with_strokes(text: str) -> str:
    """Return a date such as 25/12/2026, where only one of the two can be the month."""
    match = _STROKES.search(text)
    if match is None:
        return ""
    dates = {_date(match[3], match[2], match[1]), _date(match[3], match[1], match[2])} - {""}
    return dates.pop() if len(dates) == 1 else ""


def date_in_address(path: str) -> str:
    """Return the day that a page's address names, such as /2026/03/02/; "" if none."""
    match = _IN_ADDRESS.search(path)
    return _date(match[1], match[2], match[3]) if match else ""


def _timed(written: str, day: str) -> str:
    """Return a date with its time as it was written, the day alone if that is no time."""
    try:
        return datetime.fromisoformat(written.replace(" ", "T", 1)).isoformat()
    except ValueError:
        return day


def _from_header(text: str) -> str:
    """Return a date as e-mail and feeds write it."""
    if not text[-1:].isalnum() or ":" not in text:
        return ""
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError):
        return ""
    if moment.year < _EARLIEST:
        return ""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _plain(text: str) -> str:
    match = _PLAIN.match(text)
    return _date(match[1], match[2], match[3]) if match else ""


def _date(year: str, month: str, day: str) -> str:
    try:
        counted = int(year) - (_BUDDHIST_YEARS if int(year) > _BUDDHIST else 0)
        found = date(counted, int(month), int(day))
    except ValueError:
        return ""
    return found.isoformat() if found.year >= _EARLIEST else ""
