"""Three servers of the next version migrate the database while three of this one serve chats."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from torture.cluster import cluster, end, is_installed
from torture.cluster_runs import faults_of
from torture.cluster_upgrade import TOMORROW, tomorrow, upgraded

from groundwire.store.migration import REVISIONS
from tests import postgresql, redis
from tests.forked import groundwire

MIGRATED = f"the database was brought from revision {REVISIONS[-1]} to {TOMORROW}"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_installed(), reason="needs haproxy: apt install haproxy"),
    pytest.mark.skipif(not redis.is_installed(), reason="needs Redis: apt install redis-server"),
    pytest.mark.skipif(not postgresql.is_installed(), reason="needs PostgreSQL"),
]


async def test_one_of_three_servers_migrates_and_neither_they_nor_those_before_fail(
    tmp_path: Path,
) -> None:
    with cluster(tmp_path, command=groundwire) as made, ExitStack() as stack:
        new = tomorrow(made)
        for each in new:
            stack.callback(end, each)

        chats = await upgraded(made, new)

        logs = [each.log for each in (*made.servers, *new)]
    assert faults_of(chats) == []
    assert sum(log.count(MIGRATED) for log in logs) == 1
    assert [log for log in logs if "Traceback" in log or "ERROR" in log] == []
