"""Metrics for Prometheus, for whoever has the token of the settings."""

from __future__ import annotations

import hmac

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from groundwire.web.access import SiteNeeded
from groundwire.web.error_responses import RESPONSES, WebError

router = APIRouter(tags=["about"], responses=RESPONSES)


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request, site: SiteNeeded) -> Response:
    """Return the figures of this server; without `metrics.token` there is no such page."""
    token = site.program.settings.metrics.token
    if not token or site.metrics is None:
        raise WebError(404, "there is no such page: set metrics.token to have one")
    shown = request.headers.get("authorization", "")
    if not hmac.compare_digest(shown.encode(), f"Bearer {token}".encode()):
        raise WebError(401, "Invalid or missing token: send metrics.token as a bearer token.")
    from groundwire.web.metrics import CONTENT_TYPE  # noqa: PLC0415 - loaded where it is wanted

    return Response(site.metrics.text(), media_type=CONTENT_TYPE)
