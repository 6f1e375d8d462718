"""What reading a document gives."""

from __future__ import annotations

from dataclasses import dataclass

NEEDS_BROWSER = "this page is made by scripts; read it with crawl4ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What a document says: its title and its matter as Markdown.

    `problem` says why there is nothing to read, and what to do about it; "" if there is.
    `is_cut` means that the document goes on after the Markdown, or deeper than we read. With
    `has_pages` a rule ends each of its pages.
    """

    title: str = ""
    markdown: str = ""
    problem: str = ""
    is_cut: bool = False
    has_pages: bool = False
