"""What `make release` builds and checks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.service.documentation import ABOUT_THE_PROJECT
from groundwire.version import VERSION
from tools import check_release

ROOT = Path(__file__).parents[1]
# The source alone is 1.4 MB packed; what would make it leap is a picture or a table by accident.
MOST_BYTES = 1_750_000
WHEEL = f"groundwire-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    yield folder
    shutil.rmtree(folder)


def test_wheel_and_source_distribution_pass_every_check(built: Path) -> None:
    wheel, source = built / WHEEL, built / f"groundwire-{VERSION}.tar.gz"

    assert check_release.check_wheel(wheel) == []
    assert check_release.check_source(source, wheel) == []
    assert check_release.check_changelog() == []


def test_the_wheel_holds_what_the_library_of_a_first_start_is_made_of(built: Path) -> None:
    with zipfile.ZipFile(built / WHEEL) as archive:
        names = archive.namelist()

    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - ABOUT_THE_PROJECT
    held = {name.removeprefix("groundwire/documentation/") for name in names if "/doc" in name}
    assert {name for name in held if "/" not in name} == {*pages, "README.md"}
    assert [name for name in names if name.endswith((".png", ".jpg"))] == []


def test_the_wheel_stays_small(built: Path) -> None:
    assert (built / WHEEL).stat().st_size < MOST_BYTES


def test_an_install_that_fails_shows_what_pip_said(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    digest = "0" * 64
    lock.write_text(f"no-such-package==1.0 \\\n    --hash=sha256:{digest}\n")

    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/install_packages.py"), str(lock)],
        cwd=tmp_path,
        env={"PATH": "", "HOME": str(tmp_path), "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "No matching distribution found for no-such-package" in done.stderr
    assert f"could not install packages of {lock}" in done.stderr
    assert done.stdout == ""


def test_the_changelog_has_what_is_unreleased_and_then_dated_versions_newest_first() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    released = [
        re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", each) for each in headings[1:]
    ]
    versions = [tuple(map(int, each.groups()[:3])) for each in released if each]
    dates = [each[4] for each in released if each]
    assert headings[0] == "Unreleased"
    assert len(versions) == len(headings) - 1 >= 2
    assert versions == sorted(versions, reverse=True)
    assert dates == sorted(dates, reverse=True)


def test_a_screenshot_or_a_missing_file_in_a_wheel_is_found(built: Path, tmp_path: Path) -> None:
    broken = tmp_path / WHEEL
    with zipfile.ZipFile(built / WHEEL) as whole, zipfile.ZipFile(broken, "w") as archive:
        for name in whole.namelist():
            if not name.endswith("py.typed"):
                archive.writestr(name, whole.read(name))
        archive.writestr("groundwire/documentation/images/chat.png", b"")

    assert check_release.check_wheel(broken) == [
        f"{WHEEL} lacks groundwire/py.typed",
        f"{WHEEL} should not have groundwire/documentation/images/chat.png",
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (f"Version: {VERSION}", "Version: 0.0.1", "are of 0.0.1"),
        ("Author: ", "Maintainer: ", "no author"),
        ("text/markdown", "text/plain", "the description is text/plain"),
    ],
)
def test_metadata_without_what_an_index_shows_are_found(
    built: Path, old: str, new: str, said: str
) -> None:
    with zipfile.ZipFile(built / WHEEL) as archive:
        metadata = archive.read(f"groundwire-{VERSION}.dist-info/METADATA").decode()
    assert old in metadata

    found = check_release.check_metadata(metadata.replace(old, new, 1).encode())

    assert any(said in problem for problem in found)


def test_nothing_built_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.check_release", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "run `make release`" in done.stderr


def test_the_demos_first_question_is_answered_offline(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(ROOT / "tools/first_question.py"), VERSION, str(tmp_path)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "[1] " in done.stdout
    assert "https://library.test/groundwire/" in done.stdout


def test_a_first_question_to_another_version_fails(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", str(ROOT / "tools/first_question.py"), "9.9.9", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "not 9.9.9" in done.stderr
