"""Writes the clients of docs/gateway.md from the list that the page in Settings shows.

    python -m tools.gateway_clients

One list for both: src/groundwire/web/page/settings/clients.json. A test fails until this was done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parent.parent
LIST = ROOT / "src/groundwire/web/page/settings/clients.json"
PAGE = ROOT / "docs/gateway.md"
_BEGIN = "<!-- Written by tools/gateway_clients.py. -->\n"
_END = "<!-- Until here. -->\n"


class Snippet(TypedDict):
    """Lines to paste, and where."""

    where: str
    language: str
    code: str


class Client(TypedDict):
    """One client, or a server of models that stands behind the gateway (`kind` is upstream)."""

    name: str
    kind: str
    snippets: Sequence[Snippet]
    search: str
    shows: str
    note: str
    peer: str


def clients() -> list[Client]:
    """Return the list."""
    found: list[Client] = json.loads(LIST.read_text(encoding="utf-8"))
    return found


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with an address, a token and a model in it."""
    return re.sub(r"\{(url|token|model)\}", lambda match: values[match[1]], text)


def rendered() -> str:
    """Return the part of the page."""
    lines = ["| client | asks for search with | shows citations |", "|---|---|---|"]
    lines += [
        f"| {each['name']} | {_words(each['search'])} | {_words(each['shows'])} |"
        for each in clients()
        if each["kind"] == "client"
    ]
    return "\n".join([*lines, "", *(line for each in clients() for line in _section(each))])


def _section(client: Client) -> list[str]:
    title = f"{client['name']} as upstream" if client["kind"] == "upstream" else client["name"]
    lines = [f"### {title}", ""]
    if client.get("note"):
        lines += [_words(client["note"]), ""]
    for snippet in client["snippets"]:
        code = filled(snippet["code"], _NAMES).rstrip("\n")
        lines += [f"{snippet['where']}:", "", f"```{snippet['language']}", code, "```", ""]
    return lines


_NAMES = {"url": "URL", "token": "TOKEN", "model": "MODEL"}


def _words(text: str) -> str:
    return filled(text, _NAMES)


def page() -> str:
    """Return the whole page with its part made anew."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}\n{rendered()}{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
