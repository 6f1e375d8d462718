"""Settings from the file, and the environment over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire import __version__
from groundwire.config import settings
from groundwire.config.settings import NetworkSettings, ProviderTable, Settings
from tests.config.settings.config_file import Write


def test_without_file_and_variables_everything_has_its_default(tmp_path: Path) -> None:
    loaded = settings.load(environment={"GROUNDWIRE_HOME": str(tmp_path)})

    assert loaded == Settings(
        search_provider="duckduckgo",
        read_provider="local",
        max_page_length=15_000,
        network=NetworkSettings(
            connect_timeout_seconds=5,
            idle_timeout_seconds=60,
            total_timeout_seconds=600,
            page_timeout_seconds=20,
            retries=2,
            max_reply_bytes=50_000_000,
            max_page_bytes=5_000_000,
            max_decoded_page_bytes=20_000_000,
            max_event_bytes=1_048_576,
            max_redirects=5,
            proxy="",
            page_ports=[80, 443, 8080, 8443],
            user_agent=f"groundwire/{__version__}",
        ),
        providers={},
    )


def test_a_file_sets_what_it_names_and_nothing_else(write: Write) -> None:
    file = write(
        """
        search_provider = ["tavily", "duckduckgo"]
        [network]
        retries = 0
        [providers.searxng]
        base_url = "http://127.0.0.1:8888/"
        options = { categories = ["science"] }
        """
    )

    assert settings.load(file, {}) == Settings(
        search_provider=["tavily", "duckduckgo"],
        network=NetworkSettings(retries=0),
        providers={
            "searxng": ProviderTable(
                base_url="http://127.0.0.1:8888", options={"categories": ["science"]}
            )
        },
    )


def test_the_environment_is_over_the_file_value_by_value(write: Write) -> None:
    file = write("max_page_length = 1\n[network]\nretries = 0\nmax_redirects = 1\n")
    environment = {
        "GROUNDWIRE_SEARCH_PROVIDER": '["tavily", "searxng"]',
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_NETWORK__RETRIES": "3",
        "GROUNDWIRE_NETWORK__IDLE_TIMEOUT_SECONDS": "1.5",
        "GROUNDWIRE_NETWORK__PAGE_PORTS": "[443]",
        "GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL": "http://search.example",
        "GROUNDWIRE_PROVIDERS__SEARXNG__OPTIONS__ENGINES": "one,two",
        "GROUNDWIRE_PROVIDERS__OPENAI": '{"model": "large"}',
    }

    assert settings.load(file, environment) == Settings(
        search_provider=["tavily", "searxng"],
        read_provider="jina",
        max_page_length=1,
        network=NetworkSettings(
            retries=3, max_redirects=1, idle_timeout_seconds=1.5, page_ports=[443]
        ),
        providers={
            "searxng": ProviderTable(
                base_url="http://search.example", options={"engines": "one,two"}
            ),
            "openai": ProviderTable(model="large"),
        },
    )


def test_the_process_environment_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    monkeypatch.setenv("GROUNDWIRE_MAX_PAGE_LENGTH", "7")

    assert settings.load().max_page_length == 7


def test_an_empty_variable_counts_as_not_set(write: Write) -> None:
    file = write("max_page_length = 7\n")
    environment = {"GROUNDWIRE_MAX_PAGE_LENGTH": "", "GROUNDWIRE_CONFIG": ""}

    assert settings.load(file, environment) == Settings(max_page_length=7)


def test_the_file_is_the_named_one_else_the_one_at_home(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("max_page_length = 1\n")
    (tmp_path / "other.toml").write_text("max_page_length = 2\n")
    at_home = {"GROUNDWIRE_HOME": str(tmp_path)}
    named = {**at_home, "GROUNDWIRE_CONFIG": str(tmp_path / "other.toml")}

    found = [
        (settings.settings_path(each).name, settings.load(environment=each).max_page_length)
        for each in (at_home, named)
    ]

    assert found == [("config.toml", 1), ("other.toml", 2)]


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbfmax_page_length = 7\r\n")

    assert settings.load(file, {}) == Settings(max_page_length=7)


def test_every_public_name_can_be_imported_and_no_other() -> None:
    offered = {name for name in settings.__all__ if hasattr(settings, name)}

    assert offered == set(settings.__all__)
    assert not hasattr(settings, "setings")
