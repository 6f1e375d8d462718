"""The table `library`: what may be put into workspaces' libraries on the page."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Table


class LibrarySettings(Table):
    """What may be put into a library on the page."""

    folders: list[str] = Field(
        default=[],
        description="Folders of the server that the owner may add on the page, with all that is "
        "below them. Without any, none can be added there.",
    )
    max_file_bytes: int = Field(
        default=50_000_000, ge=1, le=50_000_000, description="Most bytes of one uploaded file."
    )
    max_uploads_bytes: int = Field(
        default=2_000_000_000,
        ge=1,
        description="Most bytes of all uploaded files of one workspace.",
    )
