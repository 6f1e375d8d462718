"""What HTML may hold that was made of strangers' words."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_NEVER = {
    *(
        "img",
        "script",
        "iframe",
        "object",
        "embed",
        "form",
        "style",
        "base",
        "svg",
        "math",
        "input",
    ),
    *("video", "audio", "picture", "source", "template", "button", "noscript"),
}
_PLACES = ("href", "src", "srcset", "action", "formaction", "data", "poster", "background")
_SAFE = re.compile(r"(?:https?:|mailto:|/page/|#)", re.IGNORECASE)


class _Inspector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.wrong += [tag] if tag in _NEVER else []
        for name, value in attrs:
            leads_astray = name in _PLACES and not _SAFE.match(value or "")
            if name.startswith("on") or name in ("style", "id", "srcdoc") or leads_astray:
                self.wrong.append(f"{tag} {name}={value}")


def check_html(html: str) -> None:
    """Check that nothing in it runs, loads, or leads elsewhere than to the web."""
    inspector = _Inspector()
    inspector.feed(html)
    assert inspector.wrong == []
