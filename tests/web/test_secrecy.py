"""Keys go to the key store, and to nowhere else; what strangers write comes back as text."""

from __future__ import annotations

import json
import logging

import pytest

from groundwire.model import Json
from tests.chat.program import CANARY
from tests.shared import shared
from tests.web.server import Web

SECRET = "canary_Pk3u-8Tn1.Yb6"  # No shape of a key that anyone knows, so nothing hides it by luck.


def test_a_key_is_never_in_a_reply_the_log_or_the_database(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = web.client
    base_url = web.sandbox.base_url("anthropic")
    made = client.post(
        "/api/providers", json={"name": "Mine", "type": "anthropic", "base_url": base_url}
    )
    path = f"/api/providers/{made.json()['id']}"

    replies = [
        made,
        client.put(f"{path}/key", json={"key": SECRET}),
        client.put(f"{path}/key", json={"key": f"{SECRET} with space"}),
        client.put(f"{path}/key", json={"key": SECRET, "more": 1}),
        client.put(f"{path}/key", json={"kex": SECRET}),
        client.put(f"{path}/key", content=f'{{"key": "{SECRET}'),
        client.put("/api/web/tavily/key", json={"key": SECRET}),
        client.get("/api/providers"),
        client.get("/api/web"),
        client.post(f"{path}/test"),
        client.post(f"{path}/models"),
        client.patch(path, json={"name": "Ours"}),
        client.get("/api/audit"),
        client.get("/api/openapi.json"),
    ]
    told = web.ask(provider_id=made.json()["id"])

    statuses = [reply.status_code for reply in replies]
    assert statuses == [201, 204, 400, 422, 422, 422, 204, 200, 200, 200, 200, 200, 200, 200]
    assert replies[7].json()[0]["has_key"] is True
    assert replies[9].json()["success"] is True
    said = "".join(reply.text for reply in replies) + repr(told) + caplog.text
    kept = b"".join(path.read_bytes() for path in web.folder.glob("web.sqlite3*"))
    assert [(SECRET in said, CANARY in said)] == [(False, False)]
    assert [SECRET.encode() in kept, CANARY.encode() in kept] == [False, False]
    assert SECRET in (web.folder / "keys.json").read_text()


def test_a_key_does_not_follow_its_provider_to_another_address(web: Web) -> None:
    made = web.client.post(
        "/api/providers",
        json={
            "name": "Mine",
            "type": "anthropic",
            "base_url": web.sandbox.base_url("anthropic"),
        },
    ).json()
    web.client.put(f"/api/providers/{made['id']}/key", json={"key": SECRET})

    changed = web.client.patch(
        f"/api/providers/{made['id']}", json={"base_url": "https://evil.example/v1"}
    )

    assert changed.json()["has_key"] is False


def test_a_key_in_a_message_is_taken_out(web: Web) -> None:
    told = web.ask("My key is sk-abcdefghijklmnop", search="off")

    kept = web.client.get(f"/api/sessions/{told[0].data['session_id']}").text
    assert "sk-abcdefghijklmnop" not in kept
    assert any(event.data.get("code") == "key_hidden" for event in told)


def test_what_strangers_write_comes_back_as_a_json_string(web: Web) -> None:
    for payload in _payloads()[::25]:
        name = " ".join(payload.split())[:100].strip()
        made = web.client.post("/api/agents", json={"name": name or "x"})
        titled = web.client.post("/api/sessions", json={"title": payload[:200]})

        assert made.headers["content-type"] == "application/json"
        assert (made.status_code, made.json().get("name")) in [(201, name), (422, None)]
        assert (titled.status_code, titled.json().get("title")) in [
            (201, payload[:200]),
            (422, None),
        ]


def _payloads() -> list[str]:
    rows: Json = json.loads(shared("suites/xss_payloads.json").read_text())
    return [row["payload"] for row in rows]
