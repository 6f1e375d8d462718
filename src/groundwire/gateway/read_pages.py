"""The pages that our tool reads in a turn, for a client that asked its provider to read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.tools import Progress, Tool, ToolOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPage:
    """What of a page the model was told; `url` is where it was found in the end."""

    url: str
    title: str = ""
    text: str = ""
    is_readable: bool = True


class ReadPages:
    """Keeps pages by the URLs that the model named."""

    def __init__(self) -> None:
        self._pages: dict[str, ReadPage] = {}

    def find(self, url: str) -> ReadPage:
        """Return a page; only its address where nothing was kept of it."""
        return self._pages.get(url) or ReadPage(url=url)

    def noting(self, tool: Tool) -> Tool:
        """Return the tool that opens pages, with what it reads kept here."""

        async def run(arguments: object, progress: Progress) -> ToolOutput:
            output = await tool.run(arguments, progress)
            wanted = arguments.get("url") if isinstance(arguments, Mapping) else None
            urls = dict.fromkeys(wanted) if isinstance(wanted, list) else [str(wanted)]
            pages = output.plain.get("pages") or [output.plain]
            # They come in the order in which they were named.
            for url, page in zip(urls, pages, strict=False):
                self._pages[url] = ReadPage(
                    url=page.get("url") or url,
                    title=page.get("title") or "",
                    text=page.get("content") or "",
                    is_readable=page.get("status") == "success",
                )
            return output

        return replace(tool, run=run)
