"""Questions to the user over MCP: may a page be opened that no search of the session has found?

The server does not see what the user writes. Where a client can ask (elicitation), the user does
decide; until 2025-11-25 with a request of the server, since 2026-07-28 with a result that asks for
input, after which the client calls again.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from groundwire.text.plural import plural
from groundwire.tools import web_address

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    Context: TypeAlias = ServerRequestContext[dict[str, Any]]

MAX_SHOWN = 2_000
"""A URL that is longer is not put to anybody: who reads to its end?"""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "open": {
            "type": "boolean",
            "title": "Open",
            "description": "Only what the address says is sent there, so read it to its end.",
        }
    },
    "required": ["open"],
}


async def permission(
    context: Context, params: types.CallToolRequestParams, urls: Sequence[str]
) -> bool | types.InputRequiredResult | None:
    """Return whether the user lets URLs be opened, None if nobody can be asked.

    A result that requires input is to be returned to the client, which comes back with an answer.
    """
    if not _can_ask(context) or any(len(url) > MAX_SHOWN for url in urls):
        return None
    message = _message(urls)
    if context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS:
        return _answered_or_asked(params, urls, message)
    try:
        answer = await context.session.elicit_form(message, _SCHEMA, context.request_id)
    except MCPError:
        return None
    return _is_yes(answer)


def _answered_or_asked(
    params: types.CallToolRequestParams, urls: Sequence[str], message: str
) -> bool | types.InputRequiredResult:
    # An answer counts only for the URLs that were asked about.
    name = f"open-{sha256(chr(10).join(urls).encode()).hexdigest()[:16]}"
    answer = (params.input_responses or {}).get(name)
    if isinstance(answer, types.ElicitResult):
        return _is_yes(answer)
    asked = types.ElicitRequestFormParams(message=message, requested_schema=_SCHEMA)
    return types.InputRequiredResult(input_requests={name: types.ElicitRequest(params=asked)})


def _can_ask(context: Context) -> bool:
    """Tell whether the client shows forms; one that names no kind of question does."""
    able = context.session.client_capabilities
    asks = able.elicitation if able else None
    return asks is not None and (asks.form is not None or asks.url is None)


def _message(urls: Sequence[str]) -> str:
    pages = plural(len(urls), "page")
    listed = "\n".join(web_address(url) for url in urls)
    return (
        f"Open {pages} that no search has found? Whatever stands in an address is sent to its "
        f"server.\n{listed}"
    )


def _is_yes(answer: types.ElicitResult) -> bool:
    return answer.action == "accept" and (answer.content or {}).get("open") is True
