"""Chat: one turn of a conversation that ends in a cited answer.

SendMessage   runs turns and streams what happens
events        what happens, for whoever shows it
"""

from groundwire.chat.budgets import Budgets
from groundwire.chat.drafting import restored
from groundwire.chat.encoding import encode, encode_message
from groundwire.chat.events import ChatEvent
from groundwire.chat.history import branch
from groundwire.chat.keeping import Forgetful, Keeper
from groundwire.chat.planning import Ask, Conversation, SearchChoice, asked_before
from groundwire.chat.policy import WebPolicy
from groundwire.chat.sending import SendMessage

__all__ = [
    "Ask",
    "Budgets",
    "ChatEvent",
    "Conversation",
    "Forgetful",
    "Keeper",
    "SearchChoice",
    "SendMessage",
    "WebPolicy",
    "asked_before",
    "branch",
    "encode",
    "encode_message",
    "restored",
]
