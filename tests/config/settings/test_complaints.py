"""What is said about settings that cannot be used, and where they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.config.settings.config_file import Write, complaint


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    file = tmp_path / "absent.toml"

    assert complaint(file) == (str(file), "there is no such file")
    assert complaint(None, {"GROUNDWIRE_CONFIG": str(file)}) == (
        str(file),
        "there is no such file",
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    below_a_file = tmp_path / "file" / "config.toml"
    below_a_file.parent.write_text("")

    assert complaint(tmp_path) == (str(tmp_path), "cannot be read: Is a directory")
    assert complaint(below_a_file) == (str(below_a_file), "cannot be read: Not a directory")


def test_bad_toml_is_reported_with_its_line(write: Write) -> None:
    file = write("max_page_length = 1\nretries =\n")

    where, reason = complaint(file)

    assert where == str(file)
    assert re.fullmatch(r"not valid TOML: .+ \(at line 2, column 10\)", reason)


def test_a_file_in_another_encoding_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"max_page_length = 1\n# caf\xe9\n")

    assert complaint(file) == (str(file), "not valid TOML: not UTF-8 (at line 2)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("retries = 3", "there is no setting 'retries'; the nearest is 'network.retries'"),
        (
            "[network]\nretrys = 3",
            "there is no setting 'network.retrys'; the nearest is 'network.retries'",
        ),
        (
            "[providers.searxng]\nbase_uri = ''",
            (
                "there is no setting 'providers.searxng.base_uri'; "
                "the nearest is 'providers.searxng.base_url'"
            ),
        ),
        (
            "[provider.searxng]\nbase_url = ''",
            "there is no setting 'provider'; the nearest is 'read_provider'",
        ),
        (
            "[providers.openai_respones]\nmodel = 'm'",
            "there is no provider 'openai_respones'; the nearest is 'openai-responses'",
        ),
        (
            "search_provider = 'searx'",
            "there is no provider 'searx'; the nearest is 'searxng'",
        ),
        (
            "read_provider = ['local', 'jin']",
            "there is no provider 'jin'; the nearest is 'jina'",
        ),
        (
            "[providers.openai-responses]\nmodel = 'm'\n[providers.openai_responses]\nproxy = ''",
            (
                "'providers.openai-responses' and 'providers.openai_responses' are the same: "
                "keep one of them"
            ),
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(
    write: Write, text: str, reason: str
) -> None:
    file = write(text)

    assert complaint(file) == (str(file), reason)


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("GROUNDWIRE_MAX_PAGE_LENGHT", "GROUNDWIRE_MAX_PAGE_LENGTH"),
        ("GROUNDWIRE_NETWRK__RETRIES", "GROUNDWIRE_NETWORK__RETRIES"),
        ("GROUNDWIRE_NETWORK_RETRIES", "GROUNDWIRE_NETWORK__RETRIES"),
        ("GROUNDWIRE_MAX_PAGE_LENGTH__X", "GROUNDWIRE_MAX_PAGE_LENGTH"),
        ("GROUNDWIRE_PROVIDERS__EXA__BASE_URI", "GROUNDWIRE_PROVIDERS__EXA__BASE_URL"),
        (
            "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__BASE_URI",
            "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__BASE_URL",
        ),
        (
            "GROUNDWIRE_PROVIDERS__OPENAI-RESPONSES__BASE_URI",
            "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__BASE_URL",
        ),
    ],
)
def test_an_unknown_variable_is_named_with_the_nearest_known_one(
    write: Write, variable: str, nearest: str
) -> None:
    reason = f"there is no such setting; the nearest is {nearest}"

    assert complaint(write(""), {variable: "1"}) == (variable, reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[network]\nretries = true",
            (
                "network.retries: Input should be a valid integer; "
                "allowed: whole number, at least 0, at most 10"
            ),
        ),
        (
            "[network]\nretries = 11",
            (
                "network.retries: Input should be less than or equal to 10; "
                "allowed: whole number, at least 0, at most 10"
            ),
        ),
        (
            "max_page_length = '9'",
            "max_page_length: Input should be a valid integer; allowed: whole number, at least 1",
        ),
        (
            "[network]\nidle_timeout_seconds = inf",
            (
                "network.idle_timeout_seconds: Input should be a finite number; "
                "allowed: number, more than 0, at most 86,400"
            ),
        ),
        (
            "[network]\npage_ports = [80, 70000]",
            (
                "network.page_ports: Input should be less than or equal to 65535; "
                "allowed: list of whole numbers, at least 1, at most 65,535"
            ),
        ),
        (
            "search_provider = ['tavily', 'two words']",
            (
                "search_provider: a provider's name has only letters, digits, _ and -; "
                "allowed: text or list of texts"
            ),
        ),
        ("network = 3", "network: expected a table; allowed: table"),
        ("providers.searxng = 3", "providers.searxng: expected a table; allowed: table"),
    ],
)
def test_a_wrong_value_is_reported_with_what_is_allowed(
    write: Write, text: str, reason: str
) -> None:
    file = write(text)

    assert complaint(file) == (str(file), reason)


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        (
            "GROUNDWIRE_NETWORK__RETRIES",
            "many",
            (
                "network.retries: Input should be a valid integer; "
                "allowed: whole number, at least 0, at most 10"
            ),
        ),
        (
            "GROUNDWIRE_NETWORK",
            '{"retrys": 1}',
            "there is no setting 'network.retrys'; the nearest is 'network.retries'",
        ),
        (
            "GROUNDWIRE_NETWORK__PAGE_PORTS",
            "80;443",
            "not valid JSON; a list is written like [80, 443]",
        ),
    ],
)
def test_a_wrong_value_in_the_environment_is_blamed_on_its_variable(
    write: Write, variable: str, value: str, reason: str
) -> None:
    assert complaint(write(""), {variable: value}) == (variable, reason)


def test_a_wrong_value_in_the_file_is_not_blamed_on_a_variable_beside_it(write: Write) -> None:
    file = write("[network]\nretries = 99\n")

    where, _ = complaint(file, {"GROUNDWIRE_NETWORK": '{"max_redirects": 1}'})

    assert where == str(file)


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        (
            "GROUNDWIRE_PROVIDERS__OPNAI__BASE_URL",
            "http://127.0.0.1:1",
            "there is no such provider; the nearest is GROUNDWIRE_PROVIDERS__OPENAI__BASE_URL",
        ),
        (
            "GROUNDWIRE_PROVIDERS__OPENAI_RESPONE__BASE_URL",
            "http://127.0.0.1:1",
            (
                "there is no such provider; the nearest is "
                "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__BASE_URL"
            ),
        ),
        (
            "GROUNDWIRE_PROVIDERS",
            '{"opnai": {"model": "m"}}',
            "there is no provider 'opnai'; the nearest is 'openai'",
        ),
        (
            "GROUNDWIRE_SEARCH_PROVIDER",
            "tavly",
            "there is no provider 'tavly'; the nearest is 'tavily'",
        ),
    ],
)
def test_an_unknown_provider_in_the_environment_is_named_with_the_nearest(
    write: Write, variable: str, value: str, reason: str
) -> None:
    assert complaint(write(""), {variable: value}) == (variable, reason)


def test_two_variables_of_one_setting_are_told_of(write: Write) -> None:
    underscore = "GROUNDWIRE_PROVIDERS__OPENAI_RESPONSES__MODEL"
    hyphen = "GROUNDWIRE_PROVIDERS__OPENAI-RESPONSES__MODEL"

    assert complaint(write(""), {underscore: "a", hyphen: "b"}) == (
        hyphen,
        f"the same setting as {underscore}: keep one of them",
    )
