"""Providers of other packages, installed for real: good ones, clones, and every broken kind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import groundwire
from groundwire import registry
from groundwire.errors import ProviderBugError
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from tests import forked
from tests.chat.program import OTTERS, keys, settings

__all__ = ["sandbox"]

ROOT = Path(__file__).parents[1]
GOOD = """
from groundwire.wire.openai.chat_provider import ChatCompletions

class Good(ChatCompletions):
    title = "Good"
    base_url = "https://good.example/v1"
    key_variable = "GOOD_API_KEY"

provider = Good()
"""
IDLE = """
from groundwire.wire.contract import Provider

class Idle(Provider):
    title = base_url = "x"

provider = Idle()
"""
BROKEN = {
    "no-import": ("import nobody_has_this\n", "provider", "cannot be loaded (ModuleNotFoundError"),
    "no-syntax": ("def (:\n", "provider", "cannot be loaded (SyntaxError"),
    "raises": (
        "raise ZeroDivisionError('at import')\n",
        "provider",
        "ZeroDivisionError: at import",
    ),
    "exits": ("import sys; sys.exit(4)\n", "provider", "cannot be loaded (SystemExit: 4)"),
    "no-attribute": ("other = 1\n", "provider", "cannot be loaded (AttributeError"),
    "no-object": ("provider = None\n", "provider", "NoneType is not a provider"),
    "a-class": (GOOD, "Good", "type is not a provider"),
    "no-title": (
        "from groundwire.wire.contract import Provider\nprovider = Provider()\n",
        "provider",
        "it has no title",
    ),
    "can-nothing": (IDLE, "provider", "can neither answer nor search, read or embed"),
    "anthropic": (GOOD, "provider", "the name is Groundwire's own"),
    "local": (GOOD, "provider", "the name is Groundwire's own"),
}
BUGGY = """
from groundwire.wire.openai.chat_provider import ChatCompletions

class Buggy(ChatCompletions):
    title = "Buggy"
    base_url = "https://buggy.example/v1"

    def installed(self, access):
        return 1 / 0

provider = Buggy()
"""


def package(folder: Path, name: str, code: str, attribute: str = "provider", own: str = "") -> None:
    """Put a package beside ours, with an entry point, as an installer would."""
    module = f"outside_{(own or name).replace('-', '_')}"
    (folder / f"{module}.py").write_text(code)
    information = folder / f"{module}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        f"[groundwire.providers]\n{name} = {module}:{attribute}\n"
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a good package, one with a bug, two of one name and all broken ones."""
    folder = tmp_path / "site"
    folder.mkdir()
    package(folder, "good", GOOD)
    package(folder, "buggy", BUGGY)
    package(folder, "twice", GOOD, own="first")
    package(folder, "twice", GOOD, own="second")
    for name, (code, attribute, _) in BROKEN.items():
        package(folder, name, code, attribute)
    return folder


