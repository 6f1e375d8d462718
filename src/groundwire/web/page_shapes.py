"""The JSON that a page begins with: who is asking, and what this server offers them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import WithJsonSchema

from groundwire.web.shapes import MembershipShape, Shape, UserShape

# OpenAPI has no form for it that all its readers know.
_Colour: TypeAlias = Annotated[tuple[int, int, str], WithJsonSchema({"type": "array", "items": {}})]


class StarterShape(Shape):
    """A question that an empty chat offers; `agent` is the name of who answers it, "" for any."""

    text: str
    agent: str


class ExportFormatShape(Shape):
    """A form in which answers and chats can be had: the `format` of a URL, and its name."""

    format: str
    title: str
    of: list[Literal["answer", "chat"]]


class TypesetShape(Shape):
    """What is coloured in each program, and each formula as MathML.

    A colour is start, end (in UTF-16 units) and kind. A formula is a name, attributes and what is
    inside; null where it cannot be read.
    """

    code: list[list[_Colour]]
    math: list[Any | None]


class FollowUpsShape(Shape):
    """Questions to go on with after an answer."""

    questions: list[str]


class LeadShape(Shape):
    """Where the page goes next: an address of the single sign-on's provider."""

    next: str


class MeShape(Shape):
    """Who is asking, what they can see, and what a page offers them.

    `sso` is what the login page continues with, "" where there is no single sign-on;
    `is_connected` is whether the user can sign in with it, `has_password` whether with a password.
    `has_quotas` is whether a quota holds
    for the user or for one of the workspaces, `has_icons` whether sources have icons.
    """

    user: UserShape | None
    needs_login: bool
    needs_setup: bool
    workspaces: list[MembershipShape]
    version: str
    starters: list[StarterShape]
    exports: list[ExportFormatShape]
    sso: str
    is_connected: bool
    has_password: bool
    has_quotas: bool
    has_icons: bool
