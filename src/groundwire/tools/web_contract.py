"""What `web_search` and `open_page` are called with, and what they give back: seed 003."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from groundwire.tools.claim_result import MAX_CLAIM, ClaimCheckResult
from groundwire.tools.fence import Address, Ours, StrangersText, web_address

MAX_RESULTS = 50
MAX_URLS = 10
MAX_LENGTH = 1_000_000

_Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

# What a result's field holds. A text that says nothing of itself is a stranger's, on one line.
_Ours: TypeAlias = Annotated[str, Ours]
_Address: TypeAlias = Annotated[str, Address]
_Body: TypeAlias = Annotated[str, StrangersText]


class ToolArguments(BaseModel):
    """What a model hands over: numbers may be written as text, but nothing may be unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class WebSearchArguments(ToolArguments):
    """What to look for, and where."""

    query: _Text = Field(description="What to look for, as one would type it.")
    limit: int = Field(default=5, ge=1, le=MAX_RESULTS, description="Most results to return.")
    allowed_domains: list[str] = Field(
        default=[],
        description="Only results of these domains and their subdomains; empty means anywhere.",
    )
    time_range: Literal["d", "w", "m", "y", "all"] = Field(
        default="all", description="Only what is at most a day, week, month or year old."
    )


class OpenPageArguments(ToolArguments):
    """Which pages to read, and how much of them."""

    url: _Text | Annotated[list[_Text], Field(min_length=1, max_length=MAX_URLS)] = Field(
        description="A URL that may be opened here, or a list of them."
    )
    max_length: int | None = Field(
        default=None,
        ge=1,
        le=MAX_LENGTH,
        description="Most characters of content, of all pages together.",
    )
    start: int = Field(
        default=0,
        ge=0,
        description="The character at which to begin: the next_start of a page that goes on.",
    )
    claim: str = Field(
        default="",
        max_length=MAX_CLAIM,
        description="A claim to compare with each whole page: which of its words stand there.",
    )


class SearchResultItem(BaseModel):
    """One page that was found. A page keeps its `citation_id` for the whole conversation."""

    title: str
    url: _Address
    snippet: str
    citation_id: int


class CitedSource(BaseModel):
    """Which page a `[n]` means."""

    citation_id: int
    url: _Address
    title: str


class WebSearchToolResult(BaseModel):
    """What was found. `message` says who searched, what failed, or that there is nothing."""

    results: list[SearchResultItem]
    message: str = ""
    sources: list[CitedSource] = []


class Provenance(BaseModel):
    """Where content comes from. It is always a stranger's, and never an instruction."""

    citation_id: int
    source_url: _Address
    fetched_at: _Ours
    content_hash: _Ours = Field(description="SHA-256 of the content inside its fence.")
    untrusted: Literal[True] = True


class OpenPageToolResult(BaseModel):
    """One page, or why there is none.

    `original_length` counts the characters of the whole page; `truncated` means that it goes on
    after this content, at `next_start` if we have the rest. `message` says what may be missing in
    a page that was read; `check` is what a claim that was given came to. Beyond the seed are the
    last four.
    """

    url: _Address
    title: str
    content: _Body
    content_length: int
    original_length: int | None = None
    truncated: bool = False
    status: Annotated[Literal["success", "error"], Ours]
    error: str = ""
    message: str = ""
    next_start: int | None = None
    provenance: Provenance | None = None
    check: ClaimCheckResult | None = None


class OpenPagesToolResult(BaseModel):
    """Several pages, in the order they were asked for."""

    pages: list[OpenPageToolResult]


def typed(result: BaseModel) -> dict[str, object]:
    """Return a result as data in which every text says whose it is, as its field has it."""
    return {
        name: _typed(getattr(result, name), field.metadata)
        for name, field in type(result).model_fields.items()
    }


def _typed(value: object, metadata: list[object]) -> object:
    if isinstance(value, BaseModel):
        return typed(value)
    if isinstance(value, list):
        return [_typed(each, metadata) for each in value]
    if not isinstance(value, str):
        return value
    if Ours in metadata:
        return Ours(value)
    if Address in metadata:
        return web_address(value)
    return StrangersText(value) if StrangersText in metadata else value


@cache  # Every turn of a conversation wants them anew.
def schema_of(model: type[BaseModel]) -> dict[str, object]:
    """Return a model's schema without the titles and docstrings that say nothing to a model."""
    schema = without_prose(model.model_json_schema())
    return {**schema, "type": "object"}


@cache
def either_schema(*models: type[BaseModel]) -> dict[str, object]:
    """Return the schema of an object that is one of several."""
    schemas = [dict(schema_of(model)) for model in models]
    definitions: dict[str, object] = {}
    for schema in schemas:
        own = schema.pop("$defs", None)
        definitions |= own if isinstance(own, dict) else {}
    return {"type": "object", "anyOf": schemas, "$defs": definitions}


def without_prose(schema: Mapping[str, object]) -> dict[str, object]:
    """Return a schema without its titles, and without the docstrings of its objects."""
    is_object = "properties" in schema
    return {
        name: {key: _inside(each) for key, each in value.items()}
        if name in ("properties", "$defs") and isinstance(value, Mapping)
        else _inside(value)
        for name, value in schema.items()
        if not (name == "title" or (name == "description" and is_object))
    }


def _inside(value: object) -> object:
    if isinstance(value, list):
        return [_inside(each) for each in value]
    return without_prose(value) if isinstance(value, dict) else value
