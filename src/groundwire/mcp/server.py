"""The MCP server: the tools of `service.tools`, over standard input and output or over HTTP.

The official SDK speaks the protocol in all its revisions; here is only what is ours: the tools of
each session, who may call over HTTP, and where to listen.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, TypeAlias

from groundwire.errors import ConfigError
from groundwire.guard import is_loopback
from groundwire.mcp.sessions import (
    IDLE_SECONDS,
    MAX_HANDSHAKES,
    Handshakes,
    McpSessions,
    told_apart,
)
from groundwire.service.listener import listening
from groundwire.system.extras import install_command
from groundwire.tools import offered_now
from groundwire.version import VERSION

try:
    import mcp_types as types
    import uvicorn
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError

    from groundwire.mcp.questions import permission
except ImportError as error:
    raise ConfigError(
        f"the MCP server needs the extra 'mcp': run `{install_command('mcp')}`"
    ) from error

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import ASGIApp, Receive, Scope, Send

    from groundwire.model import Secret
    from groundwire.tools import Progress, Tool, ToolOutput

log = logging.getLogger(__name__)

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
GRACE_SECONDS = 3

MakeTools: TypeAlias = "Callable[[], Sequence[Tool]]"
"""Returns the tools of a new session, which has opened and found nothing yet."""

INSTRUCTIONS = (
    "Tools that search the web and answer with numbered sources. Keep the [n] markers and the "
    "list of sources when you quote an answer. Only tools that are configured are listed: if one "
    "is missing, the user can add a search service or a provider with `groundwire setup`."
)
NOTHING_SEARCHES = (
    "Nothing that searches is configured: the user can change that with `groundwire setup`."
)


def create_server(make_tools: MakeTools) -> Server[dict[str, Any]]:
    """Return a server that offers these tools to each session, without a connection yet."""
    sessions = McpSessions(lambda: {tool.name: tool for tool in make_tools()})

    async def list_tools(
        _: ServerRequestContext[dict[str, Any]], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        # In a thread: a locked keyring asks its owner, and that must not stop everyone else.
        tools = await asyncio.to_thread(offered_now, make_tools())
        return types.ListToolsResult(tools=_described(tools))

    async def call_tool(
        context: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        by_name = sessions.of(context.request, context.session.client_params)
        tool = by_name.get(params.name)
        if tool is None:
            known = ", ".join(by_name)
            message = f"there is no tool {params.name!r}, only {known}"
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        asked = await _consent(tool, context, params)
        if asked is not None:
            return asked
        output = await _ran(tool, params.arguments or {}, _progress(context))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=output.text)],
            structured_content=dict(output.data),
            is_error=output.is_error,
        )

    return Server(
        "groundwire",
        version=VERSION,
        title="Groundwire",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(make_tools: MakeTools) -> None:
    """Serve one client over standard input and output until it leaves."""
    server = create_server(make_tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(
    make_tools: MakeTools,
    *,
    host: str,
    port: int,
    allowed_hosts: Sequence[str] = (),
    token: Secret | None = None,
    announce: Callable[[str], None],
) -> None:
    """Serve any number of clients over HTTP until cancelled; `announce` is told the URL.

    Raises:
        ConfigError: The address is not this machine's own and nothing guards it, or it is taken.
    """
    if not is_loopback(host) and not (allowed_hosts and token):
        raise ConfigError(
            f"{host!r} can be reached by others: name the hosts that clients ask for with "
            "--allow-host and demand a token with --token-file, or listen on 127.0.0.1"
        )
    app = create_app(make_tools, allowed_hosts=allowed_hosts, token=token)
    with closing(listening(host, port)) as listener:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listener.getsockname()[1]}{PATH}")
        config = uvicorn.Config(
            app,
            log_config=None,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            access_log=False,
        )
        await uvicorn.Server(config).serve(sockets=[listener])


def create_app(
    make_tools: MakeTools, *, allowed_hosts: Iterable[str] = (), token: Secret | None = None
) -> ASGIApp:
    """Return the server for HTTP.

    A request must name this machine or an allowed host as its Host, and so must its Origin if it
    has one; otherwise any web page could have a browser call these tools.
    """
    names = (*LOOPBACK, *allowed_hosts)
    security = TransportSecuritySettings(
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{name}{port}"
            for scheme in ("http", "https")
            for name in names
            for port in ("", ":*")
        ],
    )
    served = create_server(make_tools).streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        session_idle_timeout=IDLE_SECONDS,
        # Beyond this all are busy, and a new one is refused.
        max_sessions=2 * MAX_HANDSHAKES,
    )
    app = told_apart(Handshakes(served), PATH)
    return _with_token(app, token) if token else app


async def _ran(tool: Tool, arguments: object, progress: Progress) -> ToolOutput:
    """Run a tool; of a fault of ours the client hears no more than that, whoever's words it has."""
    try:
        return await tool.run(arguments, progress)
    except Exception as error:
        log.exception("the tool %s failed", tool.name)
        message = f"{tool.name} failed for a reason that is ours: see the server's log"
        raise MCPError(code=types.INTERNAL_ERROR, message=message) from error


async def _consent(
    tool: Tool, context: ServerRequestContext[dict[str, Any]], params: types.CallToolRequestParams
) -> types.InputRequiredResult | None:
    """Put what nobody named to the user, if the client can; return what it is to be asked first."""
    urls = tool.consent.needed(params.arguments or {}) if tool.consent else ()
    if tool.consent is None or not urls:
        return None
    answer = await permission(context, params, urls)
    if isinstance(answer, types.InputRequiredResult):
        return answer
    if answer is not None:
        for url in urls:
            tool.consent.decide(url, answer)
    return None


def _described(tools: Sequence[Tool]) -> list[types.Tool]:
    can_search = any("search" in tool.name for tool in tools)
    return [
        _description(tool, "" if can_search or tool.name != "open_page" else NOTHING_SEARCHES)
        for tool in tools
    ]


def _description(tool: Tool, hint: str) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=f"{tool.description} {hint}".strip(),
        input_schema=dict(tool.input_schema),
        output_schema=dict(tool.output_schema),
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, open_world_hint=True
        ),
    )


def _progress(context: ServerRequestContext[dict[str, Any]]) -> Callable[[str], Awaitable[None]]:
    steps = 0

    async def progress(message: str) -> None:
        nonlocal steps
        steps += 1
        await context.session.report_progress(steps, message=message)

    return progress


def _with_token(app: ASGIApp, token: Secret) -> ASGIApp:
    """Return an app that answers only those who know the token."""
    expected = f"Bearer {token.reveal()}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not compare_digest(given, expected):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await app(scope, receive, send)

    return guarded
