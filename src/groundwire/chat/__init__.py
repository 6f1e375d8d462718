"""Chat: one turn of a conversation that ends in a cited answer.

SendMessage   runs turns and streams what happens
events        what happens, for whoever shows it
Answer        what a question becomes
"""

from groundwire.chat.answer import Answer
from groundwire.chat.budgets import Budgets
from groundwire.chat.checkpoint import NullStore, TurnStore
from groundwire.chat.draft import restored
from groundwire.chat.events import ChatEvent
from groundwire.chat.json import encode, event_fields, message_fields
from groundwire.chat.plan import Conversation, choices_of
from groundwire.chat.send_message import SendMessage
from groundwire.conversation import SearchChoice

__all__ = [
    "Answer",
    "Budgets",
    "ChatEvent",
    "Conversation",
    "NullStore",
    "SearchChoice",
    "SendMessage",
    "TurnStore",
    "choices_of",
    "encode",
    "event_fields",
    "message_fields",
    "restored",
]
