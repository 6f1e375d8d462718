"""What the API answers with: our nouns as JSON, and their shapes for the OpenAPI document."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from groundwire import chat
from groundwire.chat.budgets import cost_in_words
from groundwire.chat.cited_claims import marker_positions
from groundwire.citations import Folded, Marked, Removed, Source, Support
from groundwire.conversation import MessageKind, SearchMode, Status
from groundwire.model import Citation, SearchResult, Usage

if TYPE_CHECKING:
    from groundwire.chat.events import UsageReported
    from groundwire.conversation import ChatMessage
    from groundwire.model import Json


class Shape(BaseModel):
    """Something that is answered, made of one of our nouns."""

    model_config = ConfigDict(from_attributes=True)


class HealthShape(Shape):
    """That the server answers (`ok`) or takes requests (`ready`), and what it is.

    `shared` is whether it shares what lives with others: `ok`, `alone`, or what is wrong.
    """

    status: str
    version: str
    database: str
    shared: str = ""


class UserShape(Shape):
    """A person who signs in."""

    id: str
    name: str
    is_owner: bool


class MembershipShape(Shape):
    """A workspace, as a user sees it in lists."""

    id: str
    name: str
    role: str


class MemberShape(Shape):
    """A member of a workspace, and their role."""

    user_id: str
    name: str
    role: str


class TokenShape(Shape):
    """An API token, without its secret."""

    id: str
    workspace_id: str
    name: str
    role: str
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


class CreatedTokenShape(TokenShape):
    """A token as it is shown once."""

    token: str


class AuditShape(Shape):
    """A change of settings."""

    id: str
    at: datetime
    actor: str
    action: str
    subject: str
    workspace_id: str | None
    before: Any
    after: Any


class QuotaShape(Shape):
    """The most of a day; 0 is no limit, null what the settings say."""

    answers: int | None
    tokens: int | None
    cost_usd: float | None
    searches: int | None


class WorkspaceShape(Shape):
    """A workspace, where its agents may go, and how much they may use in a day."""

    id: str
    name: str
    web_search_enabled: bool
    web_fetch_enabled: bool
    web_allowed_domains: list[str]
    web_instructions: str
    citation_checks: str
    citation_judge: str
    quotas: QuotaShape
    created_at: datetime
    updated_at: datetime


class AgentShape(Shape):
    """An agent: its prompt, model and web search."""

    id: str
    workspace_id: str
    name: str
    description: str
    system_prompt: str
    preferred_provider_id: str | None
    preferred_model_id: str | None
    temperature: float | None
    web_search_enabled: bool
    thinking: str
    is_built_in: bool
    created_at: datetime
    updated_at: datetime


class SessionShape(Shape):
    """A conversation in the list."""

    id: str
    title: str
    agent_id: str
    created_at: datetime
    updated_at: datetime
    is_running: bool


class SessionsShape(Shape):
    """A page of the list; `next` is the `before` of the page after it."""

    sessions: list[SessionShape]
    next: str | None


class AttachmentShape(Shape):
    """A file beside a message."""

    type: str
    mime_type: str
    file_name: str
    id: str


class MarkerShape(Shape):
    """A marker of a finished answer: its label stands at `position` of the text.

    `check_position` is the `position` of its checks.
    """

    position: int
    check_position: int
    label: str
    numbers: list[int]
    unknown: list[str]
    struck: list[str]
    supports: list[Support]


class AnswerShape(Shape):
    """An answer as a page shows it; positions count characters of `text`."""

    text: str
    markers: list[MarkerShape]
    sources: list[Source]
    removed: list[Removed]
    folded: list[Folded]
    suggestions: str


class ToolRunShape(Shape):
    """One use of a tool; `arguments` is JSON as text."""

    id: str
    name: str
    mode: SearchMode
    status: Literal["running", "done", "failed", "waiting", "declined"]
    arguments: str
    query: str
    url: str
    title: str
    service: str
    results: list[SearchResult]
    error: str
    started_at: datetime
    seconds: float | None


class MessageShape(Shape):
    """A message, the user's or the answer to it; docs/web.md has what is inside."""

    id: str
    session_id: str
    kind: MessageKind
    content: str
    parent_id: str | None
    client_id: str | None
    status: Status
    attachments: list[AttachmentShape]
    thinking: str
    citations: list[Citation] | None
    answer: AnswerShape | None
    tool_runs: list[ToolRunShape]
    provider: str
    model: str
    mode: SearchMode
    reason: str
    usage: Usage | None
    cost_usd: float | None
    cost_is_partial: bool
    cost_text: str
    pages_read: int
    stop_reason: str
    error_code: str
    error: str
    checks_state: str
    created_at: datetime
    updated_at: datetime


