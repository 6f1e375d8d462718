"""Everyday words for what documentation calls otherwise: `chat` for `conversation`.

Only words that mean the same to who asks for help with a program, whatever the program. A word
may be in several groups; what it is in none of is compared by its letters alone.
"""

from __future__ import annotations

import re
from typing import Final

from groundwire.text.words import stem

_GROUPS: Final = """
accident mistake slip error
account user login
address link url
allow permit trust whitelist allowlist
answer reply response
ask question query
attach upload
begin start launch
big large huge size
block forbid ban deny prevent refuse blacklist blocklist exclude
bug error problem issue fault defect
business commercial commercially company enterprise
cancel stop abort interrupt kill terminate end quit halt
change modify edit alter switch adjust replace
chat conversation session dialog dialogue
cheap inexpensive less
check verify validate
choose select pick
cite citation reference
colleague team member people coworker person
computer machine laptop pc desktop
configure configuration config setting settings preference option
connect integrate plug hook
copy duplicate clone
cost costs price money pay spend spending spent fee bill charge expensive
create make build generate
crash fail failure break broke broken error
delete remove erase discard purge wipe drop uninstall
directory folder
display show print view
document file
down unavailable unreachable outage overloaded offline
download fetch retrieve
executable program binary
fake invent fabricate hallucinate hallucination
fast quick speed slow slowly performance latency
fix repair solve mend
history log past
hide conceal mask
image picture photo
install setup
internet online network
keep kept store stored save saved persist
limit restrict cap maximum quota budget
list enumerate
local offline own
login signin log sign
mail email
merge combine join
move transfer migrate
new recent latest current
old outdated stale obsolete former
password passphrase credential
phone mobile smartphone tablet
private privacy confidential secret
quote quotation
rate rating feedback
real true genuine right correct
reduce lower less shrink
rename move
report file
revert undo restore rollback
run execute start launch
safe secure security
search lookup find
send transmit submit
share publish
shell terminal console
site website domain
test try
token credential
trick fool deceive attack
update upgrade
wait sleep delay
window tab
"""

_IDIOMS = {
    re.compile(rf"\b{idiom}\b", re.IGNORECASE): word
    for idiom, word in {
        "(?:get|getting) rid of": "remove",
        "how come": "why",
        r"look(?:ing)? (?:\w+ )?up": "search",
    }.items()
}


def _by_stem() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _GROUPS.split("\n"):
        stems = {stem(word) for word in line.split()}
        for each in stems:
            found.setdefault(each, set()).update(stems - {each})
    return {each: frozenset(others) for each, others in found.items()}


_OTHERS: Final = _by_stem()


def others(root: str) -> frozenset[str]:
    """Return the stems of other words for the same, none for most words."""
    return _OTHERS.get(root, frozenset())


def plainly(question: str) -> str:
    """Return a question with a plain word for an idiom."""
    for idiom, word in _IDIOMS.items():
        question = idiom.sub(word, question)
    return question
