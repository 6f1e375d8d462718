"""Every error row of the services ends in its own reason and in how to fix it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.doctor import Diagnosis, asked, look_at, try_out
from groundwire.errors import GroundwireError, MissingKeyError
from groundwire.library import Library
from groundwire.model import Secret
from groundwire.providers import crawl4ai
from groundwire.sandbox import SandboxServer
from groundwire.wire.contract import Access, Endpoint
from tests.loopback import serve, stream

KEY = "canary_Xq7v-2Lw9.Zr4"
PAGE = "https://wiki.example.net/sea-otter"
KEY_PAGES = {
    "brave": "https://api-dashboard.search.brave.com",
    "exa": "https://dashboard.exa.ai/api-keys",
    "jina": "https://jina.ai/reader",
    "perplexity": "https://www.perplexity.ai/account/api",
    "tavily": "https://app.tavily.com",
}
NEW_KEY = "get a key at {at}, then `groundwire setup {name}`"
SECOND = "name a second provider with `groundwire setup --{role} {name},OTHER`"
PAY = f"top up the account at {{at}}, or {SECOND}"
TERMS = f"it does not do this for this account: see its terms at {{at}}, or {SECOND}"
WAIT = f"wait {{wait}}, or {SECOND}"
OPTIONS = "see that base_url and options under [providers.{name}] are right"
OFTEN = (
    "wait some minutes, raise its delay_seconds, set a proxy for it, or name a second provider "
    "in the settings"
)
LIMITER = (
    "set `server.limiter` to false in its settings.yml, or let this machine pass in its "
    "limiter.toml"
)
READER = "some of its blocks end with a key; else name a second reader in the settings"

ROWS = [
    ("tavily", "unauthorized", "auth", "HTTP 401: Unauthorized: missing", NEW_KEY),
    ("tavily", "quota", "quota", "HTTP 432: This request exceeds the usage limit", PAY),
    ("tavily", "quota;status=433", "quota", "HTTP 433: This request exceeds the pay-as-you", PAY),
    ("tavily", "rate_limit;retry_after=3", "rate_limit", "HTTP 429: Too many requests", WAIT),
    ("tavily", "bad_request", "invalid_request", "HTTP 400: The request is invalid", OPTIONS),
    ("tavily", "bad_request;status=422", "invalid_request", "HTTP 422: body.query: ", OPTIONS),
    ("tavily", "blocked", "refused", "HTTP 403: This URL or query is not supported", TERMS),
    ("perplexity", "unauthorized", "auth", "HTTP 401: Invalid API key", NEW_KEY),
    ("perplexity", "quota", "quota", "HTTP 402: You have no credits left", PAY),
    ("perplexity", "quota;status=403", "quota", "HTTP 403: You have no credits left", PAY),
    ("perplexity", "rate_limit;retry_after=3", "rate_limit", "HTTP 429: Request rate", WAIT),
    ("perplexity", "bad_request", "invalid_request", "HTTP 400: The request is", OPTIONS),
    ("perplexity", "bad_request;status=422", "invalid_request", "HTTP 422: The request", OPTIONS),
    ("perplexity", "blocked", "refused", "HTTP 403: You have no access", TERMS),
    ("exa", "unauthorized", "auth", "HTTP 401: The API key is missing or invalid", NEW_KEY),
    ("exa", "quota", "quota", "HTTP 402: You have used up your credits", PAY),
    ("exa", "quota;code=API_KEY_BUDGET_EXCEEDED", "quota", "HTTP 402: ", PAY),
    ("exa", "rate_limit;retry_after=3", "rate_limit", "HTTP 429: You have exceeded", WAIT),
    ("exa", "bad_request", "invalid_request", "HTTP 400: The request body is invalid", OPTIONS),
    ("exa", "blocked", "refused", "HTTP 403: This feature or content is not open", TERMS),
    ("brave", "unauthorized", "auth", "HTTP 401: The subscription token is invalid", NEW_KEY),
    ("brave", "unauthorized;status=403", "auth", "HTTP 403: The subscription token", NEW_KEY),
    ("brave", "unauthorized;status=422", "auth", "HTTP 422: The subscription token", NEW_KEY),
    ("brave", "quota", "quota", "HTTP 402: The usage limit of the plan is reached", PAY),
    ("brave", "quota;status=429", "quota", "HTTP 429: Request quota exceeded", PAY),
    ("brave", "rate_limit;retry_after=3", "rate_limit", "HTTP 429: Request rate limit", WAIT),
    ("brave", "bad_request", "invalid_request", "HTTP 422: Unable to validate", OPTIONS),
    ("brave", "bad_request;status=400", "invalid_request", "HTTP 400: ", OPTIONS),
    ("brave", "blocked", "refused", "HTTP 403: This is not part of your plan", TERMS),
    ("searxng", "rate_limit", "rate_limit", "HTTP 429: its limiter takes us for a robot", LIMITER),
    ("searxng", "bad_request", "invalid_request", "HTTP 400: Invalid value bogus", OPTIONS),
    (
        "searxng",
        "blocked",
        "refused",
        "HTTP 403: its JSON format is switched off",
        "add `json` to `search.formats` in its settings.yml and restart it",
    ),
    (
        "searxng",
        "engines_failed",
        "overloaded",
        "none of its engines answered: duckduckgo (access denied), brave (too many requests)",
        "try again later, or enable other engines in its settings.yml",
    ),
    ("duckduckgo", "rate_limit", "rate_limit", "HTTP 202: it refuses this machine", OFTEN),
    ("duckduckgo", "rate_limit;status=403", "rate_limit", "HTTP 403: it refuses", OFTEN),
    ("duckduckgo", "rate_limit;status=418", "rate_limit", "HTTP 418: it refuses", OFTEN),
    ("duckduckgo", "rate_limit;status=429", "rate_limit", "HTTP 429: it refuses", OFTEN),
    (
        "duckduckgo",
        "blocked",
        "refused",
        "it asks this machine to prove that it is no robot",
        "wait an hour, set a proxy for it, or name a second provider in the settings",
    ),
    ("jina", "unauthorized", "auth", "HTTP 401: AuthenticationFailedError: Invalid", NEW_KEY),
    ("jina", "quota", "quota", "HTTP 402: InsufficientBalanceError: ", PAY),
    ("jina", "rate_limit;retry_after=3", "rate_limit", "HTTP 429: RateLimitTriggered", WAIT),
    ("jina", "bad_request", "invalid_request", "HTTP 400: ParamValidationError: ", OPTIONS),
    ("jina", "blocked", "refused", "HTTP 451: SecurityCompromiseError: ", READER),
    ("jina", "blocked;status=409", "refused", "HTTP 409: BudgetExceededError: ", READER),
    (
        "jina",
        "unreadable",
        "invalid_request",
        "HTTP 422: AssertionFailureError: Failed to open the page",
        "choose another page, or name a second reader in the settings",
    ),
    (
        "jina",
        "partial;code=empty",
        "unreadable",
        "This page may be incomplete",
        f"try again, or {SECOND}",
    ),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


async def tried(base_url: str, name: str, role: str, *, seconds: float = 30) -> Diagnosis:
    """Return what a try of a provider at an address shows."""

    def find(named: str) -> Endpoint:
        access = Access(base_url=base_url, key=Secret(KEY))
        return Endpoint(name=named, provider=registry.get(named), access=access)

    async with Client(NetworkSettings(retries=0)) as client:
        return await try_out(name, role, find, client, page=PAGE, seconds=seconds)


@pytest.mark.parametrize(("name", "fault", "code", "found", "fix"), ROWS)
async def test_every_error_row_ends_in_its_own_reason_and_fix(
    sandbox: SandboxServer, name: str, fault: str, code: str, found: str, fix: str
) -> None:
    role = "read" if name == "jina" else "search"

    diagnosis = await tried(sandbox.base_url(name, fault=fault), name, role)

    assert (diagnosis.works, diagnosis.code) == (False, code)
    assert diagnosis.found.startswith(found)
    assert diagnosis.fix == fix.format(name=name, role=role, at=KEY_PAGES.get(name), wait="3 s")
    assert KEY not in repr(diagnosis)


async def test_a_reader_that_read_nothing_has_not_passed(sandbox: SandboxServer) -> None:
    access = Access(base_url=sandbox.base_url("jina", fault="partial;code=empty"), key=Secret(KEY))
    reader = Endpoint(name="jina", provider=registry.get("jina"), access=access)

    async with Client(NetworkSettings(retries=0)) as client:
        with pytest.raises(GroundwireError, match=r"^This page may be incomplete") as raised:
            await asked(reader, client, page=PAGE)

    assert raised.value.code == "unreadable"


async def test_a_page_that_tavily_cannot_read_is_told_though_the_status_is_200(
    sandbox: SandboxServer,
) -> None:
    diagnosis = await tried(sandbox.base_url("tavily", fault="unreadable"), "tavily", "read")

    assert (diagnosis.works, diagnosis.code) == (False, "unreadable")
    assert diagnosis.found == "Failed to fetch url"


@pytest.mark.parametrize("name", ["brave", "duckduckgo", "exa", "perplexity", "searxng", "tavily"])
async def test_a_service_that_works_says_what_it_gave(sandbox: SandboxServer, name: str) -> None:
    diagnosis = await tried(sandbox.base_url(name), name, "search")

    assert diagnosis == Diagnosis(
        provider=name,
        role="search",
        tried="a search for 'otters'",
        works=True,
        found="it gave 1 result",
    )


async def test_a_part_that_is_missing_is_told_of_one_that_works(sandbox: SandboxServer) -> None:
    diagnosis = await tried(sandbox.base_url("searxng", fault="partial"), "searxng", "search")

    assert diagnosis.works
    assert diagnosis.found.endswith("these engines did not answer: duckduckgo (access denied)")


async def test_nobody_at_an_address_names_the_address_as_what_to_see_to() -> None:
    diagnosis = await tried("http://127.0.0.1:9", "searxng", "search")

    assert diagnosis.code == "connect"
    assert "base_url under [providers.searxng]" in diagnosis.fix


async def test_silence_names_the_setting_for_more_patience() -> None:
    async with serve(stream(hang=True)) as server:
        diagnosis = await tried(server.url, "searxng", "search", seconds=0.2)

    assert diagnosis.code == "timeout"
    assert "raise search.timeout_seconds" in diagnosis.fix


def _nobody(name: str) -> Endpoint:
    raise MissingKeyError(name, "EXA_API_KEY")


@pytest.mark.parametrize(
    ("name", "role", "code", "fix"),
    [
        ("exa", "search", "missing_key", NEW_KEY.format(at=KEY_PAGES["exa"], name="exa")),
        ("exa", "read", "unsupported", "choose one that `groundwire providers` lists with this"),
        ("bing", "search", "unknown_provider", "choose one that `groundwire providers` lists"),
    ],
)
def test_what_is_missing_is_told_without_asking_anyone(
    name: str, role: str, code: str, fix: str
) -> None:
    diagnosis = look_at(name, role, _nobody)

    assert (diagnosis.works, diagnosis.tried, diagnosis.code) == (False, "", code)
    assert diagnosis.fix.startswith(fix)


def _crawl4ai(base_url: str = "chromium") -> Diagnosis:
    provider = registry.get("crawl4ai")
    access = Access(base_url=base_url)
    endpoint = Endpoint(name="crawl4ai", provider=provider, access=access)
    return look_at("crawl4ai", "read", lambda _: endpoint)


def test_a_package_that_is_not_installed_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(crawl4ai, "_LIBRARY", "a_library_that_is_not_installed")

    assert _crawl4ai() == Diagnosis(
        provider="crawl4ai",
        role="read",
        tried="",
        works=False,
        found="it needs one more package",
        code="not_installed",
        fix="pip install 'groundwire[crawl4ai]'",
    )


def test_a_browser_is_looked_for_unless_one_runs_already(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(crawl4ai, "_LIBRARY", "json")
    monkeypatch.setenv("PATH", str(tmp_path))
    missing, running = _crawl4ai(), _crawl4ai("http://127.0.0.1:9222")
    program = tmp_path / "chromium"
    program.touch(mode=0o755)

    found = _crawl4ai()

    assert (missing.works, missing.code) == (False, "not_installed")
    assert missing.found == "it needs a browser, and there is no Chromium"
    assert missing.fix == "install Chromium or set providers.crawl4ai.options.executable"
    assert running.found == "works on this machine, with the browser at http://127.0.0.1:9222"
    assert found.found == f"works on this machine, with {program}"


async def test_a_library_says_whether_it_is_there_and_its_own_pages_are_enough(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library"
    provider = registry.get("library")
    access = Access(base_url=provider.base_url, options={"path": str(path)})
    endpoint = Endpoint(name="library", provider=provider, access=access)
    missing = look_at("library", "search", lambda _: endpoint)
    Library(path, writes=True).close()

    async with Client(NetworkSettings(retries=0)) as client:
        found = await try_out("library", "read", lambda _: endpoint, client, page=PAGE)

    assert (missing.works, missing.code) == (False, "not_installed")
    assert missing.found == f"it needs documents, and there is no library at {path}"
    assert missing.fix == "add some with `groundwire library add FOLDER`"
    assert found.works
    assert found.found == "it answers that the library has no document at this address"
