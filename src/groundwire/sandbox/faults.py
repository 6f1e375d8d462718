"""Faults: what can go wrong on the wire, each reproducible by name."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import orjson

from groundwire.sandbox.json import Json
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import Call, Dialect, Frame, Kind, RefusalError, Trouble

FAR_AWAY = 1_000_000
DANGLING = 97
TEXT_OPENINGS = (b'"text":"', b'"text": "', b'"content":"', b'"delta":"')
HUGE_BYTES = 2 << 20
LOGIN_PAGE = b"<!doctype html><title>Sign in</title><p>Please sign in to use this network.</p>"
OFFSETS = names("start_index end_index startIndex endIndex start_char_index end_char_index")
INDICES = names("document_index search_result_index output_index content_index")


class FaultName(StrEnum):
    """Every fault by the name that a request uses."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    RATE_LIMIT = "rate_limit"
    RATE_LIMIT_BARE = "rate_limit_bare"
    QUOTA = "quota"
    CONTEXT_TOO_LONG = "context_too_long"
    SERVER_ERROR = "server_error"
    OVERLOADED = "overloaded"
    ERROR_IN_200 = "error_in_200"
    OVERLOADED_AFTER_TEXT = "overloaded_after_text"
    CUT_IN_EVENT = "cut_in_event"
    CUT_IN_CHARACTER = "cut_in_character"
    CUT_IN_JSON_STRING = "cut_in_json_string"
    END_WITHOUT_TERMINAL = "end_without_terminal"
    SILENCE = "silence"
    ONE_BYTE_AT_A_TIME = "one_byte_at_a_time"
    GARBAGE_JSON = "garbage_json"
    UNKNOWN_EVENT = "unknown_event"
    DUPLICATE_EVENT = "duplicate_event"
    CITATIONS_AFTER_END = "citations_after_end"
    OFFSETS_OUT_OF_RANGE = "offsets_out_of_range"
    DANGLING_INDICES = "dangling_indices"
    WRONG_CONTENT_TYPE = "wrong_content_type"
    ENDLESS = "endless"
    HUGE_EVENT = "huge_event"
    BAD_REQUEST = "bad_request"
    BLOCKED = "blocked"
    UNREADABLE = "unreadable"
    PARTIAL = "partial"
    ENGINES_FAILED = "engines_failed"
    LIMITER = "limiter"
    ODD_ROWS = "odd_rows"
    NOTHING_FOUND = "nothing_found"
    FILTERS_IGNORED = "filters_ignored"


REFUSED = {
    FaultName.UNAUTHORIZED: Trouble.UNAUTHORIZED,
    FaultName.FORBIDDEN: Trouble.FORBIDDEN,
    FaultName.RATE_LIMIT: Trouble.RATE_LIMIT,
    FaultName.RATE_LIMIT_BARE: Trouble.RATE_LIMIT,
    FaultName.QUOTA: Trouble.QUOTA,
    FaultName.CONTEXT_TOO_LONG: Trouble.CONTEXT_TOO_LONG,
    FaultName.SERVER_ERROR: Trouble.SERVER_ERROR,
    FaultName.OVERLOADED: Trouble.OVERLOADED,
}
# What only a service that searches or reads can run into.
SERVICE_FAULTS = frozenset(
    {
        FaultName.BAD_REQUEST,
        FaultName.BLOCKED,
        FaultName.UNREADABLE,
        FaultName.PARTIAL,
        FaultName.ENGINES_FAILED,
        FaultName.LIMITER,
        FaultName.ODD_ROWS,
        FaultName.NOTHING_FOUND,
        FaultName.FILTERS_IGNORED,
    }
)
OPTIONS = names("after retry_after times size clean id status code late")


class Ending(StrEnum):
    """How a reply's body ends."""

    CLEAN = "complete"
    CUT = "cut by the fault"
    SILENT = "silent"
    ENDLESS = "endless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A wanted fault. `after` counts pieces of text, `times` the calls that it hits (None: all).

    `status` and `code` choose among the statuses and the words that a service has for it.
    """

    name: FaultName
    id: str
    after: int = 3
    retry_after: float | None = None
    times: int | None = None
    size: int = HUGE_BYTES
    is_clean: bool = False
    is_late: bool = False
    status: int | None = None
    code: str = ""

    @property
    def wait_seconds(self) -> float | None:
        """Return how long a refused client is told to wait, None if it is not told."""
        if self.name is FaultName.RATE_LIMIT_BARE:
            return None
        if self.name is FaultName.RATE_LIMIT and self.retry_after is None:
            return 1
        return self.retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What to send: the chunks one by one, then the ending; `repeated` is for an endless one.

    `delay_seconds` passes before the head is sent. `pace_seconds` is the script's own pace.
    """

    chunks: list[bytes]
    ending: Ending = Ending.CLEAN
    repeated: bytes = b""
    delay_seconds: float = 0
    pace_seconds: float = 0


