"""Settings that are changed in the file, with all else in it left as it stands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundwire.config.settings import load
from groundwire.config.settings.editor import Changed, change
from groundwire.errors import SettingsError

FILE = """\
# Ours.
max_page_length = 9_000  # enough

[network]
retries = 1  # never more

[providers.searxng]
base_url = "http://127.0.0.1:8888"
"""


def environment(path: Path, **more: str) -> dict[str, str]:
    return {"GROUNDWIRE_CONFIG": str(path), **more}


def test_a_new_setting_stands_above_the_tables_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(FILE)

    changed = change({"search_provider": ["tavily", "searxng"]}, environment(path))

    new = 'max_page_length = 9_000  # enough\nsearch_provider = ["tavily", "searxng"]\n'
    assert path.read_text() == FILE.replace("max_page_length = 9_000  # enough\n", new)
    assert changed == [
        Changed(
            setting="search_provider",
            path=path,
            before=None,
            now=["tavily", "searxng"],
        )
    ]


def test_a_setting_that_is_there_is_replaced_and_the_same_again_changes_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "config.toml"
    path.write_text('read_provider = [\n  "jina",\n]\n')

    [first] = change({"read_provider": "local"}, environment(path))
    again = change({"read_provider": "local"}, environment(path))

    assert (first.before, first.now, again) == (["jina"], "local", [])
    assert path.read_text() == 'read_provider = "local"\n'


def test_a_file_that_is_not_there_is_made_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "home" / "config.toml"

    change({"search_provider": "tavily"}, {"GROUNDWIRE_HOME": str(path.parent)})

    assert load(path).search_provider == "tavily"
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["config.toml"]


def test_a_variable_that_hides_the_change_is_named(tmp_path: Path) -> None:
    more = environment(tmp_path / "c.toml", GROUNDWIRE_SEARCH_PROVIDER="exa")

    [changed] = change({"search_provider": "tavily"}, more)

    assert changed.hidden_by == "GROUNDWIRE_SEARCH_PROVIDER"


def test_a_setting_in_a_table_is_written_there_and_its_neighbours_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[search]\n# all at once\ntogether = true\n")

    [changed] = change({"search.next_on_nothing": True}, environment(path))
    more = change({"read.respect_robots": False}, environment(path))

    text = path.read_text()
    assert (changed.before, changed.now) == (None, True)
    assert "# all at once\ntogether = true\nnext_on_nothing = true\n" in text
    assert "[read]\nrespect_robots = false\n" in text
    assert change({"search.next_on_nothing": True}, environment(path)) == []
    assert more[0].setting == "read.respect_robots"


@pytest.mark.parametrize(
    ("text", "values", "reason"),
    [
        ("max_page_length = \n", {"search_provider": "tavily"}, "not valid TOML"),
        (FILE, {"search_provider": "no name"}, "search_provider"),
        (FILE, {"search": "tavily"}, "search: "),
    ],
)
def test_what_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, text: str, values: dict[str, object], reason: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)

    with pytest.raises(SettingsError, match=reason):
        change(values, environment(path))

    assert path.read_text() == text
    assert [file.name for file in tmp_path.iterdir()] == ["config.toml"]
