"""The events of a turn: one class for one thing, from the citations to whoever shows them."""

from __future__ import annotations

from groundwire import citations
from groundwire.chat import events
from groundwire.chat.draft import Draft
from groundwire.conversation import ChatMessage, MessageKind
from groundwire.guard import DomainPolicy
from groundwire.model import Citation


def test_what_citations_yield_is_what_chat_yields() -> None:
    policy = DomainPolicy(allowed=("a.org",))
    draft = Draft(ChatMessage(session_id="s", kind=MessageKind.AI_RESPONSE), policy)
    cited = [
        Citation(url="https://a.org", start=0, end=5),
        Citation(url="https://b.org", start=8, end=13),
    ]

    told = [*draft.add_text("Yes so. It is. End"), *draft.cite(cited)]

    assert told[0] == citations.TextShown("Yes so. It is. End")
    assert [type(event) for event in told[1:]] == [
        events.SourcesRemoved,
        events.SourceNumbered,
        citations.MarkerShown,
        citations.MarkerShown,
        citations.PassageFolded,
    ]
    assert told[-1] == events.PassageFolded(
        start=8, end=13, domains=("b.org",), reason=policy.reason
    )
