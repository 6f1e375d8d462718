"""Who searches and who reads for models that do not do it themselves."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from groundwire import doctor, registry, service
from groundwire.config.settings.chains import named
from groundwire.config.settings.editor import change
from groundwire.config.settings.schema import variable_of
from groundwire.errors import ConflictError, GroundwireError, SettingsError
from groundwire.model import Secret
from groundwire.web.access import CallerNeeded, OwnerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewKey, SearchTrial, WebChange
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.service_shapes import CheckSettingsShape, ServiceShape, WebShape
from groundwire.web.service_trials import failed_test, tried_search
from groundwire.web.shapes import TestShape
from groundwire.web.site import SWITCHES
from groundwire.wire.contract import abilities

if TYPE_CHECKING:
    from groundwire.config.keys import Keys
    from groundwire.web.site import Site
    from groundwire.wire.contract import Provider

router = APIRouter(prefix="/api/web", tags=["web"], route_class=BodyRoute, responses=RESPONSES)

_ABILITIES = {"search_provider": "search", "read_provider": "read"}


@router.get("", response_model=WebShape)
async def get_services(caller: CallerNeeded, site: SiteNeeded) -> WebShape:
    """Tell who searches and reads, and who could."""
    del caller
    return await asyncio.to_thread(_shape, site)


@router.put("", response_model=WebShape)
async def set_services(body: WebChange, caller: OwnerNeeded, site: SiteNeeded) -> WebShape:
    """Say who shall search and read, in order, and what is compared, in the settings."""
    given = body.model_dump(exclude_none=True)
    checks = given.pop("checks", {})
    settings = site.program.settings
    before: dict[str, object] = {}
    chains = {setting: given[setting] for setting in given.keys() & _ABILITIES.keys()}
    for setting, names in chains.items():
        _check(setting, names)
        before[setting] = [*named(getattr(settings, setting))]
    switches = {name: given[name] for name in given.keys() & SWITCHES.keys()}
    for name in switches:
        _check_free(f"{SWITCHES[name]}.{name}")
        before[name] = getattr(getattr(settings, SWITCHES[name]), name)
    await _check_comparison(checks, site)
    written = chains | {f"{SWITCHES[name]}.{name}": is_on for name, is_on in switches.items()}
    written |= {f"checks.{setting}": value for setting, value in checks.items()}
    await asyncio.to_thread(change, written)
    compared = settings.checks.model_copy(update=checks)
    site.take(**chains, **site.switched(**switches), checks=compared)
    if given:
        await caller.note("changed", "search and read providers", before=before, after=given)
    if checks:
        kept = {setting: getattr(settings.checks, setting) for setting in checks}
        await caller.note("changed", "citation checks", before=kept, after=checks)
    return await asyncio.to_thread(_shape, site)


@router.post("/search", response_model=TestShape)
async def try_search(body: SearchTrial, caller: OwnerNeeded, site: SiteNeeded) -> TestShape:
    """Search once with the services of the settings, in the domains that are named."""
    del caller
    return await tried_search(site.program, body.domains)


@router.put("/{name}/key", status_code=204, response_class=Response)
async def set_key(name: Id, body: NewKey, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Keep a service's key in the key store; it never comes back."""
    variable = _key_variable(name)
    key = Secret(body.key.get_secret_value())
    await asyncio.to_thread(site.program.keys.save, variable, key)
    await caller.note("set the key of", f"service {name}")
    return Response(status_code=204)


@router.delete("/{name}/key", status_code=204, response_class=Response)
async def delete_key(name: Id, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Forget a service's key."""
    await asyncio.to_thread(site.program.keys.remove, _key_variable(name))
    await caller.note("removed the key of", f"service {name}")
    return Response(status_code=204)


@router.post("/{name}/test", response_model=TestShape)
async def test_service(name: Id, caller: OwnerNeeded, site: SiteNeeded) -> TestShape:
    """See whether a service answers."""
    del caller
    registry.get(name)
    program = site.program
    try:
        endpoint = await asyncio.to_thread(service.endpoint, name, program.settings, program.keys)
        message = await doctor.asked(endpoint, program.client)
    except GroundwireError as error:
        return failed_test(error, name, abilities(registry.get(name))[0])
    return TestShape(success=True, message=message, code="", model_count=0)


def _shape(site: Site) -> WebShape:
    site.refresh()
    settings = site.program.settings
    return WebShape(
        search_provider=[*named(settings.search_provider)],
        read_provider=[*named(settings.read_provider)],
        next_on_nothing=settings.search.next_on_nothing,
        together=settings.search.together,
        source_icons=settings.web.source_icons,
        checks=CheckSettingsShape.model_validate(settings.checks),
        available=[
            _service(name, provider, site.program.keys)
            for name, provider in registry.usable().items()
            if {"search", "read"} & {*abilities(provider)}
        ],
    )


def _service(name: str, provider: Provider, keys: Keys) -> ServiceShape:
    variable = provider.key_variable
    return ServiceShape(
        name=name,
        title=provider.title,
        abilities=list(abilities(provider)),
        needs_key=variable is not None and not provider.key_is_optional,
        has_key=variable is not None and keys.find(variable) is not None,
        key_variable=variable,
    )


def _check(setting: str, names: list[str]) -> None:
    _check_free(setting)
    for name in names:
        doctor.check_role(name, _ABILITIES[setting])


def _check_free(setting: str) -> None:
    """Refuse to write what the environment would hide."""
    if os.environ.get(variable := variable_of(setting.split("."))):
        raise ConflictError(
            f"the environment variable {variable} overrides this setting: change it there"
        )


async def _check_comparison(checks: dict[str, object], site: Site) -> None:
    now = site.program.settings.checks
    for setting, value in checks.items():
        if value != getattr(now, setting):
            _check_free(f"checks.{setting}")
    await check_judge(str(checks.get("judge", "")), site)


async def check_judge(name: str, site: Site) -> None:
    """Refuse a judge that is no provider of models; "" is none.

    Raises:
        SettingsError: It is not.
    """
    if not name:
        return
    records = await site.store.providers.list()
    if any(name in (each.id, each.name) for each in records):
        return
    if "answer" not in abilities(registry.get(name)):
        raise SettingsError("judge", f"{name!r} has no model that could be asked")


def _key_variable(name: str) -> str:
    variable = registry.get(name).key_variable
    if variable is None:
        raise ConflictError(f"{name!r} needs no key")
    return variable
