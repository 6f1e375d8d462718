"""One reader over many pages, as its documentation shows it; runs in the reader's environment.

    python -m bench.reader_peers NAME PAGES

PAGES is a pickled list of HTML and URL. Prints JSON: the text made of each page, and CPU seconds.
Only what is named here is imported: each reader is a package that the others may not have.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

Read: TypeAlias = Callable[[bytes, str], str]


def main() -> None:
    name, path = sys.argv[1:]
    read = READERS[name]()
    pages = pickle.loads(Path(path).read_bytes())
    read(*pages[0])  # What is only done once is not a page's cost.
    texts, seconds = [], []
    for html, url in pages:
        begun = time.process_time()
        texts.append(read(html, url))
        seconds.append(time.process_time() - begun)
    print(json.dumps({"texts": texts, "seconds": seconds}))


def _groundwire() -> Read:
    extract: Any = import_module("groundwire.reader").extract
    return lambda html, url: str(extract(html, "text/html", url).markdown)


def _trafilatura() -> Read:
    extract: Any = import_module("trafilatura").extract
    return lambda html, url: extract(html, url=url, output_format="markdown") or ""


def _resiliparse() -> Read:
    """Main content as plain text: it writes no Markdown. Without addresses, which no truth has."""
    extract: Any = import_module("resiliparse.extract.html2text").extract_plain_text
    decoded: Any = import_module("resiliparse.parse.encoding").bytes_to_str
    detected: Any = import_module("resiliparse.parse.encoding").detect_encoding

    def read(html: bytes, _: str) -> str:
        return str(extract(decoded(html, detected(html)), main_content=True, links=False))

    return read


def _rs_trafilatura() -> Read:
    """As plain text, in which it is at its best."""
    extract: Any = import_module("rs_trafilatura").extract_bytes
    return lambda html, url: str(extract(html, url=url or None).main_content)


def _html_to_markdown() -> Read:
    """Whole pages: it chooses nothing."""
    convert: Any = import_module("html_to_markdown").convert
    return lambda html, _: str(convert(_decoded(html)).content)


def _markdownify() -> Read:
    """Whole pages: it chooses nothing."""
    convert: Any = import_module("markdownify").markdownify
    return lambda html, _: str(convert(_decoded(html), heading_style="ATX"))


def _readability() -> Read:
    """What readability-lxml chooses, written by markdownify: it writes no Markdown itself."""
    document: Any = import_module("readability").Document
    convert: Any = import_module("markdownify").markdownify
    return lambda html, _: str(convert(document(_decoded(html)).summary(), heading_style="ATX"))


def _decoded(html: bytes) -> str:
    return html.decode("utf-8", errors="replace")


READERS = {
    "groundwire": _groundwire,
    "trafilatura": _trafilatura,
    "rs-trafilatura": _rs_trafilatura,
    "resiliparse": _resiliparse,
    "readability-lxml": _readability,
    "markdownify": _markdownify,
    "html-to-markdown": _html_to_markdown,
}
"""By the name under which each is shown."""


if __name__ == "__main__":
    main()
