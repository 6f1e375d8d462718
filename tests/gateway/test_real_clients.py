"""Other people's clients against the gateway, each in an environment and a process of its own.

`make slow` installs them. Wherever a client has a place for citations, all that are sent arrive;
everywhere else the text carries them.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from groundwire.model import Json
from tests.gateway.asking import CLAUDE, QUESTION, Asked

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
CLIENTS = Path(__file__).parent / "clients"
URLS = ["https://news.example.com/2026/05/otters-return", "https://wiki.example.net/sea-otter"]
LINKS = [f"[2]({URLS[0]})", f"[1]({URLS[1]})"]


def _python(environment: str) -> str:
    found = ROOT / f".venv-{environment}" / "bin" / "python"
    if not found.exists():
        pytest.skip(f"needs .venv-{environment}: `make slow` installs it")
    return str(found)


def _run(gateway: Asked, environment: str, script: str, model: str = CLAUDE) -> Json:
    done = subprocess.run(
        [_python(environment), CLIENTS / script, gateway.url, model, QUESTION],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def _has_links(told: Json) -> bool:
    return all(link in told["text"] for link in LINKS)


def test_langchain(gateway: Asked) -> None:
    found = _run(gateway, "gateway-clients", "langchain_client.py")

    for name in ("messages", "messages streamed", "responses", "responses streamed"):
        assert found[name]["urls"] == URLS, name
    for name, told in found.items():
        assert _has_links(told), name
        assert told["usage"]["input_tokens"] > 0, name


def test_pydantic_ai(gateway: Asked) -> None:
    found = _run(gateway, "gateway-clients", "pydantic_ai_client.py")

    for name, told in found.items():
        assert _has_links(told), name
    for name in ("messages", "messages streamed", "responses", "responses streamed"):
        assert any("web_search" in part for part in found[name]["parts"]), name


def test_openai_agents(gateway: Asked) -> None:
    found = _run(gateway, "gateway-clients", "agents_client.py")

    for name, told in found.items():
        assert _has_links(told), name
    for name in ("responses", "responses streamed"):
        assert found[name]["urls"] == URLS, name
        assert found[name]["kinds"] == ["web_search_call", "message"], name


def test_litellm(gateway: Asked) -> None:
    found = _run(gateway, "litellm", "litellm_client.py")

    for name, told in found.items():
        assert _has_links(told), name
    assert found["chat"]["urls"] == URLS


def test_llm(gateway: Asked, tmp_path: Path) -> None:
    models = tmp_path / "extra-openai-models.yaml"
    models.write_text(
        f"- model_id: groundwire\n  model_name: {CLAUDE}:search\n  api_base: {gateway.url}/v1\n"
    )
    done = subprocess.run(
        [_python("llm"), "-m", "llm", "-m", "groundwire", "--no-log", "--key", "any", QUESTION],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"LLM_USER_PATH": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert _has_links({"text": done.stdout})
