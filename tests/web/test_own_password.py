"""Users who change their own passwords, over HTTP and on the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from playwright.async_api import Browser, expect

from groundwire.sandbox import SandboxServer
from groundwire.store import Store
from tests.web.browser import visiting
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users

NEW = "another horse battery"


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    with with_users(sandbox, tmp_path) as web:
        yield web


def change(client: httpx2.Client, old: str = PASSWORD, new: str = NEW) -> httpx2.Response:
    """Ask for another password."""
    return client.put("/api/password", json={"old_password": old, "new_password": new})


def test_a_changed_password_signs_all_other_browsers_out(web: Web) -> None:
    here, there = set_up(web), signed_in(web, "olga")
    token = here.post("/api/tokens", json={"name": "report"}).json()["token"]

    changed = change(here)

    logins = [
        web.new_client().post("/api/login", json={"name": "olga", "password": each})
        for each in (PASSWORD, NEW)
    ]
    program = web.new_client(headers={"Authorization": f"Bearer {token}"})
    assert changed.status_code == 204
    assert [reply.status_code for reply in logins] == [401, 204]
    assert here.get("/api/sessions").status_code == 200
    assert there.get("/api/sessions").status_code == 401
    assert program.get("/api/agents").status_code == 200
    [noted, *_] = here.get("/api/audit").json()
    assert (noted["actor"], noted["action"]) == ("olga", "set the password of")
    assert (noted["subject"], noted["before"], noted["after"]) == ("user olga", None, None)
    assert NEW not in json.dumps(here.get("/api/audit").json())


def test_a_wrong_old_password_changes_nothing_and_is_soon_refused(web: Web) -> None:
    olga = set_up(web)

    replies = [change(olga, old="a wrong horse") for _ in range(7)]

    assert [reply.status_code for reply in replies] == [403] * 6 + [429]
    assert replies[0].json()["error"]["code"] == "wrong_password"
    assert int(replies[-1].headers["Retry-After"]) >= 1
    assert olga.get("/api/sessions").status_code == 200
    other = web.new_client().post("/api/login", json={"name": "olga", "password": PASSWORD})
    assert other.status_code == 204


@pytest.mark.parametrize("new", ["short", "x" * 201])
def test_a_password_that_cannot_be_used_is_refused_and_not_repeated(web: Web, new: str) -> None:
    refused = change(set_up(web), new=new)

    assert refused.status_code == 422
    assert refused.json()["error"]["fields"][0]["field"] == "new_password"
    assert new not in refused.text


def test_who_signs_in_with_a_provider_alone_has_no_password_to_change(web: Web) -> None:
    olga = set_up(web)

    async def forget() -> None:
        async with Store.open(web.database) as store:
            [user] = await store.users.list()
            await store.users.update(replace(user, password_hash=""))

    asyncio.run(forget())

    refused = change(olga)
    assert refused.status_code == 409
    assert "single sign-on" in refused.json()["error"]["message"]
    assert olga.get("/api/me").json()["has_password"] is False


def test_without_users_there_is_no_password(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path) as web:
        assert change(web.client).status_code == 409


@pytest.mark.asyncio(loop_scope="session")
async def test_the_page_changes_a_password_that_was_typed_twice(browser: Browser, web: Web) -> None:
    olga = set_up(web)
    async with visiting(browser, web, "/settings/agents", client=olga) as page:
        await page.get_by_role("link", name="Account").click()
        old, new = page.get_by_label("Old password"), page.get_by_label("New password", exact=True)
        again, button = (
            page.get_by_label("New password again"),
            page.get_by_role("button", name="Change password"),
        )
        await old.fill("a wrong horse")
        await new.fill(NEW)
        await again.fill("another horse")
        await button.click()
        await expect(again).to_have_attribute("aria-invalid", "true")
        await again.fill(NEW)
        await button.click()
        await expect(page.get_by_text("The old password is wrong.")).to_be_visible()
        await old.fill(PASSWORD)
        await button.click()
        await expect(page.get_by_text("Your password is changed.")).to_be_visible()
        await expect(old).to_have_value("")
        await page.reload()
        await expect(page.get_by_role("heading", name="Account", level=1)).to_be_visible()

    signed = web.new_client().post("/api/login", json={"name": "olga", "password": NEW})
    assert signed.status_code == 204
