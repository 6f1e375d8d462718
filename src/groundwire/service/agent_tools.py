"""Tools with which an agent sets up providers: each waits for the owner's approval.

Only the owner is offered them, and what does the work checks and notes who asks, as it
does for the routes.

None of them takes a key: a conversation is sent to a provider and kept, and a key belongs in
neither.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwire.conversation import ProviderRecord
from groundwire.errors import GroundwireError
from groundwire.redaction import without_keys
from groundwire.tools import Ours, Progress, Tool, ToolOutput, for_model
from groundwire.tools.fence import fenced_data, plain_data
from groundwire.tools.web_contract import schema_of

if TYPE_CHECKING:
    from groundwire.service.provider_settings import ProviderSettings

_NO_KEYS = (
    "a key was in the arguments and was thrown away: enter it in Settings, Providers, or with "
    "`groundwire keys set`"
)


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class CreateProvider(_Arguments):
    """A provider to add."""

    name: str = Field(min_length=1, max_length=100, description="How the user will call it.")
    type: str = Field(description="Which kind of API it speaks, such as openai or anthropic.")
    base_url: str = Field(default="", description="Its address, if not the service's own.")


class FetchModels(_Arguments):
    """A provider whose models are fetched."""

    provider: str = Field(description="The provider's name.")


class SetDefaultModel(_Arguments):
    """A provider and the model it uses from now on."""

    provider: str = Field(description="The provider's name.")
    model: str = Field(min_length=1, description="The model's id.")


class ProviderTools:
    """What the three tools do, over the store."""

    def __init__(self, provider_settings: ProviderSettings) -> None:
        self._provider_settings = provider_settings

    async def create(self, given: CreateProvider) -> dict[str, object]:
        """Keep a new provider."""
        record = ProviderRecord(name=given.name, type=given.type, base_url=given.base_url)
        await self._provider_settings.add(record)
        return {
            "provider": Ours(record.name),
            "message": Ours(
                f"{record.name} was added. If it needs a key, the user enters it in Settings, "
                "Providers."
            ),
        }

    async def fetch(self, given: FetchModels) -> dict[str, object]:
        """Ask a provider for its models and keep the list."""
        record = await self._provider_settings.get(given.provider)
        models = await self._provider_settings.fetch_models(record)
        return {"provider": Ours(record.name), "models": [model.model for model in models]}

    async def choose(self, given: SetDefaultModel) -> dict[str, object]:
        """Set the model that a provider uses."""
        record = await self._provider_settings.get(given.provider)
        await self._provider_settings.set_default_model(record, given.model)
        return {"provider": Ours(record.name), "default_model": Ours(given.model)}


def provider_tools(provider_settings: ProviderSettings) -> tuple[Tool, ...]:
    """Return the tools that set up providers, none where the actor may not use them."""
    if not provider_settings.actor.is_owner:
        return ()
    work = ProviderTools(provider_settings)
    return (
        _tool("create_provider", "Add a provider", CreateProvider, work.create),
        _tool("fetch_models", "Fetch a provider's models", FetchModels, work.fetch),
        _tool("set_default_model", "Set a default model", SetDefaultModel, work.choose),
    )


def _tool(
    name: str,
    title: str,
    kind: type[BaseModel],
    work: Callable[..., Awaitable[dict[str, object]]],
) -> Tool:
    async def run(arguments: object, progress: Progress) -> ToolOutput:  # noqa: ARG001 - a tool gets it
        written = json.dumps(arguments)
        if without_keys(written) != written:
            return _output({"error": Ours(_NO_KEYS)}, is_error=True)
        try:
            given = kind.model_validate(arguments)
            return _output(await work(given))
        except ValidationError as error:
            problems = error.errors(include_url=False, include_input=False)
            said = "; ".join(f"{each['loc'][0]}: {each['msg']}" for each in problems if each["loc"])
            return _output({"error": Ours(f"{name} was called wrongly: {said}")}, is_error=True)
        except GroundwireError as error:
            # Only the owner is offered these tools, and the address is theirs to know.
            where = Ours(f"({error.address})" if error.address else "")
            words = for_model(Ours(error.ours), error.quoted, where, has_notice=False)
            return _output({"error": words}, is_error=True)

    return Tool(
        name=name,
        title=title,
        description=f"{title}. {kind.__doc__} The user is asked first. Never pass a key.",
        input_schema=schema_of(kind),
        output_schema={"type": "object"},
        run=run,
        writes=True,
    )


def _output(data: dict[str, object], *, is_error: bool = False) -> ToolOutput:
    """Return data, and the same as text: what a provider named is a stranger's in both."""
    told = fenced_data(data)
    text = Ours(json.dumps(told, ensure_ascii=False))
    return ToolOutput(text=text, data=told, is_error=is_error, plain=plain_data(data))