def _run(site: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    home = site.parent / "home"
    return subprocess.run(
        forked.groundwire(*command),
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GROUNDWIRE_HOME": str(home),
            "PYTHONPATH": str(site),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def _complaints(told: str) -> list[str]:
    """Return what a command said beside what an answer cost."""
    return [line for line in told.splitlines() if not re.fullmatch(r"[\w.-]+: \$[\d.]+", line)]


def test_every_broken_package_is_named_and_stops_no_command(site: Path) -> None:
    listed = _run(site, "providers", "--json")
    examined = _run(site, "doctor", "--json")
    kept = _run(site, "keys", "list")

    assert (listed.returncode, listed.stderr) == (0, "")
    providers: list[Json] = json.loads(listed.stdout)
    told = {each["name"]: each["problem"] for each in providers if each["problem"]}
    found: list[Json] = json.loads(examined.stdout)
    for name, (_, _, reason) in BROKEN.items():
        assert reason in told[name]
        [finding] = [each for each in found if each["subject"] == name and each["code"] == "plugin"]
        assert reason in finding["found"]
        assert f"outside_{name.replace('-', '_')} 1.0" in finding["fix"]
    assert set(told) == {*BROKEN, "twice"}
    usable = {each["name"] for each in providers if not each["problem"]}
    assert {"good", "buggy", "anthropic", "tavily"} <= usable
    assert "GOOD_API_KEY" in kept.stdout


def test_of_two_packages_with_one_name_neither_is_used(site: Path) -> None:
    asked = _run(site, "ask", "--provider", "twice", OTTERS)

    assert asked.returncode == 1
    assert "'twice' of outside_first 1.0 and outside_second 1.0 cannot be used" in asked.stderr


def test_the_table_shows_what_is_broken_with_the_reason(site: Path) -> None:
    rows = _run(site, "providers").stdout.splitlines()

    [row] = [row for row in rows if row.startswith("no-import")]
    assert "cannot be used" in row
    assert "outside_no_import 1.0: it cannot be loaded" in row


def test_doctor_names_a_bug_and_goes_on(site: Path) -> None:
    found: list[Json] = json.loads(_run(site, "doctor", "--json").stdout)

    [bug] = [each for each in found if each["subject"] == "buggy"]
    assert (bug["state"], bug["code"]) == ("problem", "provider_bug")
    assert "outside_buggy.py, line 9 (ZeroDivisionError" in bug["found"]
    assert [each["state"] for each in found if each["subject"] == "tavily"] == ["ok"]


def test_others_are_asked_as_ever(site: Path, sandbox: SandboxServer) -> None:
    done = _run(
        site,
        "ask",
        "--provider",
        "anthropic",
        OTTERS,
        GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL=sandbox.base_url("anthropic"),
        GROUNDWIRE_PROVIDERS__RAISES__BASE_URL="http://127.0.0.1:9",
        ANTHROPIC_API_KEY="any",
    )

    assert (done.returncode, _complaints(done.stderr)) == (0, [])
    assert "[1] Sea otter" in done.stdout


def test_without_a_name_a_broken_package_is_passed_over(site: Path, sandbox: SandboxServer) -> None:
    done = _run(
        site,
        "ask",
        "--no-store",
        OTTERS,
        GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL=sandbox.base_url("anthropic"),
        GROUNDWIRE_PROVIDERS__RAISES__BASE_URL="http://127.0.0.1:9",
        ANTHROPIC_API_KEY="any",
    )

    assert (done.returncode, _complaints(done.stderr)) == (0, [])


@pytest.mark.parametrize(
    "half",
    [
        "def answer_request(self, question, access): return 1 / 0",
        "def answer_decoder(self, question=None): return 1 / 0",
        "def searches_itself(self, model, access): return 1 / 0",
        "def answer_warnings(self, question, access): return 1 / 0",
    ],
)
async def test_a_turn_with_a_bug_ends_with_its_name(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: str
) -> None:
    code = GOOD.replace('key_variable = "GOOD_API_KEY"', half)
    package(tmp_path, "halved", code)
    monkeypatch.syspath_prepend(str(tmp_path))
    base = settings(sandbox)
    acme = base.providers["openai"].model_copy(update={"model": "gpt-4o"})
    chosen = base.model_copy(update={"providers": {**base.providers, "halved": acme}})
    try:
        async with groundwire.open(settings=chosen, keys=keys(tmp_path), keep=False) as gw:
            with pytest.raises(
                ProviderBugError, match=r"halved: .*outside_halved\.py, line"
            ) as caught:
                await gw.ask(OTTERS, provider="halved")
    finally:
        sys.modules.pop("outside_halved", None)

    assert caught.value.answer is not None


def test_a_name_that_is_reserved_is_no_provider(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(site))

    assert "local" not in registry.names()


def _clone(folder: Path) -> None:
    """Build and install the package that the documentation shows."""
    page = (ROOT / "docs/models.md").read_text().partition("## Add a Chat Completions clone")[2]
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [project] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(code.splitlines()) <= 20
    source = folder / "source"
    source.mkdir()
    (source / "groundwire_acme.py").write_text(code)
    (source / "pyproject.toml").write_text(project)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=source, capture_output=True, check=True)
    [wheel] = folder.glob("*.whl")
    install = ["install", "--no-index", "--no-deps", "--target", str(folder / "site"), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], capture_output=True, check=True)


def test_the_documented_clone_answers_with_sources_once_it_is_installed(
    tmp_path: Path, sandbox: SandboxServer
) -> None:
    _clone(tmp_path)
    ready = {
        "GROUNDWIRE_PROVIDERS__ACME__BASE_URL": sandbox.base_url("openai"),
        "GROUNDWIRE_PROVIDERS__ACME__MODEL": "gpt-4o",
        "GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL": sandbox.base_url("searxng"),
        "GROUNDWIRE_SEARCH_PROVIDER": "searxng",
        "ACME_API_KEY": "acme-key",
    }

    listed: list[Json] = json.loads(_run(tmp_path / "site", "providers", "--json").stdout)
    [acme] = [each for each in listed if each["name"] == "acme"]
    done = _run(tmp_path / "site", "ask", "--provider", "acme", OTTERS, **ready)
    models = _run(tmp_path / "site", "models", "acme", **ready)

    assert (acme["title"], acme["abilities"], acme["problem"]) == ("Acme", ["answer"], "")
    assert (done.returncode, _complaints(done.stderr)) == (0, [])
    assert "[1] Sea otter (https://wiki.example.net/sea-otter)" in done.stdout
    assert "gpt-4o" in models.stdout
    asked = [each for each in sandbox.requests if "chat/completions" in each.path]
    assert [tool["function"]["name"] for tool in asked[0].body["tools"]] == [
        "web_search",
        "open_page",
    ]


def test_a_wrong_key_of_the_clone_is_told_under_its_name(
    tmp_path: Path, sandbox: SandboxServer
) -> None:
    _clone(tmp_path)

    done = _run(
        tmp_path / "site",
        "ask",
        "--provider",
        "acme",
        "--model",
        "gpt-4o",
        OTTERS,
        GROUNDWIRE_PROVIDERS__ACME__BASE_URL=sandbox.base_url("openai", fault="unauthorized"),
        ACME_API_KEY="acme-key",
    )

    assert done.returncode == 1
    assert "acme (HTTP 401)" in done.stderr
    assert "groundwire keys test acme" in done.stderr
