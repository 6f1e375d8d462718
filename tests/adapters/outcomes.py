"""Every fault of the sandbox and how an answer ends with it; the torture run expects the same."""

from __future__ import annotations

# Refused before there is an answer.
REFUSED = {
    "unauthorized": "auth",
    "forbidden": "auth",
    "rate_limit": "rate_limit",
    "rate_limit_bare": "rate_limit",
    "context_too_long": "context_length",
    "quota": "quota",
    "server_error": "overloaded",
    "overloaded": "overloaded",
    "error_in_200": "overloaded",
    "wrong_content_type": "bad_reply",
}
# Broken off after some text.
BROKEN = {
    "overloaded_after_text": "overloaded",
    "cut_in_event": "truncated",
    "cut_in_event;clean": "truncated",
    "cut_in_character": "truncated",
    "cut_in_character;clean": "truncated",
    "cut_in_json_string": "truncated",
    "cut_in_json_string;clean": "truncated",
    "end_without_terminal": "truncated",
}
# Broken off by us, because the other side would not stop.
STOPPED = {
    "silence": "timeout",
    "endless": "too_large",
    "huge_event;size=120000": "event_too_large",
}
# Survived: the answer is whole.
SURVIVED = (
    "one_byte_at_a_time",
    "unknown_event",
    "duplicate_event",
    "citations_after_end",
    "offsets_out_of_range",
    "garbage_json",
    "dangling_indices",
)
# Refused for a moment: asking again helps.
PASSING = {"rate_limit", "rate_limit_bare", "server_error", "overloaded"}
# So that what never stops is stopped soon.
SHORT_LIMITS = {
    "idle_timeout_seconds": 2,
    "max_reply_bytes": 150_000,
    "max_event_bytes": 100_000,
}
