"""Where the tools are offered: whose URLs `open_page` knows there, and what helps with others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """`opens` is for the tool's description, `hint` for the refusal of a URL."""

    opens: str
    hint: str


CONVERSATION = Surface(
    opens=(
        "Takes URLs from the user or from results of this conversation, and a few of the links in "
        "pages read before; URLs made up are refused."
    ),
    hint="search for the page, or ask the user for its address",
)
OVER_MCP = Surface(
    opens=(
        "Takes URLs from results of this session's searches, and a few of the links in pages read "
        "before. What the user writes is not seen here: any other URL is put to the user where "
        "the client can ask, and refused where it cannot."
    ),
    hint=(
        "search for the page; what the user writes is not seen here, so that a URL of the user's "
        "is opened only with read.any_url = true in the settings (GROUNDWIRE_READ__ANY_URL=true)"
    ),
)
EXTENSION = Surface(
    opens=CONVERSATION.opens,
    hint=(
        "search for the page, or ask the user for its address; the host hands over what the user "
        "writes with begin_turn or get_user_messages, or sets read.any_url"
    ),
)
ANY_URL = "Takes any URL of the public web."
