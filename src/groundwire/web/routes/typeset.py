"""Code in colours and formulas as MathML."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import TypesetBody
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.page_shapes import TypesetShape
from groundwire.web.shapes import json_response

router = APIRouter(prefix="/api", tags=["page"], route_class=BodyRoute, responses=RESPONSES)


@router.post("/typeset", response_class=Response, responses={200: {"model": TypesetShape}})
async def typeset(body: TypesetBody, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Return what is coloured in programs, and formulas as trees of MathML; nothing is kept."""
    del caller
    return json_response(await site.typesetter.typeset(body))
