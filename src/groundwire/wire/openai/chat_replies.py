"""Replies in Chat Completions, as OpenAI, OpenRouter, Perplexity and local servers send them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.events import TextDelta, ThinkingDelta
from groundwire.wire.http import MALFORMED
from groundwire.wire.openai.replies import OpenAIDecoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json


class ChatDecoder(OpenAIDecoder):
    """Reads one reply.

    The reason to stop is only remembered when it comes: usage comes later and citations come
    with it, so Done waits for the end marker or, where a server sends none, for the end.
    """

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self._has_thought = False

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one chunk means; nearly all are one choice with a piece of text."""
        choices = data.get("choices")
        if choices and len(choices) == 1 and not data.get("usage"):
            choice = choices[0]
            delta = choice.get("delta")
            if (
                delta
                and (len(delta) == 1 or (len(delta) == 2 and "role" in delta))
                and (text := delta.get("content"))
                and text.__class__ is str
                and choice.get("finish_reason") is None
                and not choice.get("index")
                and "error" not in data
                and "citations" not in data
                and "search_results" not in data
            ):
                self.text_length += len(text)
                return [TextDelta(text)]
        return self._read_all(data)

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means."""
        if error := body.get("error") or body.get("detail"):
            return self._failed(error)
        if not body["choices"]:
            return self._failed({"message": "the reply has no choices"})
        return [*self._read_all(body), *self._end()]

    def finish(self) -> Sequence[StreamEvent]:
        """Return the end of a reply without end marker, an error if it did not stop either."""
        if self.is_done or not self._stop_reason:
            return super().finish()
        return self._end()

    def _read_all(self, data: Json) -> Sequence[StreamEvent]:
        before = self.text_length
        try:
            return self._read_parts(data)
        except MALFORMED:
            self.text_length = before  # The text of a malformed chunk is not emitted.
            raise

    def _read_parts(self, data: Json) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if found := data.get("search_results") or data.get("citations"):
            events += self._hits(found)
        for choice in data.get("choices") or ():
            if not choice.get("index"):
                events += self._read_choice(choice, data.get("id"))
        events += self._spent(data.get("usage"))
        if error := data.get("error"):
            events += self._failed(error)
        return events

    def _read_choice(self, choice: Json, reply_id: Json) -> list[StreamEvent]:
        delta = choice.get("delta")
        is_whole = not delta
        if is_whole:
            # Some servers end with the whole message, most of which was emitted.
            delta = self._untold(choice.get("message") or {})
        events = self._read_texts(delta)
        if annotations := delta.get("annotations"):
            events += self._citations.take(annotations, start=0, end=self.text_length)
        for position, call in enumerate(delta.get("tool_calls") or ()):
            index = call.get("index", position)
            events += self._read_call(call, index, reply_id, is_whole=is_whole)
        if reason := choice.get("finish_reason"):
            self._stop_reason = str(reason)
            events += self._calls.end_all()
        return events

    def _untold(self, message: Json) -> Json:
        """Return a whole message without what was emitted in pieces."""
        told = ("content", "refusal") if self.text_length else ()
        thought = ("reasoning", "reasoning_content") if self._has_thought else ()
        return {name: value for name, value in message.items() if name not in (*told, *thought)}

    def _read_texts(self, delta: Json) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if thinking := delta.get("reasoning") or delta.get("reasoning_content"):
            self._has_thought = True
            events.append(ThinkingDelta(_text(thinking)))
        for name in ("content", "refusal"):
            if text := _text(delta.get(name)):
                self.text_length += len(text)
                events.append(TextDelta(text))
        return events

    def _read_call(
        self, call: Json, index: int, reply_id: Json, *, is_whole: bool
    ) -> list[StreamEvent]:
        """Return the next piece of a call; a new id under an old index is a new call."""
        function = call.get("function") or {}
        known, told = self._calls.current(index), call.get("id")
        events: list[StreamEvent] = []
        if known is None or (told and told != known and function.get("name")):
            call_id = told or f"call_{reply_id}_{index}"
            events += self._calls.start(index, call_id, function["name"])
        add = self._calls.add_rest if is_whole else self._calls.add
        return events + add(index, function.get("arguments"))


def _text(content: Json) -> str:
    """Return content that is a text, or a list of parts of which some are."""
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(part["text"] for part in content if part.get("type") == "text")
