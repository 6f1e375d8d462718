"""Citations that are right or wrong in a known way, for whoever compares them with their pages.

Words of the question choose them; several in one question come in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.sandbox.web import WebPage

WINDMILLS = WebPage(
    url="https://wiki.example.net/windmill",
    title="Windmill",
    published="2026-02-11",
    passages=(
        (
            "The windmills of the lower plain ground corn and drained the fields for three "
            "hundred years. In 1850 there were 450 windmills between the river and the sea."
        ),
        (
            "Only 38 of them still turn. The miller Antje Vos wrote in her diary: a mill that "
            "stands still for a winter never turns as it did before."
        ),
        (
            "Storms took most of the others, steam pumps the rest. Volunteers grease the "
            "bearings twice a year and open the doors on the second Sunday of May."
        ),
    ),
)
BLOCKED = WebPage(
    url="https://news.example.com/members/windmill",
    title="Attention required",
    passages=(
        (
            "Attention required. Please verify you are human by completing the action below: "
            "this site needs to review the security of your connection before proceeding."
        ),
    ),
)
MISSING = WebPage(
    url="https://news.example.com/2026/03/no-such-windmill",
    title="The windmill that never was",
    passages=("Nobody serves this page.",),
)
UNLISTED = (WINDMILLS, BLOCKED)
"""Pages that are there for those who open them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCitation:
    """A sentence of an answer, the page that it names, and the passage that it says it is from."""

    words: str
    text: str
    page: WebPage
    quote: str = ""


PLAYED = (
    PlayedCitation(
        words="cite rightly",
        text="In 1850 there were 450 windmills between the river and the sea.",
        page=WINDMILLS,
        quote="In 1850 there were 450 windmills between the river and the sea.",
    ),
    PlayedCitation(
        words="invent a number",
        text="Some 97 of the windmills of the lower plain still turn.",
        page=WINDMILLS,
        quote="Only 38 of them still turn.",
    ),
    PlayedCitation(
        words="misquote",
        text="The miller wrote: “a mill that burns down in a winter is built again by spring”.",
        page=WINDMILLS,
    ),
    PlayedCitation(
        words="cite a missing page",
        text="A windmill of the plain was moved to the city in March.",
        page=MISSING,
    ),
    PlayedCitation(
        words="cite a blocked page",
        text="Members of the windmill society may ride on the sails.",
        page=BLOCKED,
    ),
)


def played(question: str) -> list[PlayedCitation]:
    """Return the citations that a question asks for."""
    said = question.lower()
    return [each for each in PLAYED if each.words in said]