def parse(text: str) -> Fault:
    """Read `NAME;option=value;flag`, with the options of `OPTIONS`.

    Raises:
        ValueError: There is no such fault or option.
    """
    name, *options = (part.strip() for part in text.split(";"))
    given = dict(option.partition("=")[::2] for option in options)
    if name not in set(FaultName) or set(given) - OPTIONS:
        raise ValueError(f"no fault {text!r}; there are: {', '.join(FaultName)}")
    return Fault(
        name=FaultName(name),
        id=given.get("id", text),
        after=int(given.get("after", 3)),
        retry_after=float(given["retry_after"]) if "retry_after" in given else None,
        times=int(given["times"]) if "times" in given else None,
        size=int(given.get("size", HUGE_BYTES)),
        is_clean="clean" in given,
        is_late="late" in given,
        status=int(given["status"]) if "status" in given else None,
        code=given.get("code", ""),
    )


def refusal(fault: Fault, dialect: Dialect, call: Call) -> RefusalError | None:
    """Return the refusal that a fault stands for, None if the fault comes later."""
    if fault.name in SERVICE_FAULTS:
        return RefusalError(400, {"sandbox": f"{fault.name} is no fault of a model's service"})
    trouble = REFUSED.get(fault.name)
    return None if trouble is None else dialect.refusal(trouble, call, fault.wait_seconds)


def spoil(fault: Fault, frames: list[Frame], dialect: Dialect, call: Call) -> list[Frame]:
    """Return the events of a stream with the fault in them."""
    place = _place(fault, frames)
    match fault.name:
        case FaultName.ERROR_IN_200:
            return dialect.failure_frames(Trouble.SERVER_ERROR, call, 0)
        case FaultName.OVERLOADED_AFTER_TEXT:
            failure = dialect.failure_frames(Trouble.OVERLOADED, call, place)
            return [*frames[:place], *failure]
        case FaultName.GARBAGE_JSON | FaultName.UNKNOWN_EVENT | FaultName.HUGE_EVENT:
            extra = _extra_frame(fault, frames[place - 1], dialect)
            return [*frames[:place], extra, *frames[place:]]
        case FaultName.END_WITHOUT_TERMINAL:
            return frames[:place]
    return _misled(fault, frames)


def _extra_frame(fault: Fault, previous: Frame, dialect: Dialect) -> Frame:
    if fault.name is FaultName.GARBAGE_JSON:
        return Frame(event=previous.event, data='{"type": "broken", "delta": {"text": "half')
    return dialect.unknown_frame("x" * fault.size if fault.name is FaultName.HUGE_EVENT else "")


def _misled(fault: Fault, frames: list[Frame]) -> list[Frame]:
    """Return events that are well formed but do not fit together."""
    match fault.name:
        case FaultName.DUPLICATE_EVENT:
            return [double for frame in frames for double in _doubled(frame)]
        case FaultName.CITATIONS_AFTER_END:
            return _with_late_citations(frames)
        case FaultName.OFFSETS_OUT_OF_RANGE:
            return [replace(frame, data=_moved(frame.data)) for frame in frames]
        case FaultName.DANGLING_INDICES:
            return [dangling for frame in frames for dangling in _dangling(frame)]
    return frames


def script(fault: Fault, chunks: list[bytes], frames: list[Frame]) -> Script:
    """Return what to send of the encoded events, or of the one body in `chunks`."""
    place = min(_place(fault, frames) if frames else 0, len(chunks) - 1)
    match fault.name:
        case FaultName.SILENCE:
            wait = math.inf if fault.is_late else 0
            return Script(chunks=chunks[:place], ending=Ending.SILENT, delay_seconds=wait)
        case FaultName.ENDLESS:
            repeated = chunks[max(place - 1, 0)]
            return Script(chunks=chunks[:place], ending=Ending.ENDLESS, repeated=repeated)
        case FaultName.ONE_BYTE_AT_A_TIME:
            return Script(chunks=[bytes([byte]) for chunk in chunks for byte in chunk])
    cut = _cut(fault, chunks, place)
    if cut is None:
        return Script(chunks=chunks)
    return Script(chunks=cut, ending=Ending.CLEAN if fault.is_clean else Ending.CUT)


def _cut(fault: Fault, chunks: list[bytes], place: int) -> list[bytes] | None:
    """Return the chunks up to where the fault cuts, None if it does not cut."""
    match fault.name:
        case FaultName.CUT_IN_EVENT:
            position = len(chunks[place]) // 2
        case FaultName.CUT_IN_CHARACTER:
            place, position = _inside_character(chunks, place)
        case FaultName.CUT_IN_JSON_STRING:
            position = _inside_string(chunks[place])
        case _:
            return None
    return [*chunks[:place], chunks[place][:position]]


