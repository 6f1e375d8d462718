"""The command that adds an extra, for each way in which Groundwire can have been installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.system.extras import install_command

UV = "home = /usr/bin\nimplementation = CPython\nuv = 0.9.7\nversion_info = 3.12.1\n"
VENV = "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.12.1\n"


@pytest.mark.parametrize(
    ("place", "told", "command"),
    [
        ("project/.venv", VENV, "pip install 'groundwire[web]'"),
        ("share/pipx/venvs/groundwire", VENV, "pipx install --force 'groundwire[web]'"),
        ("share/uv/tools/groundwire", UV, "uv tool install --force 'groundwire[web]'"),
        ("cache/uv/archive-v0/abc", UV, "uvx --from 'groundwire[web]' groundwire"),
        ("project/.venv", UV, "uv pip install 'groundwire[web]'"),
    ],
)
def test_an_extra_is_added_in_the_way_of_the_installation(
    tmp_path: Path, place: str, told: str, command: str
) -> None:
    prefix = tmp_path / place
    prefix.mkdir(parents=True)
    (prefix / "pyvenv.cfg").write_text(told)

    assert install_command("web", prefix=str(prefix)) == command


def test_a_python_without_an_environment_has_pip(tmp_path: Path) -> None:
    assert install_command("pdf", prefix=str(tmp_path)) == "pip install 'groundwire[pdf]'"
