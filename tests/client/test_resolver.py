"""Names that the system's resolver is asked for."""

from __future__ import annotations

from groundwire.client.resolver import resolve_by_system


async def test_the_system_says_the_addresses_of_a_name_and_none_of_one_that_is_none() -> None:
    assert await resolve_by_system("127.0.0.1") == ("127.0.0.1",)
    assert await resolve_by_system("no name at all") == ()
