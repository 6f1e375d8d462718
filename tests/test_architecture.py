"""What the architecture and contributing pages name is there: files, functions, layers."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "groundwire"
PAGE = (ROOT / "docs" / "architecture.md").read_text()
MOST_LAYERS = 16
# The 35 rooms of the design, `text`, `system`, and `__init__`, `__main__`, `py.typed`.
MOST_ENTRIES = 40

CHANGES = [
    line
    for line in (ROOT / "CONTRIBUTING.md")
    .read_text()
    .partition("## Where a change goes")[2]
    .partition("\n## ")[0]
    .splitlines()
    if line.startswith("| ") and not line.startswith("| to …")
]

_NAMED = re.compile(r"`([\w/]+\.(?:py|json|js))(?:: ([\w.]+))?`")


def _defined(path: Path) -> set[str]:
    """Return the functions, classes and methods of a file, methods as `Class.method`."""
    if path.suffix == ".js":
        return _defined_in_javascript(path.read_text())
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.ClassDef):
            names |= {
                f"{node.name}.{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            }
    return names


def _defined_in_javascript(text: str) -> set[str]:
    names, around = set(), ""
    for line in text.splitlines():
        if outer := re.match(r"(?:export )?(?:async )?(class|function) (\w+)", line):
            around = outer[2]
            names.add(around)
        elif method := re.match(r"  (?:async )?(\w+)\(.*\{$", line):
            names.add(f"{around}.{method[1]}")
    return names


def test_every_file_on_the_page_is_there() -> None:
    files = {file for file, _ in _NAMED.findall(PAGE)}

    missing = [file for file in files if not (SOURCE / file).is_file()]

    assert files
    assert missing == []


def test_every_function_on_the_page_is_there() -> None:
    named = {(file, name) for file, name in _NAMED.findall(PAGE) if name}

    missing = [f"{file}: {name}" for file, name in named if name not in _defined(SOURCE / file)]

    assert named
    assert missing == []


def test_every_folder_on_the_page_is_there() -> None:
    folders = re.findall(r"`([\w/]+)/`", PAGE)

    missing = [
        each for each in folders if not (SOURCE / each).is_dir() and each != "src/groundwire"
    ]

    assert folders
    assert missing == []


def test_the_layers_on_the_page_are_those_that_are_enforced() -> None:
    drawn = re.search(r"```text\n(testing .*?)```", PAGE, re.DOTALL)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]

    layers = next(each["layers"] for each in contracts["contracts"] if each["type"] == "layers")

    assert drawn
    assert [re.split(r"  +", line)[0] for line in drawn[1].splitlines()] == layers
    assert len(layers) <= MOST_LAYERS


def test_the_rooms_at_the_top_do_not_get_more() -> None:
    entries = [each.name for each in SOURCE.iterdir() if each.name != "__pycache__"]

    assert len(entries) <= MOST_ENTRIES, sorted(entries)


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        # The sandbox is independent of the rest, and plays the same services.
        if SOURCE / "sandbox" not in path.parents:
            for each in ast.parse(path.read_text()).body:
                if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                    homes.setdefault(each.name, []).append(path.relative_to(SOURCE).as_posix())

    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def test_the_list_of_changes_is_long_enough_to_try_a_stranger_with() -> None:
    assert len(CHANGES) >= 10
    for change in ("status code", "date of a source", "add a setting", "price limit"):
        assert any(change in row for row in CHANGES)


@pytest.mark.parametrize("row", CHANGES, ids=lambda row: row.split("|")[1].strip())
def test_every_change_names_a_place_that_is_there(row: str) -> None:
    named = _NAMED.findall(row)
    folders = re.findall(r"`([\w/]+)/`", row)

    assert named or folders
    for file, name in named:
        assert (SOURCE / file).is_file(), file
        assert not name or name in _defined(SOURCE / file), f"{file}: {name}"
    assert [each for each in folders if not (SOURCE / each).is_dir()] == []


def test_what_closes_itself_at_the_end_of_a_with_says_so_once() -> None:
    alike = [
        f"{path.relative_to(SOURCE)}: {each.name}"
        for path in SOURCE.rglob("*.py")
        if path.name != "closeable.py"
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and each.name in ("__exit__", "__aexit__")
        and [ast.unparse(line).removeprefix("await ") for line in each.body] == ["self.close()"]
    ]

    assert alike == [], "a subclass of Closeable or AsyncCloseable needs none of its own"


def test_failed_requests_are_sent_again_in_one_place() -> None:
    callers = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_text()))
        if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("delay_before_retry")
    ]

    assert callers == ["client/client.py"]
