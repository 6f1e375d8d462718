"""`groundwire test` and `groundwire models`: one small request to a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json, print_table

if TYPE_CHECKING:
    from groundwire.catalog import TokenPrice
    from groundwire.model import ModelInfo
    from groundwire.service.model_facts import ModelFacts


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

    With each stands what is known of its search, what a search and its tokens cost and when the
    model ends.
    """
    from groundwire import catalog

    known = [(model, _facts(provider, model)) for model in _ask_for_models(provider)]
    if as_json:
        print_json([_described(model, facts) for model, facts in known])
        return
    table = [
        (
            model.id,
            "yes" if facts.searches_itself else "-",
            f"{facts.search_price_usd:.3f}" if facts.search_price_usd else "-",
            _per_million(facts.price),
            model.shutdown_date or "-",
        )
        for model, facts in known
    ]
    head = ("MODEL", "SEARCHES", "USD A SEARCH", "USD A MILLION TOKENS IN/OUT", "UNTIL")
    print_table(table, head)
    click.echo(f"\nsearch, prices and end as of {catalog.TABLE_DATE}", err=True)


def _per_million(price: TokenPrice | None) -> str:
    return f"{price.input_usd:g}/{price.output_usd:g}" if price else "-"


def _ask_for_models(provider: str) -> list[ModelInfo]:
    import asyncio

    from groundwire import service
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load

    settings, keys = load(), Keys()

    async def ask() -> list[ModelInfo]:
        async with Client(settings.network) as client:
            return await service.adapter(provider, settings, keys, client).list_models()

    return asyncio.run(ask())


def _facts(provider: str, model: ModelInfo) -> ModelFacts:
    from groundwire.config.settings import load
    from groundwire.service.model_facts import access_of, facts_of

    return facts_of(model.id, *access_of(provider, load()))


def _described(model: ModelInfo, facts: ModelFacts) -> dict[str, object]:
    return {
        "id": model.id,
        "title": model.title,
        "searches": facts.searches_itself,
        "search_price_usd": facts.search_price_usd,
        "thinking": list(facts.thinking),
        "price": _price(facts.price) if facts.price else None,
        "shutdown_date": model.shutdown_date,
    }


def _price(price: TokenPrice) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(price), "until": str(price.until) if price.until else None}


def try_provider(provider: str) -> str:
    """Return a sentence on what a small request to a provider showed."""
    import asyncio

    from groundwire import doctor, service
    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import load

    settings = load()
    endpoint = service.endpoint(provider, settings, Keys())

    async def ask() -> str:
        async with Client(settings.network) as client:
            return await doctor.asked(endpoint, client)

    return f"{provider} works: {asyncio.run(ask())}"
