"""A key is sent to the address it was given for, and to no other, in every direction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.chat.program import CANARY
from tests.web.recorder import Recorder
from tests.web.server import Web

OWN_KEY = "canary_Hs8w-5Qd2.Vm1"
"""What the owner enters for one provider; the service's usual key, CANARY, is the environment's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """A web app whose service is usually at one address, and two addresses of one's own."""

    web: Web
    usual: Recorder
    own: Recorder
    other: Recorder

    def url(self, name: str) -> str:
        """Return the base URL for a place; the usual one is what an empty one means."""
        return "" if name == "usual" else str(getattr(self, name).url)

    def provider(self, place: str, key: str = "") -> str:
        """Make a provider, with a key of its own if one is given, and return its path."""
        body = {"name": "Mine", "type": "anthropic", "base_url": self.url(place)}
        made = self.web.client.post("/api/providers", json=body)
        assert made.status_code == 201, made.text
        path = f"/api/providers/{made.json()['id']}"
        if key:
            assert self.web.client.put(f"{path}/key", json={"key": key}).status_code == 204
        return path

    def move(self, path: str, base_url: str) -> Json:
        """Change a provider's address."""
        changed = self.web.client.patch(path, json={"base_url": base_url})
        assert changed.status_code == 200, changed.text
        return changed.json()

    def use(self, path: str) -> None:
        """Have the provider asked in every way there is: test, models, a question."""
        self.web.client.post(f"{path}/test")
        self.web.client.post(f"{path}/models")
        body = {"text": "Well?", "provider_id": path.rpartition("/")[2], "model": "claude-x"}
        self.web.client.post("/api/agents/assistant/message", json=body)

    def seen(self, key: str) -> set[str]:
        """Return the places that saw a key."""
        places = {"usual": self.usual, "own": self.own, "other": self.other}
        return {name for name, place in places.items() if place.has_seen(key)}

    def forget(self) -> None:
        """Forget what was sent so far."""
        for place in (self.usual, self.own, self.other):
            place.heads.clear()


@pytest.fixture
def places(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Places]:
    with ExitStack() as stack:
        usual, own, other = (stack.enter_context(Recorder()) for _ in range(3))
        web = stack.enter_context(Web(sandbox, tmp_path, addresses={"anthropic": usual.url}))
        yield Places(web=web, usual=usual, own=own, other=other)


@pytest.mark.parametrize(
    ("before", "after"), [("usual", "own"), ("own", "other"), ("own", "usual"), ("usual", "other")]
)
def test_no_key_follows_a_provider_to_another_address(
    places: Places, before: str, after: str
) -> None:
    path = places.provider(before, OWN_KEY)
    places.use(path)
    seen_before = places.seen(OWN_KEY)
    places.forget()

    changed = places.move(path, places.url(after))
    places.use(path)

    assert seen_before == {before}
    assert places.seen(OWN_KEY) == set()
    # The environment's key is for the usual address alone.
    assert places.seen(CANARY) == ({"usual"} if after == "usual" else set())
    assert changed["has_key"] is (after == "usual")
    assert len(getattr(places, after).heads) >= (3 if after == "usual" else 2)


@pytest.mark.parametrize(("before", "after"), [("usual", "own"), ("usual", "other")])
def test_the_usual_key_of_a_service_goes_to_its_usual_address_only(
    places: Places, before: str, after: str
) -> None:
    path = places.provider(before)
    places.use(path)
    seen_before = places.seen(CANARY)

    places.move(path, places.url(after))
    places.forget()
    places.use(path)

    assert seen_before == {"usual"}
    assert places.seen(CANARY) == set()
    assert getattr(places, after).heads != []


@pytest.mark.parametrize("place", ["usual", "own"])
def test_a_key_stays_while_the_address_does_however_it_is_spelled(
    places: Places, place: str
) -> None:
    path = places.provider(place, OWN_KEY)
    spelled = getattr(places, place).url

    for base_url in (places.url(place), spelled, f"{spelled}/"):
        assert places.move(path, base_url)["has_key"] is True
        places.forget()
        places.use(path)

        assert places.seen(OWN_KEY) == {place}
        assert places.seen(CANARY) == set()


def test_a_key_does_not_come_back_with_the_old_address(places: Places) -> None:
    path = places.provider("own", OWN_KEY)

    places.move(path, places.url("other"))
    places.move(path, places.url("own"))
    places.use(path)

    assert places.seen(OWN_KEY) == set()
    assert OWN_KEY not in (places.web.folder / "keys.json").read_text()
