"""The address guard: which URLs may be opened, and where they may lead. No I/O.

Two faults let strangers reach inward again and again: a URL is checked and then read by another
parser, or a name is checked and then looked up a second time. So there is one parser here, its
result is rebuilt from its parts, and whoever connects does this for the URL and every redirect:

    parse or follow    the URL itself, strictly
    DomainPolicy       the host against the lists of the workspace
    check_answers      every address of the host, looked up once
    connect            to a checked address, never to the name again
"""

from groundwire.guard.addresses import address_problem, check_network, is_loopback
from groundwire.guard.domains import ANYWHERE, DomainPolicy, domain_problem
from groundwire.guard.urls import ANY_PORT, WebUrl, follow, parse
from groundwire.guard.verdicts import Verdict, check_answers, judge

__all__ = [
    "ANYWHERE",
    "ANY_PORT",
    "DomainPolicy",
    "Verdict",
    "WebUrl",
    "address_problem",
    "check_answers",
    "check_network",
    "domain_problem",
    "follow",
    "is_loopback",
    "judge",
    "parse",
]
