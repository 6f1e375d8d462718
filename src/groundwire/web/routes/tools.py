"""The tools that agents have."""

from __future__ import annotations

from fastapi import APIRouter

from groundwire.service import ledger
from groundwire.service.agent_tools import provider_tools
from groundwire.tools import web_tools
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.error_responses import RESPONSES
from groundwire.web.shapes import ToolShape

router = APIRouter(prefix="/api/tools", tags=["agents"], responses=RESPONSES)


@router.get("", response_model=list[ToolShape])
async def list_tools(caller: CallerNeeded, site: SiteNeeded) -> list[ToolShape]:
    """List the tools that the caller's agents have: the owner's Setup also changes providers."""
    program = site.program
    web = web_tools(program.search_context, ledger(program.settings))
    return [
        ToolShape(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            writes=tool.writes,
            input_schema=dict(tool.input_schema),
        )
        for tool in (*web, *provider_tools(program.provider_settings_of(caller.actor)))
    ]
