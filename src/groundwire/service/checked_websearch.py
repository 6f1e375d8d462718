"""The `websearch` tools with checks: what their answers cite is compared with the pages."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.tools import Ours, ToolOutput, for_model
from groundwire.tools.fence import web_address
from groundwire.tools.websearch.results import OUTPUT_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.checks import CitationCheck
    from groundwire.search import SearchContext
    from groundwire.service.text_check import TextCheck
    from groundwire.tools import Tool
    from groundwire.tools.tool import Progress

_SCHEMA = {
    "checks": {
        "type": "array",
        "description": "What each citation came to when it was compared with its page: literal "
        "facts, no verdict. Absent if nothing was compared.",
        "items": {"type": "object"},
    },
    "checkSummary": {"type": "string", "description": "All of them in one line."},
}


def with_checks(tools: Sequence[Tool], search_context: SearchContext) -> tuple[Tool, ...]:
    """Return tools whose cited answers are compared with their pages, as the settings say."""
    if search_context.settings.checks.pages != "all":
        return tuple(tools)
    return tuple(_with_checks(tool, search_context) for tool in tools)


def _with_checks(tool: Tool, search_context: SearchContext) -> Tool:
    async def run(arguments: object, progress: Progress) -> ToolOutput:
        output = await tool.run(arguments, progress)
        if output.is_error or not output.plain.get("sources"):
            return output
        try:
            async with asyncio.timeout(search_context.settings.checks.seconds):
                found = await _compared(output, search_context)
        except TimeoutError:
            return output
        return _told(output, found) if found.checks else output

    known = OUTPUT_SCHEMA["properties"]
    properties = {**(known if isinstance(known, dict) else {}), **_SCHEMA}
    return replace(tool, run=run, output_schema={**OUTPUT_SCHEMA, "properties": properties})


async def _compared(output: ToolOutput, search_context: SearchContext) -> TextCheck:
    from groundwire.checks.cited_text import parse_cited  # noqa: PLC0415 - only where it cites
    from groundwire.search import ReadChain  # noqa: PLC0415 - as above
    from groundwire.service.text_check import TextChecker, WebPages  # noqa: PLC0415 - as above

    limit = search_context.settings.checks.max_pages
    checker = TextChecker(WebPages(ReadChain(search_context)), max_pages=limit)
    return await checker.check(parse_cited(output.plain["llmContent"]))


def _told(output: ToolOutput, found: TextCheck) -> ToolOutput:
    # Only counts: of the claims and the pages no word is ours.
    summary = Ours(f"Citations compared with their pages: {found.summary}.")
    content = for_model(output.data["llmContent"], summary, has_notice=False)
    checks = [_data(each.citation) for each in found.checks]
    data = {**output.data, "llmContent": content, "checks": checks, "checkSummary": summary}
    return ToolOutput(text=content, data=data, service=output.service, spent=output.spent)


def _data(citation: CitationCheck) -> dict[str, object]:
    """Return one check for an agent: what we decide is ours, the words of others are theirs."""
    from groundwire.checks import facts_in_words, state_of  # noqa: PLC0415 - as above

    check = citation.check
    state, reason = state_of(check).value, check.not_compared
    return {
        "number": citation.number,
        "claim": citation.claim,
        "url": web_address(citation.url),
        "state": Ours(state),
        "not_compared": Ours(reason.value) if reason else None,
        "facts": [*facts_in_words(check)],
        "missing_numbers": [*check.missing_numbers],
        "missing_names": [*check.missing_names],
    }
