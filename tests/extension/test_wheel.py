"""What is installed has the manifest that hosts look for."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from groundwire.extension import load_manifest

ROOT = Path(__file__).parents[2]


def test_the_wheel_carries_the_manifest(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [wheel] = tmp_path.glob("*.whl")

    with zipfile.ZipFile(wheel) as archive:
        archive.extract("groundwire/extension/manifest.yaml", tmp_path)

    assert load_manifest(tmp_path / "groundwire/extension/manifest.yaml") == load_manifest()
