"""OpenCode's configuration: where it is, what wins, and what a mistake in it costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.config import opencode
from groundwire.errors import SettingsError
from groundwire.model import Json, Secret


def chosen(model: str, *, provider: str = "google", option: str = "websearch") -> Json:
    return {"provider": {provider: {"options": {option: {"model": model}}}}}


def write(path: Path, value: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_nothing_is_chosen_on_a_fresh_machine(tmp_path: Path) -> None:
    found = opencode.configuration({}, tmp_path / "home", tmp_path / "work")

    assert found.search_model("google") == ""
    assert found.problems == ()


def test_each_place_wins_over_those_before_it(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    folder = project / "inner"
    folder.mkdir(parents=True)
    environment: dict[str, str] = {}
    models = []

    def look() -> None:
        models.append(opencode.configuration(environment, home, folder).search_model("google"))

    for name in ("config.json", "opencode.json", "opencode.jsonc"):
        write(home / ".config/opencode" / name, chosen(name))
        look()
    environment["OPENCODE_CONFIG"] = str(write(tmp_path / "named.json", chosen("named")))
    look()
    for outer, word in ((project, "outer"), (folder, "inner")):
        write(outer / "opencode.json", chosen(word))
        look()
        write(outer / "opencode.jsonc", chosen(f"{word} c"))
        look()
    write(project / ".opencode/opencode.json", chosen("hidden"))
    look()
    environment["OPENCODE_CONFIG_CONTENT"] = json.dumps(chosen("content"))
    look()

    assert models == [
        "config.json",
        "opencode.json",
        "opencode.jsonc",
        "named",
        "outer",
        "outer c",
        "inner",
        "inner c",
        "hidden",
        "content",
    ]


def test_files_are_merged_field_by_field(tmp_path: Path) -> None:
    write(tmp_path / "config/opencode/opencode.json", chosen("a", provider="openai"))
    write(tmp_path / "work/opencode.json", chosen("b", provider="google"))
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    found = opencode.configuration(environment, tmp_path, tmp_path / "work")

    assert (found.search_model("openai"), found.search_model("google")) == ("a", "b")


def test_a_project_ends_where_its_repository_does(tmp_path: Path) -> None:
    write(tmp_path / "opencode.json", chosen("outside"))
    (tmp_path / "project/.git").mkdir(parents=True)

    found = opencode.configuration({}, tmp_path / "home", tmp_path / "project")

    assert found.search_model("google") == ""


def test_comments_and_a_variable_are_read(tmp_path: Path) -> None:
    text = '{"provider": {"google": {"options": {/* ours */ "websearch": {"model": "{env:M}",}}}}}'
    environment = {"OPENCODE_CONFIG_CONTENT": text, "M": "gemini-flash-latest"}

    found = opencode.configuration(environment, tmp_path, tmp_path)

    assert found.search_model("google") == "gemini-flash-latest"


def test_the_real_plugins_option_is_read_after_the_seeds(tmp_path: Path) -> None:
    cited = chosen("cited", option="websearch_cited")
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(cited)}
    write(tmp_path / "work/opencode.json", chosen("seed"))

    alone = opencode.configuration(environment, tmp_path / "home", tmp_path)
    both = opencode.configuration(environment, tmp_path / "home", tmp_path / "work")

    assert alone.search_model("google") == "cited"
    assert both.search_model("google") == "seed"


@pytest.mark.parametrize("model", [None, 7, "", "  ", ["x"]])
def test_a_model_that_is_no_name_counts_as_none(tmp_path: Path, model: Json) -> None:
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(chosen(model))}

    assert opencode.configuration(environment, tmp_path, tmp_path).search_model("google") == ""


@pytest.mark.parametrize("value", [{"provider": 7}, {"provider": {"google": {"options": []}}}])
def test_an_unexpected_shape_counts_as_nothing(tmp_path: Path, value: Json) -> None:
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(value)}

    assert opencode.configuration(environment, tmp_path, tmp_path).search_model("google") == ""


def test_a_malformed_file_is_told_with_its_line_and_the_others_count(tmp_path: Path) -> None:
    write(tmp_path / "home/.config/opencode/opencode.json", chosen("good"))
    broken = write(tmp_path / "opencode.json", '{\n  "provider": oops\n}')

    found = opencode.configuration({}, tmp_path / "home", tmp_path)

    assert found.search_model("google") == "good"
    assert [str(problem) for problem in found.problems] == [
        f"{broken}: is not valid JSONC: Expecting value (at line 2, column 15)"
    ]


def test_what_is_no_object_or_no_text_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "opencode.json"
    broken.write_bytes(b"\xff\xfe")
    environment = {"OPENCODE_CONFIG_CONTENT": "[]"}

    found = opencode.configuration(environment, tmp_path / "home", tmp_path)

    assert [str(problem) for problem in found.problems] == [
        f"{broken}: is not UTF-8 text",
        "OPENCODE_CONFIG_CONTENT: is not a JSON object",
    ]


@pytest.mark.parametrize(
    "records",
    [
        [{"google": {"type": "api", "key": " AIza-1 "}}],
        [{"google/": {"type": "api", "key": "AIza-1"}}],
        [
            {"openai": {"type": "oauth"}},
            {"integration_id": "google", "value": {"type": "oauth"}},
            {"integration_id": "google", "value": {"type": "key", "key": "AIza-1"}},
        ],
    ],
)
def test_a_key_is_found_in_both_layouts(records: list[Json]) -> None:
    assert opencode.api_key(records, "google") == Secret("AIza-1")


@pytest.mark.parametrize(
    "record", [{"type": "oauth", "key": "x"}, {"type": "api"}, {"type": "api", "key": ""}, "x"]
)
def test_what_is_no_key_is_not_taken_for_one(record: Json) -> None:
    assert opencode.api_key([{"google": record}], "google") is None


def test_a_key_that_no_header_can_carry_is_told_without_being_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        opencode.api_key([{"google": {"type": "api", "key": "AI\nza"}}], "google")

    assert "za" not in str(caught.value)
