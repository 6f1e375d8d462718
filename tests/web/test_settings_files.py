"""The files of the settings and of the doors, as they are written."""

from __future__ import annotations

import re

from tests.web.page.conftest import FOLDER

FILES = sorted(path for name in ("settings", "entry") for path in (FOLDER / name).iterdir())
DOCUMENTS = [FOLDER / f"{name}.html" for name in ("settings", "login", "setup")]


def test_no_module_makes_elements_or_styles_from_text() -> None:
    sinks = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTMLUnsafe|\beval\(|"
        r"new Function|srcdoc|DOMParser|createContextualFragment|style: "
    )
    modules = [path for path in FILES if path.suffix == ".js"]
    guilty = [
        f"{path.name}: {line.strip()}"
        for path in modules
        for line in path.read_text().splitlines()
        if sinks.search(line) and not line.strip().startswith(("/*", "*", "//"))
    ]

    assert len(modules) > 20
    assert guilty == []


def test_no_file_names_another_host() -> None:
    hosts = {
        host
        for path in [*FILES, *DOCUMENTS]
        for host in re.findall(r"https?://(\w[\w.-]*)", path.read_text())
    }

    # The namespace of pictures, and the example of a server of one's own.
    assert hosts == {"www.w3.org", "127.0.0.1"}


def test_the_documents_hold_no_script_and_no_style() -> None:
    inline = re.compile(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=")

    assert [path.name for path in DOCUMENTS if inline.search(path.read_text())] == []
