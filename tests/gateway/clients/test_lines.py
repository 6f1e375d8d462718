"""The lines that Settings and the documentation have for programs, run as they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.gateway_clients import Client, Snippet, clients, filled

from tests.gateway.clients.asked import HOSTED, Serving
from tests.mcp import peers

pytestmark = pytest.mark.slow

LINK = "](https://wiki.example.net/sea-otter)"


def _programs() -> Iterator[tuple[Client, Snippet]]:
    for client in clients():
        for snippet in client["snippets"]:
            if snippet["language"] in ("py", "js"):
                yield client, snippet


@pytest.mark.parametrize(
    ("client", "snippet"),
    [*_programs()],
    ids=lambda each: str(each.get("name") or each.get("where")).replace("`", ""),
)
def test_a_program_gets_a_cited_answer_with_the_lines_that_are_shown(
    serving: Serving, tmp_path: Path, client: Client, snippet: Snippet
) -> None:
    host, port = serving.address
    values = {"url": f"http://{host}:{port}", "token": serving.token, "model": HOSTED}
    code = filled(snippet["code"], values)

    done = peers.run(_command(client["peer"], code, snippet["language"], tmp_path), home=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert LINK in done.stdout


def _command(peer: str, code: str, language: str, folder: Path) -> list[str]:
    """Return what runs some lines; packages of Node are looked for beside the file."""
    if language == "py":
        file = folder / "lines.py"
        file.write_text(code, encoding="utf-8")
        return [peers.program(peer, "python"), str(file)]
    packages = peers.PEERS / peer / "node_modules"
    if not packages.exists():
        pytest.skip(f"{peer} is not installed: run tools/install-gateway-clients")
    (folder / "node_modules").symlink_to(packages)
    file = folder / "lines.mjs"
    file.write_text(code, encoding="utf-8")
    return [peers.program("node", "node"), "--preserve-symlinks-main", str(file)]
