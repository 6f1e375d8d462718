"""The files of the page as they are written: how large, and what none of them may hold."""

from __future__ import annotations

import gzip
import re

from tests.web.page.conftest import FOLDER

FIRST_PAGE_MAX_BYTES = 50_000
"""As they are sent, packed; twice that is still a small page."""


def first_page() -> set[str]:
    """Return the files that an empty chat loads: what the page names, and their imports."""
    html = (FOLDER / "index.html").read_text()
    waiting = re.findall(r'(?:href|src)="/page/([\w.]+)', html)
    found = {"index.html"}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name.endswith(".js"):
            text = (FOLDER / name).read_text()
            waiting += re.findall(r"^import [^;]*?from '\./([\w.-]+)'", text, flags=re.MULTILINE)
    return found


def test_the_first_page_is_small() -> None:
    files = first_page()

    assert {"main.js", "dom.js", "base.css", "icons.svg"} <= files
    packed = [gzip.compress((FOLDER / name).read_bytes(), 9) for name in files]
    assert sum(map(len, packed)) < FIRST_PAGE_MAX_BYTES


def test_no_module_makes_elements_or_styles_from_text() -> None:
    sinks = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTMLUnsafe|\beval\(|"
        r"new Function|srcdoc|DOMParser|createContextualFragment|style: "
    )
    modules = sorted(FOLDER.rglob("*.js"))
    guilty = [
        f"{path.name}: {line.strip()}"
        for path in modules
        for line in path.read_text().splitlines()
        if sinks.search(line) and not line.strip().startswith(("/*", "*", "//"))
    ]

    assert len(modules) > 40
    assert guilty == []


def test_no_file_names_another_host() -> None:
    hosts = {
        host
        for path in FOLDER.rglob("*.*")
        for host in re.findall(r"https?://(\w[\w.-]*)", path.read_text())
    }

    # The namespace of pictures, the example of a server of one's own, and the library's address,
    # at which nobody answers.
    assert hosts == {"www.w3.org", "127.0.0.1", "library.test"}


def test_the_documents_hold_no_script_and_no_style() -> None:
    inline = re.compile(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=")
    documents = sorted(FOLDER.glob("*.html"))

    assert len(documents) == 4
    assert [path.name for path in documents if inline.search(path.read_text())] == []
