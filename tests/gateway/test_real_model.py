"""A real model without search behind the gateway, asked by the official SDKs: cited answers.

What so small a model says differs from machine to machine, so that nothing is taken for granted of
it: what it said is read on its own wire, and all that it cites must arrive. That some of it is
cited holds for one answer of three at least; the form that the server holds it to sees to that.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

import anthropic
import openai
import pytest

from groundwire import Keys, Settings
from groundwire.chat.search_first import written
from groundwire.model import Json
from groundwire.service.program import Groundwire
from tests.adapters.test_real_model import base_url
from tests.chat.test_real_model import _library, _pages
from tests.gateway.alone import served_alone
from tests.gateway.clients.tap import Tap
from tests.patience import PATIENCE

__all__ = ["base_url"]

pytestmark = pytest.mark.slow

MODEL = "openai/smollm2"
QUESTIONS = (
    ("What is the capital of France?", "streamed"),
    ("What is the capital of Italy?", "whole"),
    ("On which river does Paris lie?", "streamed"),
)
PATIENT_SECONDS = 10 * PATIENCE
"""For how long so slow a model may answer where others want the processor, too."""

PAGES = ("https://library.test/capitals/france.md", "https://library.test/capitals/italy.md")
_LINK = re.compile(r"\[(\d+)\]\((https://library\.test/[^)]*)\)")


class Ask(Protocol):
    """Asks a client of the gateway."""

    def __call__(self, question: str, *, streams: bool) -> tuple[str, list[str]]:
        """Return the text, and the URLs that the client got in its fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """A gateway at a URL over SmolLM2, and what is said between them."""

    url: str
    tap: Tap

    def cited_upstream(self) -> list[str]:
        """Return the pages that the model cites in its last answer, by the numbers it was given."""
        exchange = self.tap.exchanges[-1]
        pieces = [event["choices"][0]["delta"] for event in exchange.events if event.get("choices")]
        said = "".join(piece.get("content") or "" for piece in pieces)
        told = exchange.asked["messages"][-1]["content"]
        numbers = {
            number: next(url for url in PAGES if title.lower() in url)
            for number, title in re.findall(r"^\[(\d)\] (France|Italy)$", told, re.MULTILINE)
        }
        return [numbers[n] for n in re.findall(r"\[(\d)\]", written(said)) if n in numbers]


@pytest.fixture(scope="module")
def real(base_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """Return a gateway over SmolLM2, with a library of two pages as its search."""
    folder = tmp_path_factory.mktemp("smollm2")
    asyncio.run(_library(_pages(folder / "pages"), folder / "library.sqlite3"))
    options = {"calls_tools": False, "context_characters": 1500}
    parts = urlsplit(base_url)
    with Tap((parts.hostname or "", parts.port or 0)) as tap, pytest.MonkeyPatch.context() as patch:
        model = {"base_url": f"{tap.url}{parts.path}", "model": "smollm2", "options": options}
        settings = Settings.model_validate(
            {
                "search_provider": "library",
                "read_provider": "library",
                "chat": {"seconds": PATIENT_SECONDS},
                "gateway": {"check_seconds": 60},
                "providers": {
                    "openai": model,
                    "library": {"options": {"path": str(folder / "library.sqlite3")}},
                },
            }
        )
        keys = Keys(environment={}, dotenv=folder / ".env", file=folder / "keys.json")
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with served_alone(Groundwire(settings=settings, keys=keys, keep=False)) as address:
            yield Real(url=address, tap=tap)


def _check(real: Real, ask: Ask) -> None:
    """Ask all questions, streamed and not."""
    found: list[str] = []
    for question, how in QUESTIONS:
        text, cited = ask(question, streams=how == "streamed")
        links = [url for _, url in _LINK.findall(text)]
        assert text.strip()
        # What the model cites arrives, in the text and in the fields, and nothing else does.
        assert links == cited == real.cited_upstream(), text
        found += cited
    assert found


def test_the_anthropic_sdk_gets_cited_answers(real: Real) -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    with anthropic.Anthropic(
        base_url=real.url, api_key="any", max_retries=0, timeout=PATIENT_SECONDS
    ) as client:

        def ask(question: str, *, streams: bool) -> tuple[str, list[str]]:
            asked = [{"role": "user", "content": question}]
            fields: Json = {"model": MODEL, "max_tokens": 300, "messages": asked, "tools": tools}
            fields["extra_body"] = {"temperature": 0}
            message: Json
            if streams:
                with client.messages.stream(**fields) as stream:
                    message = stream.get_final_message()
            else:
                message = client.messages.create(**fields)
            kinds = [block.type for block in message.content]
            assert kinds[:2] == ["server_tool_use", "web_search_tool_result"]
            texts = [block for block in message.content if block.type == "text"]
            cited = [one.url for block in texts for one in block.citations or ()]
            return "".join(block.text for block in texts), cited

        _check(real, ask)


def test_the_openai_sdk_gets_cited_answers_in_chat(real: Real) -> None:
    with _openai(real) as client:

        def ask(question: str, *, streams: bool) -> tuple[str, list[str]]:
            asked = [{"role": "user", "content": question}]
            fields: Json = {"model": MODEL, "messages": asked, "temperature": 0, "max_tokens": 300}
            fields["web_search_options"] = {}
            if streams:
                with client.chat.completions.stream(**fields) as stream:
                    # One that was cut off has no final completion there.
                    stream.until_done()
                    message: Json = stream.current_completion_snapshot.choices[0].message
            else:
                message = client.chat.completions.create(**fields).choices[0].message
            links = [each.url_citation for each in message.annotations or ()]
            for link in links:
                shown = message.content[link.start_index : link.end_index]
                assert shown.endswith(f"]({link.url})")
            return message.content, [link.url for link in links]

        _check(real, ask)


def test_the_openai_sdk_gets_cited_answers_in_responses(real: Real) -> None:
    with _openai(real) as client:

        def ask(question: str, *, streams: bool) -> tuple[str, list[str]]:
            fields: Json = {"model": MODEL, "input": question, "temperature": 0}
            fields |= {"tools": [{"type": "web_search"}], "max_output_tokens": 300}
            if streams:
                with client.responses.stream(**fields) as stream:
                    # One that was cut off has no final response there.
                    response: Json = [*stream][-1].response
            else:
                response = client.responses.create(**fields)
            assert "web_search_call" in [item.type for item in response.output]
            items = [item for item in response.output if item.type == "message"]
            links = [
                link.url for item in items for part in item.content for link in part.annotations
            ]
            return response.output_text, links

        _check(real, ask)


def _openai(real: Real) -> openai.OpenAI:
    return openai.OpenAI(
        base_url=f"{real.url}/v1", api_key="any", max_retries=0, timeout=PATIENT_SECONDS
    )
