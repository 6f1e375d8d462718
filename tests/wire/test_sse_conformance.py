"""The event-stream parser against the web platform's own tests."""

import base64
import json

import pytest

from groundwire.wire.sse import SseParser
from tests.shared import shared


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 5, 7, 64, 1 << 30])
def test_every_case_of_the_web_platform_tests_gives_its_events(chunk_size: int) -> None:
    cases = json.loads(shared("suites/wpt_eventsource.json").read_text())["cases"]
    failed = []

    for case in cases:
        if case.get("expect_connection_failure"):
            continue  # About the content type, which is the client's to check.
        parser = SseParser()
        body = base64.b64decode(case["body_b64"])
        chunks = [body[at : at + chunk_size] for at in range(0, len(body), chunk_size)]
        events = [event for chunk in chunks for event in parser.feed(chunk)]
        got = [{"type": e.type, "data": e.data, "lastEventId": e.last_event_id} for e in events]
        if got != case["events"] or parser.retry_milliseconds != case.get("retry_ms"):
            failed.append(case["name"])

    assert failed == []
    assert len(cases) == 48
