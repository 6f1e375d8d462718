"""What commands print for programs."""

from __future__ import annotations

import json

import pytest

from groundwire.cli.output import print_json


def test_json_is_one_line_of_ascii_whatever_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "é\n\u2028 世界 \U0001f9a6", "half": "\ud83e", "list": [1, None]}

    print_json(value)

    printed = capsys.readouterr().out
    assert printed.isascii()
    assert len(printed.splitlines()) == 1
    assert json.loads(printed) == value
