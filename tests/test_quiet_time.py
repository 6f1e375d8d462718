"""The clock of tests whose every end is in one loop."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from tests.quiet_time import in_quiet_time


@in_quiet_time
async def test_hours_of_silence_pass_at_once() -> None:
    began = asyncio.get_running_loop().time()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(7200):
            await asyncio.Event().wait()

    assert asyncio.get_running_loop().time() - began == pytest.approx(7200)


@in_quiet_time
async def test_work_and_what_is_on_its_way_take_no_time() -> None:
    began = asyncio.get_running_loop().time()
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        other.setblocking(False)
        async with asyncio.timeout(0.01):
            for number in range(5):
                # As a machine does that has a moment for others.
                time.sleep(0.02)  # noqa: ASYNC251 - it is to hold up the loop
                await asyncio.get_running_loop().sock_sendall(one, b"%d" % number)
                assert await asyncio.get_running_loop().sock_recv(other, 9) == b"%d" % number

    assert asyncio.get_running_loop().time() == began
