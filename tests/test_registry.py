"""Finding providers by name, and adding one without touching anything else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire import providers, registry
from groundwire.errors import ConfigError, UnknownProviderError
from groundwire.wire.contract import abilities
from tests.forked import python

MADE_UP = '''
"""A provider of the test's own."""

from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider
from groundwire.model import SearchQuery, SearchResult


class MadeUp(Provider):
    """Finds what nobody lost."""

    title = "Made Up"
    base_url = "https://made-up.example"
    key_variable = "MADE_UP_KEY"

    def search_request(self, query: SearchQuery, access: Access) -> HttpRequest:
        return HttpRequest(method="GET", url=f"{access.base_url}/?q={query.text}")

    def search_results(self, reply: HttpReply) -> list[SearchResult]:
        return [SearchResult(url=hit, title=hit) for hit in reply.json()]


provider = MadeUp()
'''


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """One more file among the providers, and nothing else."""
    file = tmp_path / "made_up.py"
    file.write_text(MADE_UP)
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path)])
    yield file
    sys.modules.pop("groundwire.providers.made_up", None)


def test_names_are_the_names_of_the_files() -> None:
    assert {"jina", "searxng", "tavily"} <= set(registry.names())


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownProviderError, match=r"'bing'.*searxng") as caught:
        registry.get("bing")

    assert caught.value.known == registry.names()


@pytest.mark.usefixtures("made_up")
def test_a_made_up_provider_is_found_by_its_file() -> None:
    found = registry.get("made-up")

    assert "made-up" in registry.names()
    assert (found.title, abilities(found)) == ("Made Up", ["search"])


@pytest.mark.usefixtures("made_up")
def test_only_the_provider_that_is_asked_for_is_imported() -> None:
    registry.names()

    assert "groundwire.providers.made_up" not in sys.modules


def test_a_made_up_provider_is_in_every_list_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "made_up.py").write_text(MADE_UP)
    run_main = (
        "import groundwire.providers as p, sys; p.__path__.append(sys.argv.pop(1)); "
        "from groundwire.cli import main; main()"
    )

    def output(*command: str) -> str:
        words = python("-c", run_main, str(tmp_path), *command)
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout

    listed = {entry["name"]: entry for entry in json.loads(output("providers", "--json"))}
    assert listed["made-up"]["abilities"] == ["search"]
    assert "MADE_UP_KEY" in output("keys", "list")
    assert "made-up: no key (MADE_UP_KEY)" in output("doctor")


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """Put another package beside ours, with an entry point, as pip would."""
    (folder / "outsider.py").write_text(MADE_UP)
    information = folder / "outsider-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: outsider\nVersion: 1.0\n")
    points = f"[groundwire.providers]\noutsider = {target}\njina = {target}\n"
    (information / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(folder))


def test_another_package_adds_a_provider_through_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "outsider:provider")

    assert "outsider" in registry.names()
    assert registry.get("outsider").title == "Made Up"


class PackagesAsked:
    """A finder of packages that has none, and counts how often it is asked."""

    def __init__(self) -> None:
        self.count = 0

    def find_spec(self, *_: object) -> None:
        return None

    def find_distributions(self, *_: object) -> tuple[()]:
        self.count += 1
        return ()


def test_all_packages_are_read_once_however_often_a_provider_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = PackagesAsked()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, asked])
    monkeypatch.syspath_prepend(str(tmp_path))

    for _ in range(3):
        with pytest.raises(UnknownProviderError):
            registry.get("claude-sonnet-5-5")

    assert asked.count == 1


def test_another_package_cannot_take_over_one_of_our_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "outsider:provider")

    assert registry.get("jina").title == "Jina Reader"


@pytest.mark.parametrize(
    ("target", "message"),
    [("outsider:missing", "cannot be loaded"), ("outsider:MadeUp", "type is not a provider")],
)
def test_what_another_package_offers_in_vain_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, message: str
) -> None:
    install(tmp_path, monkeypatch, target)

    with pytest.raises(ConfigError, match=message):
        registry.get("outsider")
