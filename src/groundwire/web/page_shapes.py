"""The JSON that a page begins with: who is asking, and what this server offers them."""

from __future__ import annotations

from typing import Literal

from groundwire.web.shapes import MembershipShape, Shape, UserShape


class StarterShape(Shape):
    """A question that an empty chat offers; `agent` is the name of who answers it, "" for any."""

    text: str
    agent: str


class ExportFormatShape(Shape):
    """A form in which answers and chats can be had: the `format` of a URL, and its name."""

    format: str
    title: str
    of: list[Literal["answer", "chat"]]


class MeShape(Shape):
    """Who is asking, what they can see, and what a page offers them."""

    user: UserShape | None
    needs_login: bool
    needs_setup: bool
    workspaces: list[MembershipShape]
    version: str
    starters: list[StarterShape]
    exports: list[ExportFormatShape]
