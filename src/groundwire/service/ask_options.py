"""What `ask` and `stream` take beside the question, for the type checker and for the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from groundwire.catalog import ThinkingChoice
from groundwire.conversation import Choices, SearchChoice
from groundwire.errors import ConfigError, GroundwireError, RefusedError
from groundwire.wire.decoder import REFUSALS
from groundwire.wire.errors import error_from_code

if TYPE_CHECKING:
    from groundwire.chat import Answer
    from groundwire.chat.events import TurnFailed
    from groundwire.model import Attachment
    from groundwire.tools import Tool

SearchWord: TypeAlias = "SearchChoice | Literal['auto', 'hosted', 'client', 'off']"
"""Who shall search."""

ThinkingWord: TypeAlias = "ThinkingChoice | Literal['', 'off', 'on', 'low', 'medium', 'high']"
"""How a model shall think; "" leaves it to the agent."""

_NONE_CHOSEN = Choices()

OwnTools: TypeAlias = "Sequence[Tool | Callable[..., object]]"
"""Tools of a program's own: functions with type hints and a docstring, or `Tool`s."""


class AskOptions(TypedDict, total=False):
    """The options of `ask` and `stream`; everything has a default."""

    agent: str
    """Who answers, by name or id; else the first one."""

    session: str
    """The id of the session that goes on; else a new one begins."""

    provider: str
    """Whose model is asked; else the agent's."""

    model: str
    """Which model; else the provider's default."""

    search: SearchWord
    """Who shall search; else what fits the model and the domains."""

    domains: Sequence[str]
    """Only sources of these domains and their subdomains."""

    thinking: ThinkingWord
    """How the model shall think; else as its agent says."""

    attachments: Sequence[Attachment]
    """Pictures and documents that go with the question."""

    tools: OwnTools
    """What the model may call beside the web's tools."""


def check_options(given: Mapping[str, object], options: type) -> None:
    """Check that `options`, a TypedDict, has an option of every name given.

    Raises:
        TypeError: There is none; the message names the nearest one.
    """
    known = options.__annotations__
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else ", ".join(known)
            raise TypeError(f"there is no option {name!r}: {hint}")


def domain_list(domains: Sequence[str]) -> tuple[str, ...]:
    """Return domains as they were given.

    Raises:
        ConfigError: It is one text: its letters would be taken for domains.
    """
    if isinstance(domains, str):
        raise ConfigError(f"domains is a list: domains=[{domains!r}]")
    return tuple(domains)


def check_question(text: str, options: AskOptions) -> None:
    """Check that there is something to answer.

    Raises:
        ConfigError: There is neither a question nor a file.
    """
    if not text.strip() and not options.get("attachments"):
        raise ConfigError("the question is empty: ask something, or attach a file")


def chosen(options: AskOptions, otherwise: Choices = _NONE_CHOSEN) -> Choices:
    """Return what is chosen for a question; what is left out is as it would be otherwise.

    Raises:
        ConfigError: There is no such choice of search or thinking.
    """
    has = options.keys()
    return Choices(
        search=search_choice(options["search"]) if "search" in has else otherwise.search,
        domains=domain_list(options["domains"]) if "domains" in has else otherwise.domains,
        thinking=thinking_choice(options["thinking"]) if "thinking" in has else otherwise.thinking,
    )


def search_choice(search: str) -> SearchChoice:
    """Return who shall search, by its word.

    Raises:
        ConfigError: There is no such word.
    """
    try:
        return SearchChoice(search)
    except ValueError as error:
        known = ", ".join(SearchChoice)
        raise ConfigError(f"search cannot be {search!r}: it is one of {known}") from error


def thinking_choice(thinking: str) -> ThinkingChoice | None:
    """Return how a model shall think, by its word; None for "", which is the agent's choice.

    Raises:
        ConfigError: There is no such word.
    """
    try:
        return ThinkingChoice(thinking) if thinking else None
    except ValueError as error:
        known = ", ".join(ThinkingChoice)
        raise ConfigError(f"thinking cannot be {thinking!r}: it is one of {known}") from error


def failure_of(answer: Answer, failed: TurnFailed | None) -> GroundwireError | None:
    """Return the error that a turn ended with, with what had come; None if there is an answer.

    An answer that a budget cut short is one, with the reason in `incomplete`, if it has any text.
    """
    message = answer.message
    if failed is not None:
        if failed.code.startswith("budget_") and answer.text:
            return None
        wait = failed.retry_after_seconds
        error = error_from_code(failed.code, message.provider, failed.message, wait)
    elif message.stop_reason in REFUSALS:
        reason = f"the answer was refused ({message.stop_reason})"
        error = RefusedError(message.provider, reason, fix="ask in other words")
    else:
        return None
    error.answer = answer
    return error
