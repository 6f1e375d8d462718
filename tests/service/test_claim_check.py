"""`groundwire.check_claim` and `check_text`: one call, blocking and for asyncio."""

from __future__ import annotations

import pytest

import groundwire
from groundwire.checks import Fit, NotCompared
from groundwire.config.settings import Settings
from groundwire.errors import ConfigError
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox

__all__ = ["sandbox"]

OTTER = "https://wiki.example.net/sea-otter"
SAID = "Resting sea otters wrap themselves in kelp so that the current does not carry them away."
TEXT = f"{SAID}[1] They weigh 450 kg.[1] Nobody knows of it [2].\n\nSources:\n[1] T ({OTTER})\n"


def _settings(sandbox: SandboxServer) -> Settings:
    return Settings.model_validate(
        {
            "read_provider": "jina",
            "read": {"respect_robots": False},
            "providers": {"jina": {"base_url": sandbox.base_url("jina")}},
        }
    )


def test_a_claim_is_compared_with_a_text_without_any_network() -> None:
    check = groundwire.check_claim("Otters weigh 450 kg", f"{SAID} They weigh 45 kg.")

    assert check.missing_numbers == ("450",)
    assert check.nearest is not None


def test_a_claim_is_compared_with_a_page_that_was_read() -> None:
    page = groundwire.Page(url="https://a.example/a.pdf", content=f"{SAID}\n\n---\n\n{SAID} " * 3)

    check = groundwire.check_claim(SAID, page)

    assert check.quote is not None
    assert check.quote.fit is Fit.LETTER
    failed = groundwire.Page(url="https://a.example/", success=False, error="it is gone")
    assert groundwire.check_claim(SAID, failed).detail == "it is gone"


def test_a_claim_is_compared_with_an_address(sandbox: SandboxServer) -> None:
    check = groundwire.check_claim(SAID, OTTER, settings=_settings(sandbox))

    assert check.quote is not None
    assert check.quote.fit is Fit.LETTER


def test_all_citations_of_a_text_are_compared(sandbox: SandboxServer) -> None:
    done = groundwire.check_text(TEXT, settings=_settings(sandbox))

    assert done.summary == (
        "1 of 3 citations stand on their pages; 1 number is not there; 1 claim has few words "
        "there; 1 marker leads to no source"
    )
    assert [each.line for each in done.checks] == [1, 1, 1]


async def test_asyncio_awaits_the_same_and_may_block_too(sandbox: SandboxServer) -> None:
    chosen = _settings(sandbox)

    done = await groundwire.acheck_text(TEXT, settings=chosen)

    told = [each.citation.check for each in done.checks]
    assert told == [
        each.citation.check for each in groundwire.check_text(TEXT, settings=chosen).checks
    ]
    assert (await groundwire.acheck_claim("Otters", SAID)).not_compared is None


def test_a_page_that_may_not_be_opened_says_so() -> None:
    check = groundwire.check_claim(SAID, "http://127.0.0.1/x", settings=Settings())

    assert check.not_compared is NotCompared.UNREADABLE
    assert "loopback" in check.detail


def test_json_that_is_no_answer_is_refused() -> None:
    with pytest.raises(ConfigError, match="no answer that is known"):
        groundwire.check_text('{"a": 1}')
