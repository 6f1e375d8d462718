"""`groundwire search` and `groundwire read`, in processes of their own over the sandbox."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from tests.forked import groundwire

OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
KEY = "canary_Xq7v-2Lw9.Zr4"
DOCUMENT = """<html><head><title>Fur</title></head><body><main><h1>Fur</h1>
<p>Sea otters have the densest fur of all animals, and they groom it for hours every day.</p>
</main></body></html>"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxServer]:
    with SandboxServer() as server:
        yield server


def run(
    *words: str, home: Path | str = "/nonexistent", **addresses: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that knows only these services, by their address."""
    environment = {
        "PATH": os.environ["PATH"],
        "GROUNDWIRE_HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "GROUNDWIRE_NETWORK__RETRIES": "0",
        "GROUNDWIRE_READ__RESPECT_ROBOTS": "false",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "TAVILY_API_KEY": KEY,
        **{
            f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": address
            for name, address in addresses.items()
        },
    }
    return subprocess.run(
        groundwire(*words),
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        check=False,
    )


def test_a_search_prints_pages_and_says_who_searched(sandbox: SandboxServer) -> None:
    words = ("search", "sea otter fur", "--provider", "tavily")

    done = run(*words, tavily=sandbox.base_url("tavily"))

    assert done.returncode == 0
    assert done.stdout.startswith(f"[1] Sea otter\n    {OTTER}\n    ")
    assert done.stderr.startswith("tavily found 2 pages.")


def test_the_filters_reach_the_search(sandbox: SandboxServer) -> None:
    filters = ("--domain", "example.com", "--limit", "1", "--time", "y")
    words = ("search", "otter", "-p", "tavily", *filters, "--json")

    done = run(*words, tavily=sandbox.base_url("tavily"))

    result = json.loads(done.stdout)
    assert [item["url"] for item in result["results"]] == [VALLEY]
    assert result["sources"] == [
        {"citation_id": 1, "url": VALLEY, "title": "Otters return to the river"}
    ]
    assert all(name in result["message"] for name in ("domains", "limit", "time_range"))


def test_the_next_provider_is_asked_and_the_first_ones_reason_is_told(
    sandbox: SandboxServer,
) -> None:
    words = ("search", "sea otter fur", "-p", "searxng", "-p", "tavily", "--json")
    broken = sandbox.base_url("searxng", fault="engines_failed")

    done = run(*words, searxng=broken, tavily=sandbox.base_url("tavily"))

    message = json.loads(done.stdout)["message"]
    assert message.startswith("tavily found 2 pages.")
    assert "In vain before: searxng failed" in message


def test_nothing_found_is_told_and_no_failure(sandbox: SandboxServer) -> None:
    address = sandbox.base_url("tavily", fault="nothing_found")

    done = run("search", "otter", "-p", "tavily", tavily=address)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("tavily found nothing for 'otter'")


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_search_that_fails_is_one_line_with_the_reason(
    sandbox: SandboxServer, as_json: tuple[str, ...]
) -> None:
    address = sandbox.base_url("tavily", fault="unauthorized")

    done = run("search", "otter", "-p", "tavily", *as_json, tavily=address)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("groundwire: the search for 'otter' failed: tavily (HTTP 401)")
    assert len(done.stderr.splitlines()) == 1
    assert KEY not in done.stderr


def test_a_page_is_printed_as_markdown(sandbox: SandboxServer) -> None:
    done = run("read", OTTER, "--provider", "jina", jina=sandbox.base_url("jina"))

    assert (done.returncode, done.stderr) == (0, "")
    assert "150,000 hairs" in done.stdout


def test_a_page_that_is_cut_says_so(sandbox: SandboxServer) -> None:
    words = ("read", OTTER, "-p", "jina", "--max-length", "9")
    address = sandbox.base_url("jina")

    shown, told = run(*words, jina=address), run(*words, "--json", jina=address)

    result = json.loads(told.stdout)
    assert shown.stdout == f"{result['content']}\n"
    assert shown.stderr.startswith("cut after 9 characters of ")
    assert (result["content_length"], result["truncated"], result["next_start"]) == (9, True, 9)


def test_a_file_is_read_like_a_page(tmp_path: Path) -> None:
    path = tmp_path / "fur.html"
    path.write_text(DOCUMENT)

    done = run("read", str(path), "--json")

    result = json.loads(done.stdout)
    assert (result["url"], result["title"], result["status"]) == (path.as_uri(), "Fur", "success")
    assert "densest fur" in result["content"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("http://127.0.0.1/", "the address 127.0.0.1 is loopback"),
        ("file:///etc/passwd", "only http and https pages are opened"),
        ("nowhere.html", "is not a file; a URL begins with https://"),
        ("/", "is a directory"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_reason(source: str, reason: str) -> None:
    done = run("read", source)

    assert (done.returncode, done.stdout) == (1, "")
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_tool_opens_what_is_typed_on_the_command_line(sandbox: SandboxServer) -> None:
    done = run("tool", "open_page", json.dumps({"url": OTTER}), jina=sandbox.base_url("jina"))

    result = json.loads(done.stdout)
    assert (done.returncode, result["url"], result["status"]) == (0, OTTER, "success")


NOWHERE = "http://127.0.0.1:9"


def test_a_search_without_a_network_names_the_library_which_needs_none(tmp_path: Path) -> None:
    (tmp_path / "otter.md").write_text("Sea otters sleep floating on their backs.")
    added = run("library", "add", str(tmp_path / "otter.md"), home=tmp_path)

    failed = run("search", "sea otters", "-p", "searxng", home=tmp_path, searxng=NOWHERE)

    assert (added.returncode, failed.returncode) == (0, 1)
    assert "no connection to searxng: connection refused" in failed.stderr
    assert "your library needs no network" in failed.stderr
    assert 'search_provider = ["library", "searxng"]' in failed.stderr
    command = failed.stderr.partition("`groundwire ")[2].partition("`")[0]
    again = run(*shlex.split(command), home=tmp_path, searxng=NOWHERE)
    assert again.returncode == 0
    assert again.stdout.startswith("[1] ")
    assert again.stderr.startswith("library found 1 page.")


def test_a_search_without_a_network_or_a_library_says_what_would_work(tmp_path: Path) -> None:
    failed = run("search", "otters", "-p", "searxng", home=tmp_path, searxng=NOWHERE)

    assert failed.returncode == 1
    assert failed.stderr.endswith(
        "check the network, or add documents of your own with `groundwire library add`\n"
    )


def test_a_search_that_a_service_refuses_names_other_services(sandbox: SandboxServer) -> None:
    refused = sandbox.base_url("searxng", fault="server_error")

    failed = run("search", "otters", "-p", "searxng", searxng=refused)

    assert failed.stderr.endswith("name another provider; `groundwire providers` lists them\n")
