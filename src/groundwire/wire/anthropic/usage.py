"""What an Anthropic answer costs, added up over the replies that it took."""

from __future__ import annotations

from groundwire.model import Json, Usage

_COUNTS = (
    ("input_tokens", (), "input_tokens"),
    ("output_tokens", (), "output_tokens"),
    ("cached_input_tokens", (), "cache_read_input_tokens"),
    ("cache_write_tokens", (), "cache_creation_input_tokens"),
    ("thinking_tokens", ("output_tokens_details",), "thinking_tokens"),
    ("searches", ("server_tool_use",), "web_search_requests"),
    ("fetches", ("server_tool_use",), "web_fetch_requests"),
)


class UsageTally:
    """Counts that replace one another within a reply and add up over replies."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._now: dict[str, int] = {}
        self._reported = Usage()

    def take(self, report: Json) -> list[Usage]:
        """Take a report of the current reply and return the new total, if it is new."""
        if not isinstance(report, dict):
            return []
        for name, path, key in _COUNTS:
            place = report
            for step in path:
                place = place.get(step) or {}
            if isinstance(count := place.get(key), int):
                self._now[name] = count
        total = self._total()
        if total == self._reported:
            return []
        self._reported = total
        return [total]

    def close_reply(self) -> None:
        """Add what the current reply has cost to what was before it."""
        for name, count in self._now.items():
            self._before[name] = self._before.get(name, 0) + count
        self._now.clear()

    def _total(self) -> Usage:
        names = {**self._before, **self._now}
        return Usage(**{name: self._before.get(name, 0) + self._now.get(name, 0) for name in names})
