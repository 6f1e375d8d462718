"""Checks what `make release` built: `python -m tools.check_release dist [--install]`.

Metadata, contents and changelog of wheel and source distribution; with --install also that the
wheel, installed in an empty environment, answers the first question of the demo, offline.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata

from groundwire.version import VERSION

ROOT = Path(__file__).parent.parent
REQUIRED = (
    "groundwire/py.typed",
    "groundwire/documentation/search.md",
    "groundwire/reader/trees.json",
)
_UNWANTED = re.compile(r"\.(png|pyc)$|^(tests|bench|torture|tools)/|(^|/)\.(?!gitignore$)")
_ABSENT = ("summary", "author", "license_expression", "description", "requires_python")


def main() -> int:
    """Print what is wrong; the exit code is 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--install", action="store_true", help="Install the wheel and ask it.")
    given = parser.parse_args()
    wheel = given.folder / f"groundwire-{VERSION}-py3-none-any.whl"
    source = given.folder / f"groundwire-{VERSION}.tar.gz"
    if missing := [str(built) for built in (wheel, source) if not built.is_file()]:
        parser.error(f"there is no {' and no '.join(missing)}: run `make release`")
    problems = [*check_wheel(wheel), *check_source(source, wheel), *check_changelog()]
    if given.install and not problems:
        problems += check_installed(wheel)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if not problems:
        sys.stdout.write(f"groundwire {VERSION} is ready: {wheel.name}, {source.name}\n")
    return 1 if problems else 0


def check_wheel(wheel: Path) -> list[str]:
    """Return what is wrong with the wheel's metadata and files."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    missing = [f"{wheel.name} lacks {name}" for name in REQUIRED if name not in names]
    return [*check_metadata(_wheel_metadata(wheel)), *missing, *_unwanted(wheel, names)]


def check_metadata(text: bytes) -> list[str]:
    """Return what an index or a reader of the package's page would miss."""
    metadata = Metadata.from_email(text, validate=True)
    problems = [f"the metadata have no {name}" for name in _ABSENT if not getattr(metadata, name)]
    if str(metadata.version) != VERSION:
        problems.append(f"the metadata are of {metadata.version}, not of {VERSION}")
    if metadata.description_content_type != "text/markdown":
        problems.append(f"the description is {metadata.description_content_type}")
    for label, url in (metadata.project_urls or {}).items():
        if not url.startswith("https://"):
            sys.stdout.write(f"note: the link {label!r} is no web address yet: {url}\n")
    return problems


def check_source(source: Path, wheel: Path) -> list[str]:
    """Return what is wrong with the source distribution."""
    with tarfile.open(source) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        described = archive.extractfile(f"{source.name.removesuffix('.tar.gz')}/PKG-INFO")
        same = described is not None and described.read() == _wheel_metadata(wheel)
    needed = ("pyproject.toml", "src/groundwire/version.py", "LICENSE", "docs/search.md")
    missing = [f"{source.name} lacks {name}" for name in needed if name not in names]
    differing = [] if same else [f"{source.name} and {wheel.name} differ in their metadata"]
    own = [name for name in names if not name.startswith("tests/")]
    return [*missing, *differing, *_unwanted(source, own)]


def check_changelog() -> list[str]:
    """Return whether this version has a dated section."""
    heading = re.compile(rf"^## {re.escape(VERSION)} - \d{{4}}-\d\d-\d\d$", re.MULTILINE)
    if heading.search((ROOT / "CHANGELOG.md").read_text()):
        return []
    return [f"CHANGELOG.md has no section '## {VERSION} - YYYY-MM-DD'"]


def check_installed(wheel: Path) -> list[str]:
    """Return why the wheel does not answer in an environment that has nothing else."""
    with tempfile.TemporaryDirectory(prefix="groundwire-release-") as folder:
        python = str(Path(folder, "venv", "bin", "python"))
        question = Path(folder, "first_question.py")
        question.write_bytes((ROOT / "tools" / "first_question.py").read_bytes())
        quietly = ["--quiet", "--disable-pip-version-check"]
        for command in (
            [sys.executable, "-m", "venv", str(Path(folder, "venv"))],
            [python, "-m", "pip", "install", *quietly, str(wheel.resolve())],
            [python, "-I", str(question), VERSION, folder],
        ):
            if subprocess.run(command, cwd=folder, check=False).returncode:  # noqa: S603 - ours
                return [f"failed: {' '.join(command)}"]
    return []


def _wheel_metadata(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"groundwire-{VERSION}.dist-info/METADATA")


def _unwanted(built: Path, names: list[str]) -> list[str]:
    return [f"{built.name} should not have {name}" for name in names if _UNWANTED.search(name)]


if __name__ == "__main__":
    raise SystemExit(main())