class UsageEventShape(Shape):
    """The event `usage`: what the turn has cost so far, `cost_text` in words."""

    usage: Usage
    cost_usd: float | None
    cost_is_partial: bool
    cost_text: str


class ProviderTypeShape(Shape):
    """A kind of provider that can be added."""

    type: str
    title: str
    description: str
    base_url: str
    key_variable: str | None
    needs_key: bool
    key_url: str
    abilities: list[str]
    default_model: str


class ProviderShape(Shape):
    """A configured provider; of its key only the place is told.

    `is_default` is the one that answers where neither the agent nor the question names another.
    `base_url` is None for anybody but the owner. `is_simulated` if a demo plays it on this machine.
    """

    id: str
    name: str
    type: str
    base_url: str | None
    default_model: str
    is_default: bool
    is_simulated: bool
    has_key: bool
    key_place: str


class TestShape(Shape):
    """Whether a service answers; `fix` is what to do if it does not."""

    success: bool
    message: str
    code: str
    model_count: int
    fix: str = ""


class ModelShape(Shape):
    """A model that a provider offers; `thinking` are the choices that it can be told.

    The prices are in dollars for a million tokens and for one search, null where unknown.
    """

    model: str
    title: str
    shutdown_date: str
    searches_itself: bool
    thinking: list[str]
    takes_temperature: bool
    search_price_usd: float | None
    input_price_usd: float | None
    output_price_usd: float | None


class ModelsShape(Shape):
    """The models of a provider."""

    models: list[ModelShape]


class ToolShape(Shape):
    """A tool that an agent has."""

    name: str
    title: str
    description: str
    writes: bool
    input_schema: dict[str, Any]


def json_response(value: object, status: int = 200) -> Response:
    """Return JSON that is right by construction, without checking it once more."""
    return Response(orjson.dumps(value), status, media_type="application/json")


def usage_json(event: UsageReported) -> dict[str, object]:
    """Return what a turn has cost so far as a page shows it."""
    words = cost_in_words(event.cost_usd, is_partial=event.cost_is_partial)
    return {**chat.event_fields(event), "cost_text": words}


def message_json(message: ChatMessage) -> dict[str, object]:
    """Return a message as a page shows it."""
    shown = chat.message_fields(message)
    for position, each in enumerate(shown["attachments"]):
        each["id"] = f"{message.id}.{position}"
    shown["answer"] = message.marked and _answer_json(message.marked, shown["answer"])
    shown["cost_text"] = cost_in_words(message.cost_usd, is_partial=message.cost_is_partial)
    # Who told nothing of usage has none: so it is kept, and so it is streamed.
    if message.usage == Usage():
        shown["usage"] = None
    return shown


def _answer_json(marked: Marked, answer: Json) -> dict[str, object]:
    """Return an answer with what a page needs of its markers and sources."""
    positions = marker_positions(marked)
    return {
        "text": marked.text,
        "markers": [
            {
                "position": each["start"],
                "check_position": position,
                "label": marked.text[each["start"] : each["end"]],
                "numbers": each["numbers"],
                "unknown": each["unknown"],
                "struck": each["struck"],
                "supports": each["supports"],
            }
            for each, position in zip(answer["markers"], positions, strict=True)
        ],
        "sources": [
            {**told, "is_marked": source.is_marked}
            for told, source in zip(answer["sources"], marked.sources, strict=True)
        ],
        "removed": answer["removed"],
        "folded": answer["folded"],
        "suggestions": answer["suggestions"],
    }
