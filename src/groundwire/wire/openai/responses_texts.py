"""The texts of a Responses reply: each part emitted once, whole and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.events import TextDelta, ThinkingDelta
from groundwire.wire.decoder import TextOrder, TextPart
from groundwire.wire.openai.replies import OpenAIDecoder
from groundwire.wire.openai.responses_items import texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json
    from groundwire.wire.openai.responses_output import Item

BETWEEN_THOUGHTS = "\n\n"
CONTENT = "content"
SUMMARY = "summary"


def part_of(item: Item, group: str, number: Json, order: TextOrder) -> TextPart:
    """Return the part of an item that an event is about; one that was closed begins anew.

    A server that does not number its pieces sends one part after the other.
    """
    if type(number) is not int:
        known = [each for name, each in item.parts if name == group]
        number = known[-1] if known else 0
    part = item.parts.get((group, number))
    if part is None or not part.is_open:
        part = order.begin((*item.place, group != SUMMARY, number))
        item.parts.pop((group, number), None)
        item.parts[group, number] = part
    return part


class Thoughts:
    """The model's reasoning: summaries of it, or the text itself."""

    def __init__(self) -> None:
        self._order = TextOrder()

    def begin(self, item: Item, group: str, number: Json) -> list[StreamEvent]:
        """Begin a part of an item."""
        events = [] if item.is_numbered else self.close(item.parts.values())
        part = part_of(item, group, number, self._order)
        if not part.pieces and part.place[-1]:
            events += self._tell(part, BETWEEN_THOUGHTS)
        return events

    def add(self, item: Item, group: str, number: Json, text: str) -> list[StreamEvent]:
        """Return the next piece of a part, nothing before its turn."""
        if type(number) is int:
            events = self.begin(item, group, number)
        else:
            item.is_numbered, events = False, []
        return events + self._tell(part_of(item, group, number, self._order), text)

    def end(self, item: Item, group: str, number: int, whole: str) -> list[StreamEvent]:
        """End a part; return what its whole text adds to what was emitted."""
        part = item.parts.get((group, number))
        if part is not None and not part.is_open:
            return []
        lead = BETWEEN_THOUGHTS if number else ""
        rest = part.rest_of(lead + whole) if part and part.pieces else whole
        events = self.add(item, group, number, rest)
        return events + self.close([item.parts[group, number]])

    def finish(self, item: Item, texts: Mapping[str, Sequence[str]]) -> list[StreamEvent]:
        """End an item; return what its whole texts add to what was emitted."""
        told = [group for group, _ in item.parts] or [name for name in texts if any(texts[name])]
        events: list[StreamEvent] = []
        for number, text in enumerate(texts[told[0]] if told else ()):
            events += self.end(item, told[0], number, text)
        events += self.close(item.parts.values())
        said = "".join(event.text for event in events if isinstance(event, ThinkingDelta))
        return [ThinkingDelta(said)] if said else []

    def close(self, parts: Iterable[TextPart] | None = None) -> list[StreamEvent]:
        """End parts, or all that are open; return what has waited for that."""
        chosen = self._order.open_parts() if parts is None else [*parts]
        ready = [each for part in chosen if part.is_open for each in self._order.close(part)]
        return [ThinkingDelta(part.text) for part in ready if part.pieces]

    def _tell(self, part: TextPart, text: str) -> list[StreamEvent]:
        if not text:
            return []
        has_turn = self._order.has_turn(part)
        part.pieces.append(text)
        return [ThinkingDelta(text)] if has_turn else []


