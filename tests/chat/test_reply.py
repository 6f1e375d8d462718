"""What a reply shows does not depend on which of its events arrived together."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.chat.budgets import Billing, Budgets, Meter
from groundwire.chat.draft import Draft
from groundwire.chat.events import TextShown
from groundwire.chat.reply import Reply
from groundwire.conversation import ChatMessage, MessageKind
from groundwire.events import Citations, StreamEvent, TextDelta
from groundwire.guard import ANYWHERE
from groundwire.model import Citation

LINK = "[Otters](https://a.example/x)"
CITED = Citations((Citation(url="https://a.example/x", start=0, end=len(LINK)),))


def _shown(batches: Sequence[Sequence[StreamEvent]]) -> str:
    answer = ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE)
    meter = Meter(budgets=Budgets(), billing=Billing(model="m"))
    reply = Reply(Draft(answer, ANYWHERE), meter, "a service")
    events = [event for batch in batches for event in reply.take_batch(batch)]
    return "".join(event.text for event in (*events, *reply.finish()) if type(event) is TextShown)


def test_a_link_that_was_shown_is_shown_also_when_its_citation_comes_in_the_same_batch() -> None:
    words = [TextDelta(LINK), TextDelta("are"), TextDelta(" fast")]
    events: list[StreamEvent] = [*words, CITED, TextDelta(".")]

    together, alone = _shown([events]), _shown([[event] for event in events])

    assert together == alone == f"{LINK}are fast."
