"""Starting a browser: which one, how, and what is said when there is none."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.browser.chromium import EXECUTABLES
from groundwire.browser.process import GUARDING_FLAGS, devtools
from groundwire.errors import ConfigError, SettingsError
from groundwire.model import Json
from groundwire.wire.contract import Access, Endpoint
from tests.patience import PATIENCE

PROXY = "http://127.0.0.1:9"

if sys.platform == "win32":
    pytest.skip("the browser of these tests is a shell script", allow_module_level=True)


def endpoint(base_url: str = "", **options: Json) -> Endpoint:
    provider = registry.get("crawl4ai")
    access = Access(base_url=base_url or provider.base_url, options=options)
    return Endpoint(name="crawl4ai", provider=provider, access=access)


def program(folder: Path, *lines: str, name: str = "browser") -> Path:
    """Write a program that stands in for a browser."""
    path = folder / name
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def speaking(folder: Path, name: str = "browser") -> Path:
    """Write one that notes how it was started, says where it is driven from, and stays."""
    return program(
        folder,
        f'for argument; do echo "$argument"; done > "{folder}/arguments"',
        f'/usr/bin/env > "{folder}/environment"',
        'echo "DevTools listening on ws://127.0.0.1:1/devtools/browser/x" >&2',
        "exec /bin/sleep 600",
        name=name,
    )


def arguments(folder: Path) -> list[str]:
    return (folder / "arguments").read_text().splitlines()


def profile(folder: Path) -> Path:
    flag = "--user-data-dir="
    return Path(next(a for a in arguments(folder) if a.startswith(flag)).removeprefix(flag))


async def test_a_browser_is_started_behind_the_proxy_without_our_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "canary")
    path = speaking(tmp_path)

    async with devtools(endpoint(executable=str(path), sandbox=True), PROXY) as url:
        was_there = profile(tmp_path).is_dir()

    assert url == "ws://127.0.0.1:1/devtools/browser/x"
    assert {f"--proxy-server={PROXY}", *GUARDING_FLAGS} <= {*arguments(tmp_path)}
    assert "--no-sandbox" not in arguments(tmp_path)
    assert "canary" not in (tmp_path / "environment").read_text()
    assert (was_there, profile(tmp_path).exists()) == (True, False)


async def test_everything_that_a_browser_started_ends_with_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = program(
        tmp_path,
        f'exec 3> "{pipe}"',
        "/bin/sleep 600 &",
        'echo "DevTools listening on ws://127.0.0.1:1/x" >&2',
        "wait",
    )
    # It ends when nobody holds the pipe's other end any more.
    child_ended = asyncio.create_task(asyncio.to_thread(pipe.read_bytes))

    async with devtools(endpoint(executable=str(path)), PROXY):
        pass

    assert await asyncio.wait_for(child_ended, PATIENCE) == b""


async def test_the_sandbox_can_be_switched_off(tmp_path: Path) -> None:
    path = speaking(tmp_path)

    async with devtools(endpoint(executable=str(path), sandbox="false"), PROXY):
        pass

    assert "--no-sandbox" in arguments(tmp_path)


async def test_a_browser_on_the_path_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speaking(tmp_path, EXECUTABLES[2])
    monkeypatch.setenv("PATH", str(tmp_path))

    async with devtools(endpoint(), PROXY) as url:
        pass

    assert url == "ws://127.0.0.1:1/devtools/browser/x"


async def test_without_a_browser_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="there is no Chromium: install Chromium or set"):
        async with devtools(endpoint(), PROXY):
            pass
    with pytest.raises(ConfigError, match=r"no program 'opera'.*crawl4ai\.options\.executable"):
        async with devtools(endpoint(executable="opera"), PROXY):
            pass


async def test_a_browser_that_ends_at_once_is_told_with_its_own_last_words(
    tmp_path: Path,
) -> None:
    path = program(tmp_path, 'echo "No usable sandbox!" >&2', "exit 1")

    with pytest.raises(ConfigError, match=r"No usable sandbox!.*options\.sandbox to false"):
        async with devtools(endpoint(executable=str(path)), PROXY):
            pass


async def test_an_option_that_is_neither_true_nor_false_is_named(tmp_path: Path) -> None:
    path = program(tmp_path, "exit 1")

    with pytest.raises(SettingsError, match=r"crawl4ai\.options\.sandbox: expected true or false"):
        async with devtools(endpoint(executable=str(path), sandbox="perhaps"), PROXY):
            pass


async def test_a_browser_that_runs_already_is_taken_as_it_is() -> None:
    async with devtools(endpoint("http://127.0.0.1:9222"), PROXY) as url:
        pass

    assert url == "http://127.0.0.1:9222"


async def test_a_browser_on_another_machine_is_refused_because_the_proxy_is_here() -> None:
    with pytest.raises(ConfigError, match="on this machine, so the browser must be too"):
        async with devtools(endpoint("http://browser.example:9222"), PROXY):
            pass
