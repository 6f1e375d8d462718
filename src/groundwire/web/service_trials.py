"""What trying a service showed, as the settings page tells it: the reason, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import doctor
from groundwire.errors import GroundwireError, SearchFailedError
from groundwire.text.plural import plural
from groundwire.web.shapes import TestShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.service.program import Groundwire

_QUERY = "otters"
_EVERYWHERE = "*"


def failed_test(error: GroundwireError, name: str, role: str) -> TestShape:
    """Return why a service did not answer, for its owner, and the fix that `doctor` knows."""
    return TestShape(
        success=False,
        message=error.with_address(),
        code=error.code,
        model_count=0,
        fix=doctor.fix_of(error, name, role),
    )


async def tried_search(program: Groundwire, domains: Sequence[str]) -> TestShape:
    """Search with the services of the settings, in some domains only; none are all."""
    only = [] if _EVERYWHERE in domains else [*domains]
    place = f" in {', '.join(only[:3])}{' …' if len(only) > 3 else ''}" if only else ""
    try:
        reply = await program.search(_QUERY, domains=only, limit=3)
    except SearchFailedError as error:
        # It ends with what would work instead.
        return TestShape(success=False, message=str(error), code=error.code, model_count=0)
    count = plural(len(reply.results), "page")
    if reply.results:
        found = f"{reply.service} found {count}{place}"
        return TestShape(success=True, message=found, code="", model_count=0)
    return TestShape(
        success=True,
        message=f"{reply.service} works, and has no page on {_QUERY!r}{place}",
        code="",
        model_count=0,
    )
