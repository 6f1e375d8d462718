"""A file of settings for every test that wants one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.settings.config_file import Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str) -> Path:
        file = tmp_path / "config.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write_file
