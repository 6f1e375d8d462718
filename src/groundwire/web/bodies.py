"""What requests may hold: strangers' data, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from fastapi import Path, Query
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from groundwire.config.settings.check_table import CheckedPages
from groundwire.conversation import Role
from groundwire.web.json_body import LargeBase64, is_base64
from groundwire.wire.attachments import is_text_type

MAX_TEXT_LENGTH = 200_000
"""The longest text that any body has."""

MAX_TYPESET_LENGTH = 100_000
"""Most characters of code and formulas that are typeset at once."""

MAX_TEXT_FILES_LENGTH = 4_000_000
"""Most characters of base64 of all text files of a message."""

_ID = r"^[A-Za-z0-9_.-]+$"
_MIME_TYPE = r"^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$"
Id: TypeAlias = Annotated[str, Path(min_length=1, max_length=80, pattern=_ID)]
Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=80, pattern=_ID)]
WorkspaceId: TypeAlias = Annotated[
    str | None,
    Query(min_length=1, max_length=80, pattern=_ID, description="Without it, the caller's first."),
]


def _keepable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("it contains a NUL character: remove it")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it contains an unpaired surrogate: remove it") from None
    return text


def _keepable_secret(secret: SecretStr) -> SecretStr:
    _keepable(secret.get_secret_value())
    return secret


def _named(text: str) -> str:
    if not text.strip():
        raise ValueError("it must not be empty")
    return " ".join(text.split())


def _base64(given: object, check_text: ValidatorFunctionWrapHandler) -> str:
    if isinstance(given, LargeBase64):
        # It was checked where it was parsed, beside the event loop.
        return str(check_text(given.text))
    text = str(check_text(given))
    if not is_base64([text.encode(errors="replace")]):
        raise ValueError("it is not valid base64")
    return text


def _unwrapped(given: object) -> object:
    if not isinstance(given, LargeBase64):
        return given
    if len(given.text) > MAX_TEXT_LENGTH:
        raise ValueError(f"it is longer than {MAX_TEXT_LENGTH} characters: shorten it")
    return given.text


# A long word of nothing but letters is base64 too.
Text: TypeAlias = Annotated[str, BeforeValidator(_unwrapped), AfterValidator(_keepable)]
SecretText: TypeAlias = Annotated[SecretStr, AfterValidator(_keepable_secret)]
Name: TypeAlias = Annotated[Text, Field(min_length=1, max_length=100), AfterValidator(_named)]
Password: TypeAlias = Annotated[SecretText, Field(min_length=8, max_length=200)]
Domains: TypeAlias = Annotated[
    list[Annotated[Text, Field(max_length=300)]], Field(max_length=1_000)
]
Thinking: TypeAlias = Literal["off", "on", "low", "medium", "high"]
Temperature: TypeAlias = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class RequestBody(BaseModel):
    """A body: what it does not know is refused, and what it holds is not repeated in errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class LoginBody(RequestBody):
    """A name and its password."""

    name: Annotated[Text, Field(max_length=200)]
    password: Annotated[SecretText, Field(max_length=200)]


class PasswordChange(RequestBody):
    """Somebody's password, and what shall take its place."""

    old_password: Annotated[SecretText, Field(max_length=200)]
    new_password: Password


class SetupBody(RequestBody):
    """The first user, and the token that the console showed."""

    token: Annotated[SecretText, Field(max_length=200)]
    name: Name
    password: Password


class NewUser(RequestBody):
    """A user to add."""

    name: Name
    password: Password


class NewRole(RequestBody):
    """What a user may do in a workspace."""

    role: Role


class NewToken(RequestBody):
    """A token to make: good for one workspace and role.

    It ends after so many days, at the latest, and by default, after `web.token_days`.
    """

    name: Name
    role: Role = Role.MEMBER
    workspace_id: Key | None = None
    expires_in_days: Annotated[int, Field(ge=1, le=3_650)] | None = None


