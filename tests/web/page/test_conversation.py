"""The tree of a conversation, and the branch of it that is shown."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")

# A question with two answers, the second of which was followed up and that edited once.
TREE = """
const { Conversation } = await import('/page/conversation.js');
const message = (id, parent_id, kind) => ({ id, parent_id, kind });
const messages = [
  message('q1', null, 'USER'), message('a1', 'q1', 'AI_RESPONSE'),
  message('a2', 'q1', 'AI_RESPONSE'),
  message('q2', 'a2', 'USER'), message('a3', 'q2', 'AI_RESPONSE'), message('q3', 'a2', 'USER'),
  message('a4', 'q3', 'AI_RESPONSE'),
];
const conversation = new Conversation(messages, 'a4');
const path = () => conversation.path().map(({ id }) => id);
"""


async def test_the_branch_with_the_newest_leaf_is_shown(modules: Page) -> None:
    path = await modules.evaluate(f"async () => {{ {TREE} return path(); }}")

    assert path == ["q1", "a2", "q3", "a4"]


async def test_another_version_is_shown_with_its_newest_follow_up(modules: Page) -> None:
    paths = await modules.evaluate(
        f"""async () => {{ {TREE}
          const show = (id) => {{ conversation.select(id); return path(); }};
          return ['q2', 'a1', 'a2'].map(show);
        }}"""
    )

    assert paths == [["q1", "a2", "q2", "a3"], ["q1", "a1"], ["q1", "a2", "q3", "a4"]]


async def test_versions_are_of_one_kind_and_one_parent(modules: Page) -> None:
    versions = await modules.evaluate(
        f"""async () => {{ {TREE}
          return ['q1', 'a2', 'q3'].map((id) =>
            conversation.versions(conversation.get(id)).map((each) => each.id));
        }}"""
    )

    assert versions == [["q1"], ["a1", "a2"], ["q2", "q3"]]


async def test_messages_that_are_their_own_parents_end_somewhere(modules: Page) -> None:
    path = await modules.evaluate(
        """async () => {
          const { Conversation } = await import('/page/conversation.js');
          const messages = [{ id: 'a', parent_id: 'b' }, { id: 'b', parent_id: 'a' }];
          return new Conversation(messages, 'a').path().map(({ id }) => id);
        }"""
    )

    assert path == ["b", "a"]
