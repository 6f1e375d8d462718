"""Claims held against pages: what of a claim literally stands there. Pure, and no verdict.

A page is indexed once; each claim is then compared in a fraction of a millisecond.

claim_at           which words of an answer a marker stands for
check_claim        those words held against a page
facts_in_words …   what came of it, as people are told
"""

from groundwire.checks.check import Check, NotCompared, Passage, Quotation, RoundedNumber, not_read
from groundwire.checks.citation import (
    CitationCheck,
    Opinion,
    Says,
    check_to_json,
    from_json,
    hash_of,
    to_json,
)
from groundwire.checks.claims import REACH, Claim, claim_at, line_outside_code
from groundwire.checks.page import (
    MAX_CHARACTERS,
    PageIndex,
    check_claim,
    find_in,
    index_page,
)
from groundwire.checks.quotes import Fit, QuoteMatch
from groundwire.checks.summary import (
    CheckState,
    facts_in_words,
    label_of,
    state_of,
    summary_line,
)

__all__ = [
    "MAX_CHARACTERS",
    "REACH",
    "Check",
    "CheckState",
    "CitationCheck",
    "Claim",
    "Fit",
    "NotCompared",
    "Opinion",
    "PageIndex",
    "Passage",
    "Quotation",
    "QuoteMatch",
    "RoundedNumber",
    "Says",
    "check_claim",
    "check_to_json",
    "claim_at",
    "facts_in_words",
    "find_in",
    "from_json",
    "hash_of",
    "index_page",
    "label_of",
    "line_outside_code",
    "not_read",
    "state_of",
    "summary_line",
    "to_json",
]
