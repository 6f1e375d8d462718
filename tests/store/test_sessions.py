"""Sessions: the list, its pages, and what is found in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundwire.conversation import Agent, Session, Workspace
from groundwire.errors import NotFoundError
from groundwire.store import ALL, PERSONAL, SessionPage, Store
from tests.store.examples import answer, question


async def _make(store: Store, agent: Agent, *titles: str) -> list[Session]:
    return [
        await store.sessions.create(
            Session(workspace_id=PERSONAL, agent_id=agent.id, title=title, user_id=f"user-{title}")
        )
        for title in titles
    ]


async def test_a_session_comes_back_as_it_was_given(store: Store, agent: Agent) -> None:
    given = Session(
        workspace_id=PERSONAL,
        agent_id=agent.id,
        user_id="somebody",
        title="Otters",
    )

    await store.sessions.create(given)

    assert await store.sessions.get(given.id) == given


async def test_pages_of_sessions_leave_none_out_and_repeat_none(store: Store, agent: Agent) -> None:
    made = await _make(store, agent, *"abcde")

    first = await store.sessions.list(PERSONAL, user_id=ALL, limit=2)
    second = await store.sessions.list(PERSONAL, user_id=ALL, limit=2, cursor=first.next)
    third = await store.sessions.list(PERSONAL, user_id=ALL, limit=2, cursor=second.next)

    pages = [page.sessions for page in (first, second, third)]
    assert pages == [(made[4], made[3]), (made[2], made[1]), (made[0],)]
    assert third.next == ""


async def test_sessions_of_one_moment_are_paged_by_id(store: Store, agent: Agent) -> None:
    session = Session(workspace_id=PERSONAL, agent_id=agent.id)
    made = [await store.sessions.create(replace(session, id=name)) for name in ("x1", "x2", "x3")]

    first = await store.sessions.list(PERSONAL, user_id=ALL, limit=1)
    second = await store.sessions.list(PERSONAL, user_id=ALL, limit=2, cursor=first.next)

    assert (*first.sessions, *second.sessions) == tuple(reversed(made))


async def test_a_page_that_is_just_full_is_the_last(store: Store, agent: Agent) -> None:
    made = await _make(store, agent, "a", "b")

    page = await store.sessions.list(PERSONAL, user_id=ALL, limit=2)

    assert page == SessionPage(sessions=(made[1], made[0]), next="")


@pytest.mark.parametrize("cursor", ["x", "~", "0001-01-01T00:00:00+14:00~x"])
async def test_a_cursor_that_is_none_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(NotFoundError, match="no page of sessions begins at"):
        await store.sessions.list(PERSONAL, user_id=ALL, cursor=cursor)


async def test_sessions_are_listed_by_workspace_and_user(store: Store, agent: Agent) -> None:
    a, b = await _make(store, agent, "a", "b")
    team = await store.workspaces.create(Workspace(name="Team"))

    assert (await store.sessions.list(PERSONAL, user_id="user-a")).sessions == (a,)
    assert (await store.sessions.list(PERSONAL, user_id=ALL)).sessions == (b, a)
    assert (await store.sessions.list(team.id, user_id=ALL)).sessions == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("OTTER", ["Otters"]),
        ("ötzi", ["ÖTZI and 100%_sure"]),
        ("100%_", ["ÖTZI and 100%_sure"]),
        ("0%u", []),
        ("0_u", []),
        ("they%hands", []),
        ("h_ld", []),
        ("THEY hold HANDS TODAY", ["Asked"]),
        ("hands[1]", []),
        ("hands today", ["Asked"]),
        ("do they hold", ["Asked"]),
        ("nothing like it", []),
        ("'; DROP TABLE sessions; --", []),
        ("a\x00", []),
    ],
)
async def test_text_is_found_in_titles_and_messages(
    store: Store, agent: Agent, text: str, found: list[str]
) -> None:
    *_, asked = await _make(store, agent, "Otters", "ÖTZI and 100%_sure", "Asked")
    await store.messages.add(question(asked.id, "Do THEY hold hands?"))
    await store.messages.add(
        replace(
            answer(asked.id),
            content="They hold hands[1] today.",
            plain_text="They hold hands today.",
        )
    )

    page = await store.sessions.list(PERSONAL, user_id=ALL, text=text)

    assert [session.title for session in page.sessions] == found


async def test_a_new_title_leaves_a_session_in_its_place(store: Store, agent: Agent) -> None:
    a, b = await _make(store, agent, "a", "b")

    await store.sessions.rename(a.id, "new")

    assert (await store.sessions.list(PERSONAL, user_id=ALL)).sessions == (
        b,
        replace(a, title="new"),
    )


async def test_updating_a_session_does_not_disturb_the_order_of_its_messages(
    store: Store, session: Session
) -> None:
    one = await store.messages.add(question(session.id, "one"))
    await store.sessions.update(replace(session, title="new"))
    two = await store.messages.add(question(session.id, "two"))

    assert await store.messages.history(session.id) == (one, two)


async def test_a_session_goes_with_its_messages(store: Store, session: Session) -> None:
    message = await store.messages.add(answer(session.id))

    await store.sessions.delete(session.id)

    with pytest.raises(NotFoundError):
        await store.messages.get(message.id)
    with pytest.raises(NotFoundError):
        await store.messages.attachment(message.id, 0)


async def test_a_session_that_is_not_there_is_not_found(store: Store) -> None:
    for attempt in (
        store.sessions.get("nothing"),
        store.sessions.rename("nothing", "x"),
        store.sessions.delete("nothing"),
    ):
        with pytest.raises(NotFoundError, match="no session 'nothing'"):
            await attempt


async def test_a_session_is_changed_with_its_time_or_as_it_was(
    store: Store, session: Session
) -> None:
    changed = await store.sessions.update(replace(session, title="new"))
    assert changed == replace(session, title="new", updated_at=changed.updated_at)
    assert changed.updated_at > session.updated_at
    assert await store.sessions.get(session.id) == changed

    assert await store.sessions.restore(session) == session
    assert await store.sessions.get(session.id) == session
    with pytest.raises(NotFoundError):
        await store.sessions.restore(replace(session, id="nothing"))


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_fifty_sessions_are_a_page(store: Store, agent: Agent) -> None:
    await _make(store, agent, *map(str, range(51)))

    page = await store.sessions.list(PERSONAL, user_id=ALL)
    rest = await store.sessions.list(PERSONAL, user_id=ALL, cursor=page.next)

    assert (len(page.sessions), len(rest.sessions), rest.next) == (50, 1, "")
