"""The lines that Settings and the documentation have for agents, in the files that they name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from tools.gateway_clients import clients, filled

from tests.gateway.clients.asked import OURS, QUESTION, Serving
from tests.mcp import peers

pytestmark = pytest.mark.slow

LINK = "](https://wiki.example.net/sea-otter)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Where an agent's lines go below its home, and what asks it a question there.

    `command` follows the lines for the shell; `instead` is the part of them that would open a
    screen.
    """

    name: str
    folder: str
    command: str
    file: str = ""
    instead: str = ""


AGENTS = (
    Agent(
        name="Claude Code",
        folder="claude",
        instead=f'claude --model "{OURS}"',
        command=f'claude --model "{OURS}" -p "Call WebSearch with the query: {QUESTION}" '
        "--tools WebSearch --allowedTools WebSearch --output-format stream-json --verbose",
    ),
    Agent(
        name="Codex",
        folder="codex",
        file=".codex/config.toml",
        instead="\ncodex\n",
        # Otherwise it says between the user's words where it runs, and the sandbox's model, which
        # takes all of it for the question, finds nothing.
        command="codex exec --skip-git-repo-check -c include_environment_context=false "
        f'"Call web_search: {QUESTION}"',
    ),
    Agent(
        name="OpenCode",
        folder="opencode",
        file="opencode.json",
        command=f'opencode run "Call web_search: {QUESTION}"',
    ),
    Agent(
        name="Continue",
        folder="continue",
        file=".continue/config.yaml",
        command=f'cn --config .continue/config.yaml -p "Call web_search: {QUESTION}"',
    ),
    Agent(
        name="Cline",
        folder="cline",
        command=f'cline -P openai-compatible --json "Call web_search: {QUESTION}"',
    ),
    Agent(
        name="llm",
        folder="llm",
        file=".config/io.datasette.llm/extra-openai-models.yaml",
        command="",
    ),
)
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "CLINE_TELEMETRY_DISABLED": "1",
    "CONTINUE_ALLOW_ANONYMOUS_TELEMETRY": "0",
}


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_an_agent_gets_a_cited_answer_with_the_lines_that_are_shown(
    serving: Serving, tmp_path: Path, agent: Agent
) -> None:
    client = next(each for each in clients() if each["name"] == agent.name)
    host, port = serving.address
    values = {"url": f"http://{host}:{port}", "token": serving.token, "model": OURS}
    shell = ""
    for snippet in client["snippets"]:
        code = filled(snippet["code"], values)
        if snippet["language"] == "sh":
            shell += code
        elif agent.file:
            (tmp_path / agent.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / agent.file).write_text(code, encoding="utf-8")
    if agent.instead:
        assert agent.instead in shell
        shell = shell.replace(agent.instead, "\n")

    done = peers.run(
        ["sh", "-c", f"{shell}\n{agent.command}"],
        home=tmp_path,
        more={**QUIET, "PATH": _path(agent.folder)},
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert LINK in done.stdout


def _path(folder: str) -> str:
    """Return where programs are looked for: an agent's own first, then Node's."""
    places = [peers.PEERS / folder / "bin", peers.PEERS / folder / "node_modules/.bin"]
    if not any(place.exists() for place in places):
        pytest.skip(f"{folder} is not installed: run tools/install-gateway-clients")
    return os.pathsep.join([*map(str, places), str(peers.PEERS / "node/bin"), os.environ["PATH"]])
