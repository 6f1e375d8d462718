"""How large each kind of body may be: megabytes only where files are sent.

A limit has room for the longest that each field may be, every character written as an escape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.web import bodies

if TYPE_CHECKING:
    from pydantic import BaseModel

MAX_BYTES: dict[type[BaseModel], int] = {
    bodies.LoginBody: 8_000,
    bodies.PasswordChange: 8_000,
    bodies.SetupBody: 8_000,
    bodies.NewUser: 8_000,
    bodies.NewRole: 1_000,
    bodies.NewToken: 4_000,
    bodies.NewWorkspace: 4_000,
    bodies.WorkspaceChange: 500_000,
    bodies.NewAgent: 700_000,
    bodies.AgentChange: 700_000,
    bodies.NewMessage: 22_000_000,
    bodies.Decisions: 150_000,
    bodies.NewFeedback: 14_000,
    bodies.TypesetBody: 700_000,
    bodies.NewSession: 4_000,
    bodies.SessionChange: 4_000,
    bodies.NewProvider: 8_000,
    bodies.ProviderChange: 8_000,
    bodies.NewKey: 40_000,
    bodies.WebChange: 16_000,
    bodies.SearchTrial: 500_000,
    bodies.NewLibrarySource: 26_000,
    bodies.LibrarySourceChange: 1_000,
}
"""One row for each body of a route; a route whose body has none takes nothing."""
