"""The nouns of a conversation that is kept: workspaces, sessions, messages, accounts. No I/O.

Chat makes them and the store keeps them; neither knows the other.
"""

from groundwire.conversation.account import (
    ApiToken,
    AuditEntry,
    Membership,
    Role,
    UsageLine,
    User,
    WebSession,
)
from groundwire.conversation.message import (
    Agent,
    ChatMessage,
    ChecksState,
    Choices,
    Feedback,
    MessageKind,
    Round,
    SearchChoice,
    SearchMode,
    Session,
    Status,
    ToolRun,
    TurnState,
)
from groundwire.conversation.workspace import (
    DEFAULT_DOMAINS,
    EVERYWHERE,
    ModelRecord,
    ProviderRecord,
    Workspace,
)
from groundwire.system.determinism import new_id, now

__all__ = [
    "DEFAULT_DOMAINS",
    "EVERYWHERE",
    "Agent",
    "ApiToken",
    "AuditEntry",
    "ChatMessage",
    "ChecksState",
    "Choices",
    "Feedback",
    "Membership",
    "MessageKind",
    "ModelRecord",
    "ProviderRecord",
    "Role",
    "Round",
    "SearchChoice",
    "SearchMode",
    "Session",
    "Status",
    "ToolRun",
    "TurnState",
    "UsageLine",
    "User",
    "WebSession",
    "Workspace",
    "new_id",
    "now",
]
