"""What the documentation shows is what happens."""

from __future__ import annotations

import ast
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
from tests.forked import python

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def _examples() -> list[tuple[str, str]]:
    """Return the programs that the documentation shows whole, with the page's name."""
    return [
        (name, code)
        for name in ("docs/chat.md", "docs/search.md")
        for code in re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    ]


@pytest.mark.parametrize(("page", "code"), _examples())
def test_examples_run_against_the_sandbox(page: str, code: str, tmp_path: Path) -> None:
    with SandboxServer() as server:
        done = subprocess.run(
            python("-c", code),
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "GROUNDWIRE_HOME": str(tmp_path),
                "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": server.base_url("anthropic"),
                "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": server.base_url("jina"),
                "GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL": server.base_url("searxng"),
                "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
                "GROUNDWIRE_READ_PROVIDER": "jina",
                "GROUNDWIRE_SEARCH_PROVIDER": "searxng",
                "ANTHROPIC_API_KEY": "any",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == "", page
    assert "https://wiki.example.net/sea-otter" in done.stdout


_NO_NETWORK = """
import socket

def refuse(*_):
    raise AssertionError("the example wanted the network")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = refuse
"""


def test_the_first_example_answers_without_settings_key_or_network(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text()
    example = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)…\n```", page, re.DOTALL)
    assert example

    done = subprocess.run(
        [sys.executable, "-c", f"{_NO_NETWORK}\n{example[1]}"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert done.stdout.startswith(example[2])


@pytest.mark.parametrize("name", ["README.md", "docs/search.md", "docs/chat.md"])
def test_the_first_example_of_a_page_is_at_most_four_lines_long(name: str) -> None:
    first = re.search(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)

    assert first
    assert len(first[1].splitlines()) <= 4


def _with_output() -> list[tuple[str, str]]:
    """Return the examples that are followed by what they print, with that."""
    page = (ROOT / "docs/citations.md").read_text()
    return re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)


@pytest.mark.parametrize(("code", "output"), _with_output())
def test_examples_with_an_output_print_it(code: str, output: str) -> None:
    done = subprocess.run(python("-c", code), capture_output=True, text=True, check=False)

    assert (done.stderr, done.stdout.strip()) == ("", output.strip())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_name_what_there_is(page: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL):
        tree = compile(code, page.name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        ours = [node for node in imports if (node.module or "").startswith("groundwire")]

        missing = [
            f"{node.module}.{name.name}"
            for node in ours
            for name in node.names
            if not hasattr(import_module(node.module or ""), name.name)
        ]

        assert missing == []


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


CODES = {
    "AnswerError": "answer",
    "AuthError": "auth",
    "BadReplyError": "bad_reply",
    "BlockedError": "blocked",
    "BundleError": "bundle",
    "ConfigError": "config",
    "ConflictError": "conflict",
    "ConnectError": "connect",
    "ContextTooLongError": "context_length",
    "DiskFullError": "disk_full",
    "DomainNotAllowedError": "domain_not_allowed",
    "EventTooLargeError": "event_too_large",
    "ForbiddenError": "forbidden",
    "GroundwireError": "error",
    "AlwaysSearchesError": "model_always_searches",
    "InvalidDomainsError": "invalid_domains",
    "InvalidRequestError": "invalid_request",
    "KeyStoreError": "key_store",
    "MissingKeyError": "missing_key",
    "NetworkError": "network",
    "NoSessionError": "missing_key",
    "NotFoundError": "not_found",
    "NotInstalledError": "not_installed",
    "NothingFoundError": "nothing_found",
    "OverloadedError": "overloaded",
    "PluginError": "plugin",
    "ProviderBugError": "provider_bug",
    "QuotaError": "quota",
    "QuotaExceededError": "quota_exceeded",
    "RateLimitError": "rate_limit",
    "ReadFailedError": "read_failed",
    "RefusedError": "refused",
    "RobotsRefusedError": "url_refused",
    "SearchError": "search",
    "SearchFailedError": "search_failed",
    "ServiceError": "service",
    "SessionExpiredError": "session_expired",
    "SettingsError": "settings",
    "StoreBusyError": "busy",
    "StoreError": "store",
    "StoreUnavailableError": "store_unavailable",
    "TimedOutError": "timeout",
    "TooLargeError": "too_large",
    "ToolFailedError": "tool_failed",
    "TruncatedError": "truncated",
    "UnknownProviderError": "unknown_provider",
    "UnsupportedError": "unsupported",
    "UrlRefusedError": "url_refused",
    "WebSearchUnsupportedError": "web_search_unsupported",
}


def test_codes_of_errors_are_stable() -> None:
    from groundwire import errors  # noqa: PLC0415

    codes = {
        name: value.code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.GroundwireError)
    }

    assert codes == CODES


def test_the_public_names_are_these_and_each_can_be_used() -> None:
    assert set(groundwire.__all__) == {
        "Answer",
        "ApprovalRequested",
        "AssistantMessage",
        "Attachment",
        "BlockingGroundwire",
        "BudgetReached",
        "ChatEvent",
        "Citation",
        "CitationChecked",
        "Client",
        "Evidence",
        "Groundwire",
        "GroundwireError",
        "Keys",
        "MarkerShown",
        "ModelApiAdapter",
        "Noticed",
        "Page",
        "PageMetadata",
        "PassageFolded",
        "Question",
        "SearchQuery",
        "SearchReply",
        "SearchResult",
        "Settings",
        "Source",
        "SourceNumbered",
        "SourcesRemoved",
        "SuggestionsShown",
        "TextShown",
        "ThinkingShown",
        "Tool",
        "ToolCall",
        "ToolDefinition",
        "ToolOutput",
        "ToolResultMessage",
        "ToolUpdate",
        "TurnEnded",
        "TurnFailed",
        "TurnStarted",
        "Usage",
        "UsageReported",
        "UserMessage",
        "WebSearchStarted",
        "Check",
        "CitationCheck",
        "TextCheck",
        "acheck_claim",
        "acheck_text",
        "check_claim",
        "check_text",
        "__version__",
        "aask",
        "adapter",
        "aread",
        "asearch",
        "ask",
        "errors",
        "events",
        "load",
        "open",
        "read",
        "search",
    }
    for name in groundwire.__all__:
        assert getattr(groundwire, name) is not None


def test_importing_the_package_imports_no_network_and_no_pydantic() -> None:
    script = "import sys, groundwire; print({'aiohttp', 'pydantic', 'orjson'} & set(sys.modules))"

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
