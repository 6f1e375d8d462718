"""`url_citation` annotations, nested or flat, as citations in characters of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.citations import canonical_url
from groundwire.events import Citations
from groundwire.model import Citation, domain_of
from groundwire.wire.decoder import UnlinkedSources

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.model import Json

# A file that the model has made, and one of the question's that OpenRouter has read.
_NO_CITATIONS = ("file_path", "file")
# Where annotations of files and containers say what they are about, best first.
_NAMES = ("filename", "title", "file_name", "name", "file_id")


class UrlCitations:
    """The citations of one reply, each emitted once, with spans that lie in the text.

    A span is a place only once its text is there. What comes before its text (OpenRouter sends
    annotations first) waits for it, and so does everything after, which keeps the order.
    """

    def __init__(self, service: str) -> None:
        self._unlinked = UnlinkedSources(service)
        self._told: set[tuple[str, int | None, int | None]] = set()
        self._waiting: list[tuple[Json, int, int | None]] = []

    def take(
        self, annotations: Json, *, start: int, end: int, is_whole: bool = False
    ) -> list[StreamEvent]:
        """Return what annotations of the text from `start` to `end` cite.

        Unless the text is whole it may still grow.
        """
        found: list[Citation] = []
        unlinked: list[StreamEvent] = []
        for annotation in annotations:
            inner = _url_citation(annotation)
            if inner is None:
                unlinked += self._without_url(annotation)
                continue
            span = _span(inner)
            is_early = not is_whole and span is not None and start + span[1] > end
            if self._waiting or is_early:
                self._waiting.append((inner, start, end if is_whole else None))
            else:
                self._add(found, inner, start, end)
        return unlinked + _event(found)

    def _without_url(self, annotation: Json) -> list[StreamEvent]:
        """Return a warning for an annotation that cites something without a URL."""
        kind = annotation.get("type") if isinstance(annotation, dict) else None
        if not isinstance(kind, str) or kind in _NO_CITATIONS:
            return []
        inner = annotation.get(kind)
        names = {**annotation, **inner} if isinstance(inner, dict) else annotation
        told = [names[name] for name in _NAMES if names.get(name)]
        # A link that has neither address nor name is damage, not a source.
        return self._unlinked.take(*told) if told or kind != "url_citation" else []

    def settle(self, end: int) -> list[StreamEvent]:
        """Return what has waited, now that the text ends here."""
        found: list[Citation] = []
        for inner, start, limit in self._waiting:
            self._add(found, inner, start, end if limit is None else limit)
        self._waiting.clear()
        return _event(found)

    def _add(self, found: list[Citation], inner: Json, base: int, limit: int) -> None:
        url: str = inner["url"]
        start = end = None
        span = _span(inner)
        if span is not None and base + span[1] <= limit:
            start, end = base + span[0], base + span[1]
        place = (canonical_url(url), start, end)
        if place in self._told:
            return
        self._told.add(place)
        title, quote = inner.get("title"), inner.get("content")
        found.append(
            Citation(
                url=url,
                title=title if isinstance(title, str) and title else domain_of(url),
                quote=quote if isinstance(quote, str) else "",
                start=start,
                end=end,
            )
        )


def _url_citation(annotation: Json) -> Json:
    """Return the object that has the URL, None if the annotation is of another kind."""
    if not isinstance(annotation, dict):
        return None
    inner = annotation.get("url_citation")
    if not isinstance(inner, dict):
        inner = annotation if annotation.get("type") == "url_citation" else {}
    url = inner.get("url")
    return inner if isinstance(url, str) and url else None


def _span(inner: Json) -> tuple[int, int] | None:
    """Return where the annotation says that it is, None if that is no place (0 to 0, say)."""
    start, end = inner.get("start_index"), inner.get("end_index")
    if type(start) is not int or type(end) is not int:
        return None
    return (start, end) if 0 <= start < end else None


def _event(found: list[Citation]) -> list[StreamEvent]:
    return [Citations(tuple(found))] if found else []
