"""Browser sessions and tokens at the very moment at which their time is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from groundwire.conversation import ApiToken, User, WebSession
from groundwire.store import PERSONAL, Store
from groundwire.store.credentials import SignedIn
from groundwire.system.determinism import fixed

LATER = timedelta(hours=1)
YEAR = timedelta(days=365)
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


@pytest.fixture
async def user(store: Store) -> User:
    return await store.users.create(User(name="ada"))


@pytest.mark.parametrize(
    ("left", "is_in"),
    [(-LATER, False), (-MOMENT, False), (timedelta(0), False), (MOMENT, True), (LATER, True)],
)
async def test_a_browser_is_signed_out_from_the_very_moment_on(
    store: Store, user: User, left: timedelta, is_in: bool
) -> None:
    session = WebSession(
        id_hash="x", user_id=user.id, created_at=NOON, last_seen_at=NOON, expires_at=NOON + left
    )
    await store.web_sessions.create(session)

    with fixed(NOON, "seed"):
        found = await store.web_sessions.find("x")
        signed_in = await store.web_sessions.signed_in("x")
        removed = await store.web_sessions.delete_expired()

    assert found == (session if is_in else None)
    assert signed_in == (SignedIn(user=user, roles={}) if is_in else None)
    assert removed == (0 if is_in else 1)


@pytest.mark.parametrize(
    ("left", "is_found"),
    [(-LATER, False), (-MOMENT, False), (timedelta(0), False), (MOMENT, True), (LATER, True)],
)
async def test_a_token_is_over_from_the_very_moment_on(
    store: Store, left: timedelta, is_found: bool
) -> None:
    token = ApiToken(
        workspace_id=PERSONAL, token_hash="x", created_at=NOON - LATER, expires_at=NOON + left
    )
    await store.tokens.create(token)

    with fixed(NOON, "seed"):
        found = await store.tokens.find("x", longest=YEAR)
        too_old = await store.tokens.find("x", longest=LATER)

    assert found == (token if is_found else None)
    assert too_old is None
    assert (await store.tokens.get(token.id)).last_used_at == (NOON if is_found else None)


@pytest.mark.parametrize(
    ("ago", "is_noted"),
    [
        (timedelta(0), False),
        (timedelta(minutes=1), False),
        (timedelta(minutes=1) + MOMENT, True),
        (LATER, True),
    ],
)
async def test_a_use_is_noted_when_the_last_was_more_than_a_minute_ago(
    store: Store, user: User, ago: timedelta, is_noted: bool
) -> None:
    last, sessions = NOON - ago, store.web_sessions
    for name in ("found", "signed in", "not used"):
        await sessions.create(
            WebSession(
                id_hash=name,
                user_id=user.id,
                created_at=last,
                last_seen_at=last,
                expires_at=NOON + LATER,
            )
        )
    made = [
        await store.tokens.create(
            ApiToken(workspace_id=PERSONAL, token_hash=name, created_at=last, last_used_at=last)
        )
        for name in ("used", "not used")
    ]

    with fixed(NOON, "seed"):
        assert await sessions.find("found")
        assert await sessions.signed_in("signed in")
        assert await store.tokens.find("used", longest=YEAR)
    with fixed(last, "seed"):  # Where nothing more is noted.
        seen = [await sessions.find(name) for name in ("found", "signed in", "not used")]
    used = [(await store.tokens.get(each.id)).last_used_at for each in made]

    noted = NOON if is_noted else last
    assert [each and each.last_seen_at for each in seen] == [noted, noted, last]
    assert used == [noted, last]
