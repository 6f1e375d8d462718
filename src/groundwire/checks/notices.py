"""Pages that are really a notice: the site kept its text back, and every word would be absent."""

from __future__ import annotations

import re

MAX_WORDS = 250
"""A page with more words has something to say, whatever stands in its footer."""

_NOTICE = re.compile(
    r"(?i)\b(?:"
    r"(?:please )?(?:enable|turn on|activate) (?:javascript|js|cookies)|turn javascript on"
    r"|(?:javascript|cookies) (?:is|are|must be|has been|have been) "
    r"(?:disabled|required|not available|not enabled|enabled)"
    r"|requires? javascript|javascript and cookies to continue|disable any ad ?blocker"
    r"|(?:verify|verifying|confirm|prove|make sure|checking if|check that) (?:that )?"
    r"you(?:'re|\u2019re| are) (?:a |not a )?(?:human|robot|bot|real person)"
    r"|are you (?:a robot|human)|i(?:'m|\u2019m| am) not a robot|not a robot"
    r"|(?:complete|solve|enter|pass) (?:the|this|a) (?:captcha|security check|challenge)"
    r"|human verification|press (?:&|&amp;|and) hold"
    r"|checking (?:your browser|if the site connection is secure)|ddos protection by"
    r"|(?:you have|you(?:'ve|\u2019ve)) been blocked|(?:request|access) (?:was|has been|is) "
    r"(?:blocked|denied|limited|temporarily (?:blocked|restricted))"
    r"|your access to this (?:site|service|page) has been limited"
    r"|you do(?:n't|n\u2019t| not) have permission to access|access to this page has been denied"
    r"|unusual (?:traffic|activity) (?:from|in|coming)|detected unusual (?:traffic|activity)"
    r"|automated (?:access|queries|requests)|attention required! \| cloudflare"
    r"|cloudflare ray id|incapsula incident id|pardon our interruption"
    r"|blocked by network security|enter the characters you see"
    r")"
)
# What a notice begins with; elsewhere these words may be an article's own.
_TITLE = re.compile(
    r"(?i)^[#*\s]{0,8}(?:just a moment|access (?:to this page )?(?:is |has been )?denied"
    r"|(?:error )?403\b.{0,20}forbidden|forbidden|(?:error )?429\b|too many requests"
    r"|(?:error )?503\b|service (?:temporarily )?unavailable|robot check|security check"
    r"|(?:error )?404\b|(?:page |404 )?not found|are you a robot|before you continue to"
    r"|request (?:blocked|rejected|unsuccessful)|sign in to (?:continue|confirm)"
    r"|verify(?:ing)? you are human|one more step|error 10\d\d)\b[^\n]{0,40}(?:\n|$)"
)
_TITLE_WORDS = 80


def is_block_notice(text: str, words: int) -> bool:
    """Tell whether a page of so many words is a notice instead of the page that was meant."""
    if words > MAX_WORDS:
        return False
    if words <= _TITLE_WORDS and _TITLE.match(text.lstrip()):
        return True
    return _NOTICE.search(text) is not None
