"""What the documentation shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import groundwire
from groundwire.cli import COMMANDS
from groundwire.sandbox import SandboxServer

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_the_example_of_the_readme_runs_against_the_sandbox() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[0]

    with SandboxServer() as server:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={
                "PATH": os.environ["PATH"],
                "GROUNDWIRE_HOME": "/nonexistent",
                "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": server.base_url("anthropic"),
                "ANTHROPIC_API_KEY": "any",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    assert re.search(r"\w+.*\[[\w.-]+\.[a-z]+\]", done.stdout)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)[^)]*\)", prose)

    missing = [link for link in links if not (page.parent / link).exists()]

    assert missing == []


def test_every_command_is_on_the_page_of_the_command_line() -> None:
    page = (ROOT / "docs/command-line.md").read_text()

    assert [name for name in COMMANDS if f"groundwire {name}" not in page] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name: str) -> None:
    module, attribute, line = COMMANDS[name]

    command = getattr(import_module(f"groundwire.cli.{module}"), attribute)

    assert (command.name, command.get_short_help_str(100)) == (name, f"{line}.")


def test_every_error_has_its_place_in_the_drawn_tree() -> None:
    from groundwire import errors  # noqa: PLC0415

    drawn = set(re.findall(r"\w+Error", errors.__doc__ or ""))
    defined = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }

    assert defined == drawn


def test_codes_of_errors_are_stable() -> None:
    from groundwire import errors  # noqa: PLC0415

    codes = {
        name: value.code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.GroundwireError)
    }

    assert codes == {
        "AuthError": "auth",
        "BadReplyError": "bad_reply",
        "BlockedError": "blocked",
        "ConfigError": "config",
        "ConnectError": "connect",
        "DomainNotAllowedError": "domain_not_allowed",
        "EventTooLargeError": "event_too_large",
        "GroundwireError": "error",
        "InvalidRequestError": "invalid_request",
        "KeyStoreError": "key_store",
        "MissingKeyError": "missing_key",
        "NetworkError": "network",
        "NoSessionError": "missing_key",
        "NothingFoundError": "nothing_found",
        "OverloadedError": "overloaded",
        "QuotaError": "quota",
        "RateLimitError": "rate_limit",
        "SearchError": "search",
        "SearchFailedError": "search_failed",
        "ServiceError": "service",
        "SessionExpiredError": "session_expired",
        "SettingsError": "settings",
        "TimedOutError": "timeout",
        "TooLargeError": "too_large",
        "ToolFailedError": "tool_failed",
        "TruncatedError": "truncated",
        "UnknownProviderError": "unknown_provider",
        "UnsupportedError": "unsupported",
        "UrlRefusedError": "url_refused",
        "WebSearchUnsupportedError": "web_search_unsupported",
    }


def test_the_public_names_are_these_and_each_can_be_used() -> None:
    assert set(groundwire.__all__) == {
        "AssistantMessage",
        "Attachment",
        "Citation",
        "Client",
        "Evidence",
        "GroundwireError",
        "Keys",
        "ModelApiAdapter",
        "Page",
        "Question",
        "SearchQuery",
        "SearchResult",
        "Settings",
        "ToolCall",
        "ToolDefinition",
        "ToolResultMessage",
        "Usage",
        "UserMessage",
        "__version__",
        "adapter",
        "errors",
        "events",
        "load",
    }
    for name in groundwire.__all__:
        assert getattr(groundwire, name) is not None


def test_importing_the_package_imports_no_network_and_no_pydantic() -> None:
    script = "import sys, groundwire; print({'aiohttp', 'pydantic', 'orjson'} & set(sys.modules))"

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
