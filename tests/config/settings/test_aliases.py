"""Names in settings: underscore and hyphen are one, in the file and in the environment."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.config import settings
from groundwire.config.keys import Keys
from groundwire.config.settings.schema import variable_of
from groundwire.service.factory import endpoint
from tests.config.settings.config_file import Write
from tests.forked import groundwire, python

ADDRESS = "http://127.0.0.1:1234/v1"


@pytest.mark.parametrize("name", registry.names())
def test_every_provider_has_a_variable_that_a_shell_can_set(name: str, write: Write) -> None:
    variable = variable_of(("providers", name, "base_url"))
    assert variable.replace("_", "").isalnum()

    loaded = settings.load(write(""), {variable: ADDRESS})

    assert {at: each.base_url for at, each in loaded.providers.items()} == {name: ADDRESS}


def test_a_variable_with_an_underscore_moves_the_key_to_the_right_host(write: Write) -> None:
    loaded = settings.load(write(""), {"GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__BASE_URL": ADDRESS})

    found = endpoint("openai-responses", loaded, Keys(environment={"OPENAI_API_KEY": "sk-test"}))

    assert found.access.base_url == ADDRESS


@pytest.mark.parametrize(
    "variable",
    [
        "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__MODEL",
        "GROUNDWIRE_PROVIDERS__OPENAI-RESPONSES__MODEL",
        "groundwire_providers__openai_responses__model",
    ],
)
def test_a_variable_is_written_either_way_and_wins_over_either_way_in_the_file(
    write: Write, variable: str
) -> None:
    for written in ("openai-responses", "openai_responses", "OpenAI-Responses"):
        file = write(f"[providers.{written}]\nmodel = 'a'\nbase-url = '{ADDRESS}'")

        loaded = settings.load(file, {variable: "b"})

        [(name, chosen)] = loaded.providers.items()
        assert (name, chosen.model, chosen.base_url) == ("openai-responses", "b", ADDRESS)


def test_settings_of_the_file_may_have_hyphens_and_free_names_keep_theirs(write: Write) -> None:
    file = write(
        """
        search-provider = ["duckduckgo", "tavily"]
        read_provider = "local"
        [network]
        idle-timeout-seconds = 7
        [chat.prices.gpt-5]
        input-usd = 2
        [providers.searxng.options]
        some-thing = 1
        """
    )

    loaded = settings.load(file, {"GROUNDWIRE_NETWORK__MAX-REDIRECTS": "3"})

    assert loaded.search_provider == ["duckduckgo", "tavily"]
    assert (loaded.network.idle_timeout_seconds, loaded.network.max_redirects) == (7, 3)
    assert loaded.chat.prices["gpt-5"].input_usd == 2
    assert loaded.providers["searxng"].options == {"some-thing": 1}


PLUGIN = """
[groundwire.providers]
My_Search = my_search:provider
"""


def test_a_table_is_understood_by_the_name_that_it_had_before(write: Write) -> None:
    file = write("[politeness]\nfailures = 7\nhost_delay_seconds = 2")

    loaded = settings.load(file, {"GROUNDWIRE_POLITENESS__HOST_DELAY_SECONDS": "3"})

    assert (loaded.rate_limits.failures, loaded.rate_limits.host_delay_seconds) == (7, 3)


def test_a_provider_of_another_package_is_known_under_its_own_spelling(tmp_path: Path) -> None:
    information = tmp_path / "my_search-1.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my-search\nVersion: 1\n")
    (information / "entry_points.txt").write_text(PLUGIN)
    program = "from groundwire.config import settings; print(list(settings.load().providers))"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(tmp_path),
        "GROUNDWIRE_HOME": str(tmp_path),
        "GROUNDWIRE_PROVIDERS__MY_SEARCH__BASE_URL": ADDRESS,
    }

    done = subprocess.run(
        python("-c", program),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "['My_Search']\n"


@pytest.mark.parametrize("command", [["doctor"], ["providers"], ["search", "otters"]])
def test_a_command_says_in_one_line_what_is_wrong_with_a_name(
    tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "config.toml").write_text("[providers.opnai]\nmodel = 'm'\n")
    environment = {"PATH": os.environ["PATH"], "GROUNDWIRE_HOME": str(tmp_path)}

    done = subprocess.run(
        groundwire(*command),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    said = f"{tmp_path / 'config.toml'}: there is no provider 'opnai'; the nearest is 'openai'"
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if "opnai" in line]
    assert line.endswith(said)
