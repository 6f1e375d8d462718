"""The lists of domains as settings."""

from __future__ import annotations

import json

import pytest

from groundwire.config import settings
from groundwire.guard import DomainPolicy
from tests.config.settings.config_file import Write, complaint


def test_lists_come_from_the_file_and_from_variables(write: Write) -> None:
    file = write('[search]\nallowed_domains = ["example.com", "*.example.org"]\n')
    environment = {"GROUNDWIRE_SEARCH__BLOCKED_DOMAINS": json.dumps(["news.example.com"])}

    loaded = settings.load(file, environment)

    assert loaded.domains == DomainPolicy(
        allowed=("example.com", "*.example.org"), blocked=("news.example.com",)
    )


@pytest.mark.parametrize("name", ["allowed_domains", "blocked_domains"])
@pytest.mark.parametrize(
    ("entry", "remedy"),
    [
        ("https://example.com", "has a scheme: write example.com"),
        ("example.com/path", "has a path: write example.com"),
        ("example", "is a single word"),
        ("10.0.0.1", "is an IP address"),
        ("münchen.de", "is not ASCII: write xn--mnchen-3ya.de"),
    ],
)
def test_an_entry_that_is_no_domain_is_an_error_that_names_the_remedy(
    write: Write, name: str, entry: str, remedy: str
) -> None:
    where, reason = complaint(write(f'[search]\n{name} = ["{entry}"]\n'))

    assert where.endswith("config.toml")
    assert reason.startswith(f"search.{name}")
    assert remedy in reason


def test_blocking_everything_that_is_allowed_leaves_nothing() -> None:
    lists = {"allowed_domains": ["a.example.com"], "blocked_domains": ["example.com"]}

    domains = settings.Settings.model_validate({"search": lists}).domains

    assert domains.allowed == ()
    assert not domains.permits("a.example.com")
