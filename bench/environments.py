"""Where the peers live: each in an environment that `make peers` builds, and their versions."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent

_VERSIONS = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A Python, and the packages in it that are measured."""

    python: Path
    packages: tuple[str, ...]

    @property
    def scripts(self) -> Path:
        """Return the folder of its commands."""
        return self.python.parent


OURS = Environment(
    python=Path(sys.executable),
    packages=("groundwire", "aiohttp", "httpx2", "orjson", "starlette", "uvicorn", "turbohtml"),
)
PEERS = Environment(
    python=ROOT / ".venv-peers/bin/python",
    packages=("openai", "anthropic", "google-genai", "pydantic-ai-slim"),
)
LITELLM = Environment(python=ROOT / ".venv-litellm/bin/python", packages=("litellm",))
LLM = Environment(python=ROOT / ".venv-llm/bin/python", packages=("llm",))
EMBEDDINGS = Environment(python=ROOT / ".venv-embeddings/bin/python", packages=("wordllama",))
LIBRARY = Environment(python=ROOT / ".venv-library/bin/python", packages=("tantivy", "bm25s"))
READER = Environment(
    python=ROOT / ".venv-reader/bin/python",
    packages=(
        "trafilatura",
        "readability-lxml",
        "markdownify",
        "html-to-markdown",
        "resiliparse",
    ),
)
RS_TRAFILATURA = Environment(
    python=ROOT / ".venv-rs-trafilatura/bin/python", packages=("rs-trafilatura",)
)
ALL = (OURS, PEERS, LITELLM, LLM, LIBRARY, READER, RS_TRAFILATURA)


def versions() -> dict[str, str]:
    """Return what is installed of all that is measured."""
    found: dict[str, str] = {}
    for environment in ALL:
        if environment.python.exists():
            command = [str(environment.python), "-c", _VERSIONS, *environment.packages]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found |= json.loads(done.stdout)
    return found
