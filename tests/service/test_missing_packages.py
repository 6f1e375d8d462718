"""The list of configured providers, also where the package of one is gone or broken."""

from __future__ import annotations

from pathlib import Path

import groundwire
from groundwire.conversation import ProviderRecord
from groundwire.model import Secret
from groundwire.sandbox import SandboxServer
from tests.chat.program import keys, settings


async def test_a_provider_whose_package_is_gone_leaves_the_list_whole(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    database = str(tmp_path / "talk.sqlite3")
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), database=database)
    async with opening as gw:
        gone = await gw.store.providers.create(ProviderRecord(name="Gone", type="uninstalled"))
        kept = await gw.provider_settings.add(ProviderRecord(name="Here", type="anthropic"))
        await gw.provider_settings.set_key(gone, Secret("a-key-of-its-own"))

        places = {
            each.name: await gw.provider_settings.key_place(each)
            for each in await gw.provider_settings.list()
        }

    assert kept.name in places
    assert places["Gone"] == "file"
