"""Guessing passwords: slowed down by name and address, and nobody is locked out by another."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web.attempt_counts import AttemptCount
from groundwire.web.login_limits import Attempts, LoginAttempt, LoginLimits
from tests.web.server import PASSWORD, Web, set_up, with_users

GUESSES = 40
# The sixth failure is the first after which one has to wait.
REFUSED = [401] * 6 + [429] * (GUESSES - 6)


@pytest.fixture
def guarded(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """A server that believes no proxy."""
    with with_users(sandbox, tmp_path) as web:
        yield stopped(web)


@pytest.fixture
def behind_proxy(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """A server that believes a proxy on this machine: tests say what that one would say."""
    with with_users(sandbox, tmp_path, "127.0.0.1") as web:
        yield stopped(web)


def stopped(web: Web) -> Web:
    """Have no time pass between the attempts, however long each takes."""
    web.app.state.site.logins = LoginLimits(clock=lambda: 0.0)
    return web


def sign_in(
    client: httpx2.Client, name: str = "olga", password: str = "wrong", address: str = ""
) -> httpx2.Response:
    headers = {"X-Forwarded-For": address} if address else {}
    return client.post("/api/login", json={"name": name, "password": password}, headers=headers)


def test_a_name_and_an_address_wait_longer_and_longer(guarded: Web) -> None:
    set_up(guarded)

    found = [sign_in(guarded.client).status_code for _ in range(GUESSES)]
    limited = sign_in(guarded.client, password=PASSWORD)

    assert found == REFUSED
    assert (limited.status_code, int(limited.headers["retry-after"])) == (429, 1)


def test_another_name_does_not_wait_for_it(guarded: Web) -> None:
    owner = set_up(guarded)
    owner.post("/api/users", json={"name": "mona", "password": PASSWORD})
    while sign_in(guarded.client).status_code != 429:
        pass

    assert sign_in(guarded.client, "mona", PASSWORD).status_code == 204


def test_made_up_addresses_are_no_way_around(guarded: Web) -> None:
    set_up(guarded)

    found = [
        sign_in(guarded.client, address=f"198.51.100.{number}").status_code
        for number in range(GUESSES)
    ]

    assert found == REFUSED


def test_addresses_that_are_made_up_before_a_proxy_are_none_either(behind_proxy: Web) -> None:
    set_up(behind_proxy)

    found = [
        sign_in(behind_proxy.client, address=f"198.51.100.{number}, 203.0.113.9").status_code
        for number in range(GUESSES)
    ]

    assert found == REFUSED


def test_an_attacker_does_not_lock_out_the_user_at_another_address(behind_proxy: Web) -> None:
    set_up(behind_proxy)
    while sign_in(behind_proxy.client, address="203.0.113.9").status_code != 429:
        pass

    right = sign_in(behind_proxy.client, password=PASSWORD, address="198.51.100.7")

    assert right.status_code == 204


def test_a_browser_that_signed_in_before_still_gets_in_while_others_wait(guarded: Web) -> None:
    browser = set_up(guarded)
    browser.post("/api/logout")
    stranger = guarded.new_client()
    while sign_in(stranger).status_code != 429:
        pass

    known, unknown = (sign_in(each, password=PASSWORD) for each in (browser, stranger))

    assert (known.status_code, unknown.status_code) == (204, 429)


def test_a_known_browser_has_few_guesses_too(guarded: Web) -> None:
    browser = set_up(guarded)

    found = [sign_in(browser).status_code for _ in range(GUESSES)]

    assert found == REFUSED


def test_a_browser_is_known_for_its_own_user_alone(guarded: Web) -> None:
    owner = set_up(guarded)
    owner.post("/api/users", json={"name": "mona", "password": PASSWORD})
    browser = guarded.new_client()
    assert sign_in(browser, "mona", PASSWORD).status_code == 204
    while sign_in(guarded.new_client()).status_code != 429:
        pass

    assert sign_in(browser, "olga", PASSWORD).status_code == 429


def test_the_cookie_of_a_browser_lets_nobody_in_and_only_its_hash_is_kept(guarded: Web) -> None:
    secret = set_up(guarded).cookies["groundwire_browser"]

    with closing(sqlite3.connect(guarded.database)) as database:
        kept = [row[0] for row in database.execute("SELECT id_hash FROM web_sessions")]
    tried = [secret, *kept, *(each.removeprefix("browser ") for each in kept)]
    found = {
        guarded.new_client(cookies={"groundwire_session": each}).get("/api/sessions").status_code
        for each in [*tried, f"browser {secret}"]
    }

    assert not any(secret in each for each in kept)
    assert len([each for each in kept if each.startswith("browser ")]) == 1
    assert found == {401}


def test_the_cookie_of_a_browser_is_for_this_server_alone_and_no_script(behind_proxy: Web) -> None:
    set_up(behind_proxy)
    headers = {"X-Forwarded-Proto": "https"}
    body = {"name": "olga", "password": PASSWORD}

    reply = behind_proxy.new_client().post("/api/login", json=body, headers=headers)

    [cookie] = [each for each in reply.headers.get_list("set-cookie") if "_browser" in each]
    assert cookie.startswith("__Host-groundwire_browser=")
    assert {"httponly", "path=/", "samesite=lax", "secure"} <= {
        part.strip().lower() for part in cookie.split(";")
    }


def test_a_name_that_nobody_has_costs_as_much(guarded: Web) -> None:
    set_up(guarded)

    def cost(name: str) -> float:
        before = time.process_time()
        assert sign_in(guarded.client, name).status_code == 401
        return time.process_time() - before

    # CPU of the whole process, the least of a few: to hash a password is nearly all of it.
    known = min(cost("olga") for _ in range(4))
    unknown = min(cost(f"nobody {number}") for number in range(4))

    assert 0.5 < unknown / known < 2


def test_an_address_or_a_name_alone_is_slowed_late_and_by_little_and_never_refused() -> None:
    now = [0.0]
    limits = LoginLimits(clock=lambda: now[0])

    def slowed(attempts: list[LoginAttempt]) -> list[float]:
        found = []
        for attempt in attempts:
            found.append(limits.slowed_seconds(attempt))
            assert limits.refused_seconds(attempt) == 0
            limits.begun(attempt)
        return found

    by_address = slowed([LoginAttempt(name=f"{n}", address="a") for n in range(200)])
    by_name = slowed([LoginAttempt(name="olga", address=f"{n}") for n in range(200)])

    assert by_address[:51] == [0] * 51
    assert by_address[51:57] == [0.25, 0.5, 1, 2, 4, 5]
    assert by_name[:101] == [0] * 101
    assert max(by_address + by_name) == 5


def test_a_known_browser_is_neither_slowed_nor_refused_for_what_others_did() -> None:
    limits = LoginLimits(clock=lambda: 0.0)
    known = LoginAttempt(name="olga", address="a", browser="browser 1")
    for _ in range(300):
        limits.begun(LoginAttempt(name="olga", address="a"))

    assert limits.refused_seconds(LoginAttempt(name="olga", address="a")) > 0
    assert (limits.refused_seconds(known), limits.slowed_seconds(known)) == (0, 0)


def test_a_password_of_ones_own_does_not_clear_an_address() -> None:
    limits = LoginLimits(clock=lambda: 0.0)
    for number in range(60):
        limits.begun(LoginAttempt(name=f"{number}", address="a"))
    own = LoginAttempt(name="eve", address="a")
    limits.begun(own)

    limits.succeeded(own)

    assert limits.slowed_seconds(LoginAttempt(name="olga", address="a")) == 5


def test_somebody_can_go_on_guessing_for_years() -> None:
    limits = LoginLimits(clock=lambda: 0.0)
    attempt = LoginAttempt(name="olga", address="a")
    for _ in range(2_000):
        limits.begun(attempt)

    assert limits.refused_seconds(attempt) == 900


@pytest.mark.parametrize(("away_seconds", "wait"), [(900, 64), (901, 1)])
def test_who_stays_away_for_long_begins_anew(away_seconds: float, wait: float) -> None:
    now = 0.0
    attempts = Attempts(clock=lambda: now)
    for _ in range(6):
        attempts.failed("olga")

    now += attempts.wait_seconds("olga") + away_seconds
    for _ in range(6):
        attempts.failed("olga")

    assert attempts.wait_seconds("olga") == wait


@pytest.mark.parametrize(("what", "free"), [("address", 50), ("name", 100)])
def test_so_many_attempts_of_an_address_or_at_a_name_are_not_slowed(what: str, free: int) -> None:
    limits = LoginLimits(clock=lambda: 0.0)
    slowed = []
    for number in range(free + 1):
        login = LoginAttempt(**{"name": f"n{number}", "address": f"a{number}", what: "one"})
        limits.begun(login)
        slowed.append(limits.slowed_seconds(login))

    assert slowed == [0.0] * free + [0.25]


def test_who_failed_last_is_forgotten_last() -> None:
    attempts = Attempts(free=0, clock=lambda: 0.0)
    # Ten thousand are known.
    for name in ("olga", *map(str, range(9_999)), "olga", "one more"):
        attempts.failed(name)

    found = [attempts.wait_seconds(name) for name in ("olga", "0", "1", "one more")]
    assert found == [2, 0, 1, 1]


@pytest.mark.parametrize(("away_seconds", "wait"), [(900, 1), (901, 0)])
def test_failures_that_nobody_waited_for_are_remembered_as_long(
    away_seconds: float, wait: float
) -> None:
    now = 0.0
    attempts = Attempts(clock=lambda: now)
    for _ in range(3):
        attempts.failed("olga")

    now += away_seconds
    for _ in range(3):
        attempts.failed("olga")

    assert attempts.wait_seconds("olga") == wait


@pytest.mark.parametrize(("away_seconds", "slowed"), [(900, 0.5), (901, 0)])
def test_an_address_is_remembered_for_a_quarter_of_an_hour(
    away_seconds: float, slowed: float
) -> None:
    now = 0.0
    limits = LoginLimits(clock=lambda: now)
    login = LoginAttempt(name="olga", address="a")
    for number in range(51):
        limits.begun(LoginAttempt(name=f"{number}", address="a"))

    now += limits.slowed_seconds(login) + away_seconds
    limits.begun(login)

    assert limits.slowed_seconds(login) == slowed


def test_when_the_wait_is_over_there_is_none() -> None:
    now = 0.0
    attempts = Attempts(free=0, clock=lambda: now)
    attempts.failed("olga")
    waits = []
    for _ in range(4):
        waits.append(attempts.wait_seconds("olga"))
        now += 0.5

    assert waits == [1, 0.5, 0, 0]
    assert attempts.wait_seconds("nobody") == 0


def test_waits_double_up_to_a_quarter_of_an_hour_and_a_success_ends_them() -> None:
    attempts = Attempts(clock=lambda: 0.0)
    waits = []
    for _ in range(17):
        attempts.failed("olga")
        waits.append(attempts.wait_seconds("olga"))

    attempts.succeeded("olga")

    assert waits == [*[0] * 5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]
    assert attempts.wait_seconds("olga") == 0
    attempts.failed("olga")
    assert attempts.wait_seconds("olga") == 0


@pytest.mark.parametrize(
    ("count", "ago", "wait"), [(5, 0, 2), (7, 100, 2), (8, 0, 4), (8, 1.5, 2.5), (8, 100, 0)]
)
def test_more_failures_elsewhere_count_here_from_when_they_were(
    count: int, ago: float, wait: float
) -> None:
    attempts = Attempts(clock=lambda: 0.0)
    for _ in range(7):
        attempts.failed("olga")

    attempts.learn("olga", AttemptCount(count=count, ago_seconds=ago))

    assert attempts.wait_seconds("olga") == wait


@pytest.mark.parametrize("browser", ["", "browser 1"])
def test_a_success_clears_what_it_was_counted_by(browser: str) -> None:
    limits = LoginLimits(clock=lambda: 0.0)
    login = LoginAttempt(name="olga", address="a", browser=browser)
    for _ in range(8):
        limits.begun(login)
    before = limits.refused_seconds(login)

    limits.succeeded(login)

    assert (before, limits.refused_seconds(login)) == (4, 0)
