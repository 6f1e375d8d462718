"""Records of checks and pages: what a log may show of them."""

from __future__ import annotations

from groundwire.checks.records import CheckRecord, Snapshot, SourcePage
from groundwire.model import Fetched


def test_pages_and_facts_are_not_shown_where_a_record_is() -> None:
    fetched = Fetched(status=200, headers={}, packed=b"otters", size=6, body_hash="0f")
    records = [
        CheckRecord(message_id="m", position=3, number=1, data={"claim": "otters"}),
        SourcePage(message_id="m", number=1, url="https://a.example/", text="otters"),
        Snapshot(message_id="m", url="https://a.example/", text="otters", fetched=fetched),
    ]

    assert [
        ("'m'" in repr(each), "otters" in repr(each) or "fetched" in repr(each)) for each in records
    ] == [
        (True, False),
    ] * 3


def test_a_page_goes_on_nowhere_unless_its_record_says_so() -> None:
    assert not SourcePage(message_id="m", number=1, url="https://a.example/").is_cut
    assert not Snapshot(message_id="m", url="https://a.example/").is_cut
