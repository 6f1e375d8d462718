"""The page on the settings says what there is."""

from __future__ import annotations

import re
from pathlib import Path

from groundwire.config import settings
from groundwire.config.settings import NetworkSettings, ProviderTable, Settings
from tests.config.settings.config_file import Write

DOCUMENT = Path(__file__).parents[3] / "docs" / "settings.md"


def test_a_description_says_what_a_person_needs() -> None:
    retries = next(each for each in settings.describe() if each.name == "network.retries")

    assert retries == settings.SettingDescription(
        name="network.retries",
        variable="GROUNDWIRE_NETWORK__RETRIES",
        type="whole number, at least 0, at most 10",
        default="`2`",
        description="How often a failed call is made again; 0 means never.",
    )


def test_the_document_has_the_table_of_all_settings() -> None:
    tables_in_document = re.findall(r"(?:^\|.*\n)+", DOCUMENT.read_text(), re.MULTILINE)

    rows = [
        f"| `{setting.name}` | {setting.type} | {setting.default} | {setting.description} "
        f"| `{setting.variable}` |\n"
        for setting in settings.describe()
    ]
    head = "| setting | type | default | what it is | variable |\n|---|---|---|---|---|\n"
    assert tables_in_document == ["".join([head, *rows])]


def test_the_document_names_the_variables_that_are_not_settings() -> None:
    text = DOCUMENT.read_text()

    assert [name for name in settings.NOT_SETTINGS if f"`{name}`" not in text] == []


def test_the_example_in_the_document_loads(write: Write) -> None:
    [example] = re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)

    loaded = settings.load(write(example), {})

    assert loaded == Settings(
        search_provider=["searxng", "duckduckgo"],
        max_page_length=20_000,
        network=NetworkSettings(idle_timeout_seconds=90, retries=1),
        providers={
            "searxng": ProviderTable(base_url="http://127.0.0.1:8888", options={"language": "en"})
        },
    )
