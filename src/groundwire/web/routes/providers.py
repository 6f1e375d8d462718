"""Providers of models: added, given keys, tested, and asked for their models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from groundwire import catalog, registry
from groundwire.conversation import ModelRecord, ProviderRecord
from groundwire.errors import ConfigError
from groundwire.model import Secret
from groundwire.service.model_facts import ModelFacts, access_of, facts_of
from groundwire.service.provider_choice import default_record
from groundwire.web.access import CallerNeeded, OwnerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewKey, NewProvider, ProviderChange
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.service_trials import failed_test
from groundwire.web.shapes import (
    ModelShape,
    ModelsShape,
    ProviderShape,
    ProviderTypeShape,
    TestShape,
)
from groundwire.wire.contract import BorrowsSession, abilities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.service.provider_settings import ProviderSettings
    from groundwire.web.access import Caller
    from groundwire.web.site import Site

router = APIRouter(prefix="/api", tags=["providers"], route_class=BodyRoute, responses=RESPONSES)

_PLACES = {"": "none", "dotenv": "environment"}


@router.get("/provider-types", response_model=list[ProviderTypeShape])
async def list_types(caller: CallerNeeded) -> list[ProviderTypeShape]:
    """List the kinds of providers that can be added."""
    del caller
    found = []
    for name, provider in registry.usable().items():
        if "answer" not in abilities(provider):
            continue
        has_key = provider.key_variable is not None and not isinstance(provider, BorrowsSession)
        found.append(
            ProviderTypeShape(
                type=name,
                title=provider.title,
                description=(provider.__doc__ or "").strip().partition("\n")[0],
                base_url=provider.base_url,
                key_variable=provider.key_variable,
                needs_key=has_key and not provider.key_is_optional,
                key_url=provider.key_url,
                abilities=list(abilities(provider)),
                default_model=catalog.DEFAULT_MODELS.get(name, ""),
            )
        )
    return found


@router.get("/providers", response_model=list[ProviderShape])
async def list_providers(caller: CallerNeeded, site: SiteNeeded) -> list[ProviderShape]:
    """List the providers that are configured; their addresses are the owner's to know."""
    records = await site.store.providers.list()
    return [await _shape(caller, each, records) for each in records]


@router.post("/providers", response_model=ProviderShape, status_code=201)
async def add_provider(body: NewProvider, caller: OwnerNeeded) -> ProviderShape:
    """Add a provider."""
    record = await _provider_settings(caller).add(ProviderRecord(**body.model_dump()))
    return await _shape(caller, record)


@router.patch("/providers/{provider_id}", response_model=ProviderShape)
async def change_provider(
    provider_id: Id, body: ProviderChange, caller: OwnerNeeded, site: SiteNeeded
) -> ProviderShape:
    """Change a provider; with another address it loses its key, which was not meant for that."""
    before = await site.store.providers.get(provider_id)
    given = body.model_dump(exclude_none=True)
    is_default = given.pop("is_default", False)
    after = await _provider_settings(caller).update(replace(before, **given)) if given else before
    if is_default:
        after = await _provider_settings(caller).set_default(after)
    return await _shape(caller, after)


@router.delete("/providers/{provider_id}", status_code=204, response_class=Response)
async def delete_provider(provider_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Remove a provider, its models and its key."""
    record = await site.store.providers.get(provider_id)
    await _provider_settings(caller).remove(record)
    return Response(status_code=204)


@router.put("/providers/{provider_id}/key", status_code=204, response_class=Response)
async def set_key(provider_id: Id, body: NewKey, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Keep a provider's key in the key store; it never comes back."""
    record = await site.store.providers.get(provider_id)
    await _provider_settings(caller).set_key(record, Secret(body.key.get_secret_value()))
    return Response(status_code=204)


@router.delete("/providers/{provider_id}/key", status_code=204, response_class=Response)
async def delete_key(provider_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Forget a provider's own key."""
    record = await site.store.providers.get(provider_id)
    await _provider_settings(caller).remove_key(record)
    return Response(status_code=204)


@router.post("/providers/{provider_id}/test", response_model=TestShape)
async def test_provider(provider_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> TestShape:
    """See whether a provider answers with its key."""
    record = await site.store.providers.get(provider_id)
    try:
        result = await _provider_settings(caller).test(record)
    except ConfigError as error:
        return failed_test(error, record.type, "answer")
    if result.error:
        return failed_test(result.error, record.type, "answer")
    return TestShape(success=True, message=result.message, code="", model_count=result.model_count)


@router.post("/providers/{provider_id}/models", response_model=ModelsShape)
async def fetch_models(provider_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> ModelsShape:
    """Ask a provider for its models, and keep the list."""
    record = await site.store.providers.get(provider_id)
    await _provider_settings(caller).fetch_models(record)
    return _models(site, record, await site.store.models.list(record.id))


@router.get("/providers/{provider_id}/models", response_model=ModelsShape)
async def list_models(provider_id: Id, caller: CallerNeeded, site: SiteNeeded) -> ModelsShape:
    """List a provider's models as they were last fetched."""
    del caller
    record = await site.store.providers.get(provider_id)
    return _models(site, record, await site.store.models.list(record.id))


def _provider_settings(caller: Caller) -> ProviderSettings:
    return caller.site.program.provider_settings_of(caller.actor)


async def _shape(
    caller: Caller, record: ProviderRecord, records: Sequence[ProviderRecord] | None = None
) -> ProviderShape:
    place = await _provider_settings(caller).key_place(record)
    default = default_record(records or await caller.site.store.providers.list())
    demo = caller.site.options.demo
    return ProviderShape(
        id=record.id,
        name=record.name,
        type=record.type,
        base_url=record.base_url if caller.is_owner else None,
        default_model=record.default_model,
        is_default=default is not None and default.id == record.id,
        is_simulated=demo is not None and (record.base_url or "").startswith(demo.simulated_at),
        has_key=bool(place),
        key_place=_PLACES.get(place, place),
    )


def _models(site: Site, record: ProviderRecord, models: Iterable[ModelRecord]) -> ModelsShape:
    provider, access = access_of(record.type, site.program.settings, record.base_url)
    # A list that was fetched long ago may hold others.
    talking = [each for each in models if catalog.is_for_chat(each.model)]
    if not talking and (usual := site.program.chooser.known_model(record)):
        talking = [ModelRecord(provider_id=record.id, model=usual)]
    return ModelsShape(
        models=[_model(each, facts_of(each.model, provider, access)) for each in talking]
    )


def _model(record: ModelRecord, facts: ModelFacts) -> ModelShape:
    return ModelShape(
        model=record.model,
        title=record.title,
        shutdown_date=record.shutdown_date,
        searches_itself=facts.searches_itself,
        thinking=list(facts.thinking),
        takes_temperature=facts.takes_temperature,
        search_price_usd=facts.search_price_usd,
        input_price_usd=facts.price.input_usd if facts.price else None,
        output_price_usd=facts.price.output_usd if facts.price else None,
    )
