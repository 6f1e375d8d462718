"""What other repositories use of this one: the hook of pre-commit, and the GitHub action."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from groundwire.cli.check import FAILURES

ROOT = Path(__file__).parents[1]
HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
PAGE = "Sea otters weigh 45 kg. They hold each other's paws while they sleep in the kelp. " * 3


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a git repository with a page that was saved, a good text and a bad one."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/a.example_otters.md").write_text(PAGE)
    source = "([a](https://a.example/otters))"
    (tmp_path / "good.md").write_text(f"Otters hold paws while they sleep. {source}\n")
    (tmp_path / "bad.md").write_text(f"Otters weigh 450 kg in the kelp. {source}\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@a.example", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "Texts"], check=True)
    return tmp_path


def _environment() -> dict[str, str]:
    folder = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(("name", "code"), [("good.md", 0), ("bad.md", 1)])
def test_the_hook_fails_on_a_number_that_is_not_on_its_page(
    repository: Path, name: str, code: int
) -> None:
    command = [*shlex.split(HOOK["entry"]), *HOOK["args"], "--offline", "pages", name]

    done = subprocess.run(command, cwd=repository, env=_environment(), check=False)

    assert done.returncode == code


@pytest.mark.slow
def test_pre_commit_itself_runs_the_hook(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = shutil.which("pre-commit", path=_environment()["PATH"])
    if program is None:
        pytest.skip("needs pre-commit: pip install pre-commit")
    hook = {"id": HOOK["id"], "args": [*HOOK["args"], "--offline", "pages"]}
    head = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    rev = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    repos = {"repos": [{"repo": str(ROOT), "rev": rev, "hooks": [hook]}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(repos))
    home = str(tmp_path_factory.mktemp("pre-commit"))

    done = subprocess.run(
        [program, "run", "--all-files"],
        cwd=repository,
        env={**os.environ, "PRE_COMMIT_HOME": home},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1, done.stdout + done.stderr
    assert "450 is not on this page." in done.stdout


def test_the_action_runs_the_same_with_its_inputs(repository: Path) -> None:
    step = ACTION["runs"]["steps"][-1]
    inputs = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
    inputs |= {"files": "go*.md bad.md", "offline": "pages"}
    given = {
        name: inputs[re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)[1]]  # type: ignore[index]
        for name, value in step["env"].items()
    }

    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository,
        env={**_environment(), **given},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "good.md:" in done.stdout
    assert "450 is not on this page." in done.stdout


def test_the_defaults_name_what_there_is() -> None:
    for default in (HOOK["args"][1], ACTION["inputs"]["fail-on"]["default"]):
        assert {*default.split(",")} <= {*FAILURES}