class NewWorkspace(RequestBody):
    """A workspace to add."""

    name: Name


class QuotaBody(RequestBody):
    """The most of a day; 0 is no limit, null what the settings say."""

    answers: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = None
    tokens: Annotated[int, Field(ge=0, le=1_000_000_000_000)] | None = None
    cost_usd: Annotated[float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)] | None = None
    searches: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = None


class WorkspaceChange(RequestBody):
    """The fields of a workspace to change.

    `citation_checks` and `citation_judge` of "" are what the settings say; a judge is a provider,
    by its id or name, or off. `quotas` are the owner's alone to change, all at once.
    """

    name: Name | None = None
    web_search_enabled: bool | None = None
    web_fetch_enabled: bool | None = None
    web_allowed_domains: Domains | None = None
    web_instructions: Annotated[Text, Field(max_length=20_000)] | None = None
    citation_checks: Literal["", "off", "opened", "all"] | None = None
    citation_judge: Annotated[Text, Field(max_length=200)] | None = None
    quotas: QuotaBody | None = None


class NewAgent(RequestBody):
    """An agent to add."""

    name: Name
    description: Annotated[Text, Field(max_length=2_000)] = ""
    system_prompt: Annotated[Text, Field(max_length=100_000)] = ""
    preferred_provider_id: Key | None = None
    preferred_model_id: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    temperature: Temperature | None = None
    web_search_enabled: bool = False
    thinking: Thinking | Literal[""] = ""
    workspace_id: Key | None = None


class AgentChange(RequestBody):
    """The fields of an agent to change; None is a value of its own for the last three.

    A `thinking` of "" is what the provider's settings say.
    """

    name: Name | None = None
    description: Annotated[Text, Field(max_length=2_000)] | None = None
    system_prompt: Annotated[Text, Field(max_length=100_000)] | None = None
    web_search_enabled: bool | None = None
    thinking: Thinking | Literal[""] | None = None
    preferred_provider_id: Key | None = None
    preferred_model_id: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    temperature: Temperature | None = None


class AttachedFile(RequestBody):
    """A file beside a message."""

    type: Literal["image", "file"]
    mime_type: Annotated[str, Field(max_length=100, pattern=_MIME_TYPE)]
    base64_data: Annotated[str, Field(max_length=22_000_000), WrapValidator(_base64)]
    file_name: Annotated[Text, Field(max_length=255)] = ""


class NewMessage(RequestBody):
    """A message to an agent.

    `parent_id` is the message after which it comes: left out, the newest of the session; null,
    none, so that it begins the session or stands beside its first question. With `retry_of`,
    each of `search`, `domains`, `provider_id`, `model` and `thinking` that is left out is as it
    was for that answer; a `provider_id`, `model` or `thinking` of null is the agent's.
    """

    text: Annotated[Text, Field(max_length=MAX_TEXT_LENGTH)] = ""
    session_id: Key | None = None
    parent_id: Key | None = None
    client_id: Annotated[str, Field(min_length=1, max_length=80, pattern=_ID)] | None = None
    search: Literal["auto", "hosted", "client", "off"] = "auto"
    domains: Annotated[list[Annotated[Text, Field(max_length=300)]], Field(max_length=100)] = []
    attachments: Annotated[list[AttachedFile], Field(max_length=20)] = []
    provider_id: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    model: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    thinking: Thinking | None = None
    retry_of: Key | None = None

    @model_validator(mode="after")
    def _check_text_files(self) -> Self:
        """Refuse more text than any model reads: it would be decoded and encoded whole."""
        texts = (each for each in self.attachments if is_text_type(each.mime_type))
        if sum(len(each.base64_data) for each in texts) > MAX_TEXT_FILES_LENGTH:
            raise ValueError("the text files are over 3 MB in total: attach fewer, or a PDF")
        return self


class Decisions(RequestBody):
    """The user's approval or refusal of each tool call that waits."""

    message_id: Key
    decisions: Annotated[
        dict[Annotated[Text, Field(max_length=200)], bool], Field(max_length=100)
    ] = {}


