"""Lists each direct dependency: version, age, licence, size, and why it is there.

    python -m tools.dependencies [--json] [--ask]

Reads what is installed, pyproject.toml and dependencies.toml; asks nobody. With `--ask`, after
other versions were pinned, it asks the index that pip uses on which day each was released, and
keeps that in dependencies.toml. Exits with 1 where a licence does not fit, a version has a fault of
the list, a reason is missing, or nobody knows how old a version is.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
import urllib.request
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tools" / "dependencies.toml"
# Each may be used beside the Apache licence of ours: MPL binds the files of its own alone.
LICENCES = frozenset(
    {
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CNRI-Python",
        "ISC",
        "MIT",
        "MPL-2.0",
        "PSF-2.0",
    }
)
_WORDS = {
    "apache software license": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd license": "BSD-3-Clause",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]+")
_LINK = re.compile(r'data-upload-time="([^"]*)"[^>]*>([^<]*)<')
_FORMS = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """One of them.

    `version` and `megabytes` are None where it is not installed, and so is `released`.
    """

    name: str
    asked: str
    extra: str
    why: str
    version: str | None = None
    released: str | None = None
    licence: str = ""
    megabytes: float | None = None
    problems: tuple[str, ...] = ()


def asked_for() -> dict[str, tuple[str, str]]:
    """Return what pyproject.toml asks for: by name the requirement, and the extra that wants it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, tuple[str, str]] = {}
    for extra, requirements in groups.items():
        for requirement in requirements:
            match = _NAME.match(requirement)
            if match and match[0] != project["name"]:
                found.setdefault(match[0], (requirement, extra))
    return found


_LICENCE = ("License-Expression", "License")


def licence_of(installed: Distribution, told: str) -> str:
    """Return a licence in the words of SPDX, "" if the metadata does not say."""
    metadata = installed.metadata
    # A newer reader of metadata, which a package may bring, raises for what is not there.
    told_here = [metadata[name] for name in _LICENCE if name in metadata]
    named = next(filter(None, told_here), "")
    if told or not named or "\n" in named:
        marks = metadata.get_all("Classifier") or ()
        classes = [each.rpartition("::")[2].strip() for each in marks if "License ::" in each]
        named = told or " AND ".join(_WORDS.get(each.lower(), each) for each in classes)
    return _WORDS.get(named.lower(), named)


def is_fitting(licence: str) -> bool:
    """Tell whether every licence that an expression may ask for is one of ours to take."""
    names = set(re.findall(r"[\w.-]+", licence)) - {"AND", "OR", "WITH"}
    return bool(names) and names <= LICENCES


def is_below(version: str, fixed: str) -> bool:
    """Tell whether a version came before another."""
    return _numbers(version) < _numbers(fixed)


def _numbers(version: str) -> tuple[int, ...]:
    release = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(each) for each in release[0].split(".")) if release else ()


def uploaded(page: str, version: str) -> str | None:
    """Return the day on which a version was first uploaded, as a page of a package index has it."""
    # In JSON by PEP 700; in HTML some have it as an attribute.
    if page.startswith("{"):
        files = {each["filename"]: each.get("upload-time") for each in json.loads(page)["files"]}
    else:
        files = {name: time for time, name in _LINK.findall(page)}
    named = re.compile(rf"-{re.escape(version)}(?:-|\.tar\.gz$|\.zip$)")
    return min(
        (time[:10] for name, time in files.items() if time and named.search(name)), default=None
    )


def _ask() -> None:
    """Keep when the installed versions were released, as the index of pip tells it."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - ours
    told = done.stdout.strip()
    index = (told or "https://pypi.org/simple").rstrip("/")
    days: dict[str, str] = {}
    for each in dependencies():
        if each.version:
            name = re.sub(r"[-_.]+", "-", each.name).lower()
            request = urllib.request.Request(f"{index}/{name}/", headers={"Accept": _FORMS})  # noqa: S310 - pip's index
            with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - as above
                page = reply.read().decode("utf-8", "replace")
            if day := uploaded(page, each.version):
                days[each.name] = f"{each.version} {day}"
    text = TABLE.read_text("utf-8")
    head, _, rest = text.partition("[released]\n")
    rest = re.sub(r"\A(?:[\w.-]+ = .*\n)*", "", rest)
    lines = "".join(f'{name} = "{day}"\n' for name, day in days.items())
    TABLE.write_text(f"{head}[released]\n{lines}{rest}", "utf-8")


def dependencies() -> list[Dependency]:
    """Return all of them, as pyproject.toml has them."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    return [_one(name, *asked, table) for name, asked in asked_for().items()]


def _one(name: str, asked: str, extra: str, table: dict[str, Any]) -> Dependency:
    why = table["why"].get(name, "")
    problems = [] if why else ["nobody says why it is there"]
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return Dependency(name=name, asked=asked, extra=extra, why=why, problems=tuple(problems))
    licence = licence_of(installed, table["licence"].get(name, ""))
    if not is_fitting(licence):
        problems.append(f"its licence is not one of those that fit: {licence or 'unknown'}")
    problems += [
        f"{each['what']} (fixed in {each['fixed']})"
        for each in table["fault"]
        if each["name"] == name and is_below(installed.version, each["fixed"])
    ]
    noted = table["released"].get(name, "").split()
    day = date.fromisoformat(noted[1]) if noted[:1] == [installed.version] else None
    if day is None:
        problems.append(
            "nobody knows how old this version is: `python -m tools.dependencies --ask`"
        )
    return Dependency(
        name=name,
        asked=asked,
        extra=extra,
        why=why,
        version=installed.version,
        released=day.isoformat() if day else None,
        licence=licence,
        megabytes=_megabytes(installed),
        problems=tuple(problems),
    )


def _megabytes(installed: Distribution) -> float:
    paths = [Path(str(file.locate())) for file in installed.files or ()]
    return round(sum(path.stat().st_size for path in paths if path.exists()) / 1e6, 1)


def _line(one: Dependency) -> str:
    days = ""
    if one.released:
        days = f"{(datetime.now(UTC).date() - date.fromisoformat(one.released)).days} days"
    size = "" if one.megabytes is None else f"{one.megabytes:g} MB"
    cells = (one.name, one.extra or "always", one.version or "not installed", days)
    return " | ".join(("", *cells, one.licence, size, one.why, "")).strip()


def main() -> None:
    """Print the list, and what is wrong with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--ask", action="store_true", help="ask the index how old versions are")
    given = parser.parse_args()
    if given.ask:
        _ask()
    found = dependencies()
    if given.json:
        sys.stdout.write(json.dumps([asdict(each) for each in found], indent=1) + "\n")
    else:
        head = (
            "| name | extra | version | age | licence | size | why |\n|---|---|---|--:|---|--:|---|"
        )
        sys.stdout.write("\n".join((head, *map(_line, found))) + "\n")
    problems = [f"{each.name}: {problem}" for each in found for problem in each.problems]
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
