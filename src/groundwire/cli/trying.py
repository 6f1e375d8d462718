"""`groundwire test` and `groundwire models`: one small request to a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.model import Json, ModelInfo


@click.command()
@click.argument("provider")
def test(provider: str) -> None:
    """See whether PROVIDER works, key included.

    One small request is made: a model provider lists its models, a search provider searches for
    one result, a reader reads a page.
    """
    click.echo(try_provider(provider))


@click.command()
@click.argument("provider")
@json_option
def models(provider: str, as_json: bool) -> None:
    """List the models of PROVIDER.

    With each stands what is known of its search, what a search costs and when the model ends.
    """
    from groundwire import catalog

    rows = [_described(model) for model in _ask_for_models(provider)]
    if as_json:
        print_json(rows)
        return
    table = [
        (
            row["id"],
            "yes" if row["searches"] else "-",
            f"{row['search_price_usd']:.3f}" if row["search_price_usd"] else "-",
            row["shutdown_date"] or "-",
        )
        for row in rows
    ]
    print_table(table, ("MODEL", "SEARCHES", "USD A SEARCH", "UNTIL"))
    click.echo(f"\nsearch, price and end as of {catalog.TABLE_DATE}", err=True)


def _ask_for_models(provider: str) -> list[ModelInfo]:
    import asyncio

    from groundwire import service
    from groundwire.client import Client
    from groundwire.keys import Keys
    from groundwire.settings import load

    settings, keys = load(), Keys()

    async def ask() -> list[ModelInfo]:
        async with Client(settings.network) as client:
            return await service.adapter(provider, settings, keys, client).list_models()

    return asyncio.run(ask())


def _described(model: ModelInfo) -> Json:
    from groundwire import catalog

    traits = catalog.traits_of(model.id)
    return {
        "id": model.id,
        "title": model.title,
        "searches": traits.searches,
        "search_price_usd": traits.search_price_usd,
        "thinking": str(traits.thinking),
        "shutdown_date": model.shutdown_date,
    }


def try_provider(provider: str) -> str:
    """Return a sentence on what a small request to a provider showed."""
    import asyncio

    from groundwire import diagnosing, service
    from groundwire.client import Client
    from groundwire.keys import Keys
    from groundwire.settings import load

    settings = load()
    endpoint = service.endpoint(provider, settings, Keys())

    async def ask() -> str:
        async with Client(settings.network) as client:
            return await diagnosing.asked(endpoint, client)

    return f"{provider} works: {asyncio.run(ask())}"
