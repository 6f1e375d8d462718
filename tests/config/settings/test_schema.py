"""What a setting may hold, and what is never shown of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from groundwire.config import settings
from groundwire.config.settings import Settings
from groundwire.config.settings.schema import is_table
from tests.config.settings.config_file import Write, complaint


def test_settings_cannot_be_changed_later() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().network.retries = 5


@pytest.mark.parametrize(
    "address",
    [
        "ftp://search.example",
        "search.example",
        "http://",
        "http://search.example:99999",
        "http://[::1",
        "http://user:canary@search.example",
        "http://user:canary",
        "http://search.example/?key=canary",
        "http://search.example/a b",
        "http://search.example/\\n",
        "http://séarch.example",
    ],
)
def test_a_base_url_is_a_plain_web_address(write: Write, address: str) -> None:
    where, reason = complaint(write(f'[providers.searxng]\nbase_url = "{address}"\n'))

    assert where.endswith("config.toml")
    assert reason.startswith("providers.searxng.base_url: ")
    assert "canary" not in reason


@pytest.mark.parametrize(
    "address", ["socks5://u:canary@proxy", "http://u:canary", "u:canary@proxy"]
)
def test_a_wrong_proxy_is_not_repeated(write: Write, address: str) -> None:
    variable = "GROUNDWIRE_NETWORK__PROXY"
    reason = "network.proxy: expected a URL like http://127.0.0.1:8888; allowed: text"

    assert complaint(write(""), {variable: address}) == (variable, reason)


def test_what_may_be_secret_is_not_shown(write: Write) -> None:
    file = write(
        """
        network.proxy = "http://user:canary@proxy.example:3128"
        providers.searxng.options.token = "canary"
        """
    )

    loaded = settings.load(file, {})

    assert loaded.network.proxy == "http://user:canary@proxy.example:3128"
    assert "canary" not in repr(loaded) + str(loaded)


def all_fields(table: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in table.model_fields.items():
        if not is_table(field.annotation):
            yield f"{table.__name__}.{name}", field
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from all_fields(kind)


def test_every_setting_has_a_description() -> None:
    fields = dict(all_fields(Settings))

    assert "NetworkSettings.retries" in fields
    assert "ProviderTable.base_url" in fields
    assert [name for name, field in fields.items() if not field.description] == []
