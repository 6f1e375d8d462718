"""Markdown as its reader hears it: words without addresses, markers, code signs and emphasis.

Every repeat in a pattern is bounded: the text is a stranger's.
"""

from __future__ import annotations

import html
import re

from groundwire.checks.words import ENTITY, TAG

ADDRESS = r"[^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,2000})?(?:\s\"[^\"\n]{0,300}\")?"
"""Where a link leads, with its title: what stands in the parentheses."""

MARKER = (
    r"\[\^[\w.-]{1,40}\]"
    r"|\[\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3}){0,20}\]"
    r"|\[\d{1,3}\?\]|\[removed\]"
    r"|\u3010[^\u3010\u3011\n]{1,80}\u3011"
    r"|\ue200[^\ue200-\ue201\n]{0,200}\ue201"
)
"""A sign that leads to a source: `[3]`, `[1, 2]`, `[^note]`, `\u30103\u2020source\u3011`."""

_IMAGE = re.compile(rf"!\[[^\[\]\n]{{0,300}}\]\({ADDRESS}\)")
_LINK = re.compile(rf"\(?\[([^\[\]\n]{{0,1000}})\]\(({ADDRESS})\)\)?")
_REFERENCE_LINK = re.compile(r"\[(?![\d^])([^\[\]\n]{1,1000})\]\[[^\[\]\n]{0,100}\]")
_MARKER = re.compile(rf"[ \t]?(?:{MARKER}|[\ue200-\ue206])")
_URL = re.compile(r"<?\bhttps?://[^\s<>\"]{1,2000}>?")
_TAG = re.compile(TAG)
_ENTITY = re.compile(ENTITY)
_CODE = re.compile(r"`{1,8}")
_STARS = re.compile(r"(?<![\d\\])\*{1,3}(?=\S)|(?<=[^\s\\])\*{1,3}(?!\d)|~~")
_UNDERSCORES = re.compile(r"(?<![\w\\])_{1,3}(?=\S)|(?<=[^\s\\])_{1,3}(?!\w)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINE_START = re.compile(
    r"^[ \t>]{0,40}(?:(?:[-*+\u2022\u00b7]|\d{1,9}[.)]|#{1,6})[ \t]{1,8}){0,3}(?:\[[ xX]\][ \t])?",
    re.MULTILINE,
)
_RULE = re.compile(r"^[ \t|:-]{3,2000}$", re.MULTILINE)
_HOST = re.compile(r"(?:[\w-]{1,63}\.){1,6}[a-zA-Z]{2,24}")
# Any of what is taken off below: most sentences have none of it, and are done at once.
_MARKUP = re.compile(
    r"[\[*_`<>&|#\\~\u2022\u00b7\u3010\ue200-\ue206]|://"
    r"|^[ \t]{0,40}(?:[-+]|\d{1,9}[.)])[ \t]|^[ \t:-]{3,2000}$",
    re.MULTILINE,
)
_SPACE_BEFORE = re.compile(r"\s(?=[.,;:!?)\u3002](?:\s|$))")


def plain(text: str) -> str:
    """Return the words of a piece of Markdown in one line."""
    return _SPACE_BEFORE.sub("", " ".join((_bare(text) if _MARKUP.search(text) else text).split()))


def plain_line(text: str) -> str:
    """Return the words of one line, as of a heading: what it begins with is no mark."""
    return " ".join(_without_signs(text).split())


def _bare(text: str) -> str:
    return _without_signs(_LINE_START.sub("", _RULE.sub(" ", text)))


def _without_signs(text: str) -> str:
    text = _LINK.sub(_words_of_link, _IMAGE.sub(" ", text))
    text = _MARKER.sub("", _REFERENCE_LINK.sub(r"\1", text))
    text = _TAG.sub(" ", _URL.sub(" ", text))
    text = _ESCAPE.sub(r"\1", _UNDERSCORES.sub("", _STARS.sub("", _CODE.sub("", text))))
    text = _ENTITY.sub(lambda match: html.unescape(match[0]), text)
    return text.replace("|", " ")


def _words_of_link(match: re.Match[str]) -> str:
    """Return what a link says; one that only names its site, or a number, is a marker."""
    said = match[1].strip("*_` ")
    name = said.lower().removeprefix("www.")
    if name.isdigit() or (_HOST.fullmatch(name) and name in match[2].lower()):
        return ""
    is_wrapped = match[0].startswith("(") and match[0].endswith("))")
    start = "(" if match[0].startswith("(") else ""
    end = ")" if is_wrapped or (not start and match[0].endswith("))")) else ""
    return f"{start}{said}{end}"
