"""A real Secret Service, as a Linux desktop has it, in a session of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

PROGRAMS = ("dbus-run-session", "gnome-keyring-daemon")

ROUND_TRIP = """
import json
from groundwire.config.keys import Keys
from groundwire.model import Secret

def place(found):
    return found and [found.source, found.detail, found.key == Secret("tvly-real")]

keys = Keys()
steps = [keys.find("TAVILY_API_KEY"), keys.save("TAVILY_API_KEY", Secret("tvly-real"))]
steps += [place(Keys().find("TAVILY_API_KEY")), Keys().known(["TAVILY_API_KEY"])]
steps += [Keys().remove("TAVILY_API_KEY"), Keys().find("TAVILY_API_KEY")]
print(json.dumps([*steps, Keys().keyring_problem()]))
"""

# The daemon answers in the background; it prints its sockets once it does.
UNLOCK_THEN = 'printf secret | gnome-keyring-daemon --unlock --components=secrets >&2 && exec "$@"'


@pytest.mark.slow
@pytest.mark.skipif(
    any(shutil.which(program) is None for program in PROGRAMS),
    reason="needs a Secret Service: the Debian packages gnome-keyring and dbus",
)
def test_a_real_secret_service_keeps_finds_and_removes_a_key(tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(tmp_path),
        "XDG_RUNTIME_DIR": str(runtime),
    }
    command = ["dbus-run-session", "--", "sh", "-c", UNLOCK_THEN, "sh"]

    finished = subprocess.run(
        [*command, sys.executable, "-c", ROUND_TRIP],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout) == [
        None,
        "keyring",
        ["keyring", "SecretService Keyring", True],
        {"TAVILY_API_KEY": ["keyring"]},
        ["keyring"],
        None,
        None,
    ]
    assert list(tmp_path.rglob("keys.json")) == []
