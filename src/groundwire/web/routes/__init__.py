"""The routes of the API, one file for each noun."""

from groundwire.web.routes import (
    about,
    agents,
    answers,
    audit,
    checks,
    exports,
    feedback,
    library,
    login,
    members,
    messages,
    metrics,
    pages,
    providers,
    services,
    sessions,
    tokens,
    tools,
    typeset,
    usage,
    users,
    workspaces,
)

ROUTERS = (
    about.router,
    metrics.router,
    login.router,
    users.router,
    members.router,
    tokens.router,
    audit.router,
    workspaces.router,
    agents.router,
    messages.router,
    checks.router,
    feedback.router,
    exports.router,
    sessions.router,
    providers.router,
    services.router,
    usage.router,
    tools.router,
    typeset.router,
    answers.router,
    library.router,
    pages.router,
)
"""All of them, in the order in which they are documented."""

__all__ = ["ROUTERS"]