class ResponsesTexts(OpenAIDecoder):
    """The part of the decoder that tells text and says where in it the citations are."""

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self._order = TextOrder()
        # The part whose pieces are told without looking further, and how the wire calls it.
        self._speaker: TextPart | None = None
        self._speaker_item: Json = None
        self._speaker_number: Json = None

    def _begin_part(self, item: Item, number: Json) -> list[StreamEvent]:
        self._speaker = None
        events = [] if item.is_numbered else self._close_parts(item.parts.values())
        part_of(item, CONTENT, number, self._order)
        return events

    def _known_part(self, item: Item, number: Json) -> TextPart:
        """Return the part that an event is about, be it open or closed; else the last."""
        known = item.parts.get((CONTENT, number))
        if known is None and item.parts and (item.whole is not None or type(number) is not int):
            known = [*item.parts.values()][-1]
        return known or part_of(item, CONTENT, number, self._order)

    def _add_text(self, item: Item, data: Json, text: str) -> list[StreamEvent]:
        """Return the next piece of a part, nothing before its turn."""
        number = data.get("content_index")
        item.is_numbered = type(number) is int
        part = part_of(item, CONTENT, number, self._order)
        events = self._tell(part, text)
        self._speaker = part if self._order.is_alone(part) else None
        self._speaker_item, self._speaker_number = data.get("output_index"), number
        return events

    def _tell(self, part: TextPart, text: str) -> list[StreamEvent]:
        if not text:
            return []
        has_turn = self._has_turn(part)
        part.pieces.append(text)
        if not has_turn:
            return []
        self.text_length += len(text)
        return [TextDelta(text)]

    def _has_turn(self, part: TextPart) -> bool:
        has_turn = self._order.has_turn(part)
        if has_turn and part.start is None:
            part.start = self.text_length
        return has_turn

    def _annotate(self, part: TextPart, notes: Sequence[Json]) -> list[StreamEvent]:
        """Return citations; their offsets count from their part, ours from the answer's start."""
        if not notes:
            return []
        if not self._has_turn(part) and part.start is None:
            part.notes += notes
            return []
        return self._citations.take(
            notes,
            start=part.start or 0,
            end=self.text_length if part.end is None else part.end,
            is_whole=part.end is not None,
        )

    def _close_part(self, part: TextPart) -> list[StreamEvent]:
        """End a part; return what has waited for that."""
        if not part.is_open:
            return []
        self._speaker = None
        events: list[StreamEvent] = []
        if self._has_turn(part):
            part.end = self.text_length
            events += self._citations.settle(part.end)
        for ready in self._order.close(part):
            ready.start = self.text_length
            if ready.pieces:
                self.text_length += len(ready.text)
                events.append(TextDelta(ready.text))
            ready.end = None if ready.is_open else self.text_length
            notes, ready.notes = ready.notes, []
            events += self._annotate(ready, notes)
        return events

    def _close_parts(self, parts: Iterable[TextPart] | None = None) -> list[StreamEvent]:
        """End parts, or all that are open."""
        chosen = self._order.open_parts() if parts is None else [*parts]
        return [event for part in chosen for event in self._close_part(part)]

    def _finish_message(self, item: Item, content: Sequence[Json]) -> list[StreamEvent]:
        """End a message; return what its whole text adds to what was emitted."""
        texts = texts_of(content)
        if item.whole is None:
            _divide(item, texts)
        events: list[StreamEvent] = []
        cited: list[tuple[TextPart, Json]] = []
        for number, text in enumerate(texts):
            part = item.parts.get((CONTENT, number))
            if part is None:
                part = part_of(item, CONTENT, number, self._order)
            if part.is_open:
                events += self._tell(part, part.rest_of(text))
                events += self._close_part(part)
            if item.whole is None or part.text == text:
                cited.append((part, content[number].get("annotations") or ()))
        events += self._close_parts(item.parts.values())
        for part, notes in cited:
            events += self._annotate(part, notes)
        return events


def _divide(item: Item, texts: Sequence[str]) -> None:
    """Give text that came as one part to the parts that a message really has."""
    [part, *others] = item.parts.values() or [None]
    if part is None or others or part.start is None or not "".join(texts).startswith(part.text):
        return
    told, start = part.text, part.start
    item.parts.clear()
    for number, text in enumerate(texts):
        item.parts[CONTENT, number] = part
        part.start, part.pieces = start, [told]
        if len(told) <= len(text):
            return
        item.parts[CONTENT, number] = TextPart.told(part.place, text, start)
        told, start = told[len(text) :], start + len(text)
