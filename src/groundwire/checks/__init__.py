"""Claims held against pages: what of a claim literally stands there. Pure, and no verdict.

A page is indexed once; each claim is then compared in a fraction of a millisecond.
"""

from groundwire.checks.check import Check, NotCompared, Passage, RoundedNumber
from groundwire.checks.page import PageIndex, check_claim, find_in
from groundwire.checks.quotes import Fit, QuoteMatch

__all__ = [
    "Check",
    "Fit",
    "NotCompared",
    "PageIndex",
    "Passage",
    "QuoteMatch",
    "RoundedNumber",
    "check_claim",
    "find_in",
]