class NewFeedback(RequestBody):
    """What the user says of an answer, in place of what they said before; "" takes it back."""

    rating: Literal["", "up", "down"] = ""
    note: Annotated[Text, Field(max_length=2_000)] = ""


class CodeText(RequestBody):
    """A program to colour, and the language that its block names."""

    text: Annotated[Text, Field(max_length=100_000)]
    language: Annotated[Text, Field(min_length=1, max_length=40)]


class FormulaText(RequestBody):
    """A formula in LaTeX, without the signs around it."""

    text: Annotated[Text, Field(min_length=1, max_length=1_000)]
    is_display: bool = False


class TypesetBody(RequestBody):
    """What of an answer is to be typeset: 100,000 characters of it at once."""

    code: Annotated[list[CodeText], Field(max_length=50)] = []
    math: Annotated[list[FormulaText], Field(max_length=200)] = []

    @model_validator(mode="after")
    def _check_length(self) -> Self:
        texts = [each.text for each in self.code] + [each.text for each in self.math]
        if sum(map(len, texts)) > MAX_TYPESET_LENGTH:
            raise ValueError(f"it is over {MAX_TYPESET_LENGTH} characters in total: send less")
        return self


class NewSession(RequestBody):
    """A session to begin, empty."""

    agent_id: Key | None = None
    title: Annotated[Text, Field(max_length=200)] = ""
    workspace_id: Key | None = None


class SessionChange(RequestBody):
    """Another title."""

    title: Annotated[Text, Field(min_length=1, max_length=200)]


class NewProvider(RequestBody):
    """A provider to add."""

    name: Name
    type: Annotated[Text, Field(min_length=1, max_length=50)]
    base_url: Annotated[Text, Field(max_length=500)] = ""
    default_model: Annotated[Text, Field(max_length=200)] = ""


class ProviderChange(RequestBody):
    """The fields of a provider to change; the default changes by choosing another."""

    name: Name | None = None
    base_url: Annotated[Text, Field(max_length=500)] | None = None
    default_model: Annotated[Text, Field(max_length=200)] | None = None
    is_default: Literal[True] | None = None


class NewKey(RequestBody):
    """A key: it goes to the key store and is never returned."""

    key: Annotated[SecretText, Field(min_length=1, max_length=5_000)]


ServiceNames: TypeAlias = Annotated[
    list[Annotated[Text, Field(min_length=1, max_length=50)]], Field(min_length=1, max_length=10)
]


class ChecksChange(RequestBody):
    """How citations are compared with their pages; a judge is a provider by its id or name."""

    pages: CheckedPages | None = None
    max_pages: Annotated[int, Field(ge=0, le=1_000)] | None = None
    seconds: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] | None = None
    judge: Annotated[Text, Field(max_length=200)] | None = None
    judge_model: Annotated[Text, Field(max_length=200)] | None = None
    judge_claims: Annotated[int, Field(ge=0, le=1_000)] | None = None


class WebChange(RequestBody):
    """Who searches and reads, in order, when the next one searches, what is compared and shown."""

    search_provider: ServiceNames | None = None
    read_provider: ServiceNames | None = None
    next_on_nothing: bool | None = None
    source_icons: bool | None = None
    checks: ChecksChange | None = None


class SearchTrial(RequestBody):
    """Where a search is tried; nowhere named is everywhere."""

    domains: Domains = []


class NewLibrarySource(RequestBody):
    """A folder of the server or a page of the web, to be read into a workspace's library."""

    kind: Literal["folder", "url"]
    location: Annotated[str, AfterValidator(_keepable), Field(min_length=1, max_length=4_000)]
    refresh_hours: Annotated[int, Field(ge=0, le=8_784)] = 0


class LibrarySourceChange(RequestBody):
    """How often a source is read again; 0 is never by itself."""

    refresh_hours: Annotated[int, Field(ge=0, le=8_784)]