def spoil_body(fault: Fault, body: Json, dialect: Dialect, call: Call) -> bytes:
    """Return a body that is not streamed with the fault in it."""
    match fault.name:
        case FaultName.ERROR_IN_200:
            return orjson.dumps(dialect.refusal(Trouble.SERVER_ERROR, call).body)
        case FaultName.GARBAGE_JSON:
            return orjson.dumps(body)[:-2] + b"<"
        case FaultName.UNKNOWN_EVENT:
            body = body | {"glow": {"warmth": 1}}
        case FaultName.HUGE_EVENT:
            body = body | {"glow": "x" * fault.size}
        case FaultName.OFFSETS_OUT_OF_RANGE:
            body = _moved(body)
        case FaultName.DANGLING_INDICES:
            body = _pointing_nowhere(body)
    return orjson.dumps(body)


def _place(fault: Fault, frames: list[Frame]) -> int:
    """Return the index behind so many pieces of text; the middle if there is no text."""
    if fault.after == 0:
        return 0 if fault.name in {FaultName.SILENCE, FaultName.OVERLOADED_AFTER_TEXT} else 1
    texts = [index for index, frame in enumerate(frames) if frame.kind is Kind.TEXT]
    if not texts:
        return max(1, len(frames) // 2)
    # Where little text comes, some is left for what happens behind this place.
    return texts[max(0, min(fault.after, len(texts) - 1) - 1)] + 1


def _inside_string(chunk: bytes) -> int:
    """Return the place behind the quote that opens the text, or any other string."""
    for opening in (*TEXT_OPENINGS, b':"', b': "'):
        position = chunk.find(opening)
        if position >= 0:
            return position + len(opening)
    return len(chunk) // 2


def _inside_character(chunks: list[bytes], place: int) -> tuple[int, int]:
    """Return the place behind the first byte of a character of several, from `place` on."""
    for index in (*range(place, len(chunks)), *range(place)):
        for position, byte in enumerate(chunks[index]):
            if byte >= 0xC2:
                return index, position + 1
    return place, len(chunks[place]) // 2


def _doubled(frame: Frame) -> Iterator[Frame]:
    yield frame
    if frame.kind not in {Kind.START, Kind.CITATION, Kind.END}:
        return
    data = copy.deepcopy(frame.data)
    # Gemini's last chunk has text too, and text that came twice would be no duplicate to anyone.
    for candidate in data.get("candidates", ()) if isinstance(data, dict) else ():
        candidate["content"]["parts"] = [{"text": ""}]
    yield replace(frame, data=data)


def _with_late_citations(frames: list[Frame]) -> list[Frame]:
    kept: list[Frame] = []
    late: list[Frame] = []
    for frame in frames:
        if frame.kind is not Kind.CITATION:
            kept.append(frame)
            continue
        rest = copy.deepcopy(frame.data)
        if "candidates" in rest:
            grounding = rest["candidates"][0].pop("groundingMetadata")
            content = {"parts": [{"text": ""}], "role": "model"}
            candidate = {"content": content, "index": 0, "groundingMetadata": grounding}
            late.append(replace(frame, data=rest | {"candidates": [candidate]}))
            kept.append(replace(frame, data=rest, kind=Kind.END))
        elif "choices" in rest and rest["choices"][0]["finish_reason"]:
            rest["choices"][0]["delta"] = {}
            kept.append(replace(frame, data=rest, kind=Kind.OTHER))
            late.append(frame)
        else:
            late.append(frame)
    return kept + late


def _moved(data: Json) -> Json:
    """Return a copy whose offsets lie far behind the end of the text."""
    if isinstance(data, list):
        return [_moved(item) for item in data]
    if not isinstance(data, dict):
        return data
    return {
        key: value + FAR_AWAY if key in OFFSETS and isinstance(value, int) else _moved(value)
        for key, value in data.items()
    }


def _dangling(frame: Frame) -> Iterator[Frame]:
    data = frame.data
    if frame.kind is Kind.CITATION and "choices" in data:
        # These citations have no index; a piece of a tool call that never began has.
        lost = {"tool_calls": [{"index": DANGLING, "function": {"arguments": "{}"}}]}
        choice = data["choices"][0] | {"delta": lost, "finish_reason": None}
        yield replace(frame, data=data | {"choices": [choice]}, kind=Kind.OTHER)
    elif frame.kind is Kind.CITATION:
        data = _pointing_nowhere(data)
        data |= {"index": DANGLING} if "index" in data else {}
    yield replace(frame, data=data)


def _pointing_nowhere(data: Json) -> Json:
    if isinstance(data, list):
        return [_pointing_nowhere(item) for item in data]
    if not isinstance(data, dict):
        return data
    moved = {key: _pointing_nowhere(value) for key, value in data.items()}
    moved |= {key: DANGLING for key in data if key in INDICES}
    return moved | (
        {"groundingChunkIndices": [DANGLING]} if "groundingChunkIndices" in data else {}
    )
