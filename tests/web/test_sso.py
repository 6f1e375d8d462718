"""Single sign-on against a provider that keeps to the rules, and against one that does not."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from click.testing import CliRunner

from groundwire import Settings
from groundwire.cli import groundwire
from groundwire.cli.doctor import examine
from groundwire.config.keys import SSO_SECRET
from groundwire.config.settings import load
from groundwire.conversation import Membership, Role, Workspace
from groundwire.model import Json, Secret
from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.web.openid_provider import CLIENT_ID, CLIENT_SECRET, RULES_BROKEN, OpenIdProvider
from tests.web.server import PASSWORD, SETUP_TOKEN, Web, set_up

_SSO = Path(__file__).parents[2] / "src" / "groundwire" / "web" / "sso"
GROUPS = {"engineering": "Personal:member", "platform": ["Personal:admin", "Lab:member"]}


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with OpenIdProvider() as provider:
        yield provider


def serving(
    sandbox: SandboxServer, folder: Path, provider: OpenIdProvider, *, url: str = "", **more: Json
) -> Web:
    """Return a server, not yet started, whose single sign-on is this provider."""
    table = {"issuer": provider.issuer, "client_id": CLIENT_ID, "groups": GROUPS, **more}
    options = Options(setup_token=Secret(SETUP_TOKEN), trusted_proxies=("127.0.0.1",))
    web = Web(sandbox, folder, options=options, sso=table, web={"public_url": url})
    web.program.keys.save(SSO_SECRET, Secret(CLIENT_SECRET))
    return web


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider) -> Iterator[Web]:
    with serving(sandbox, tmp_path, provider) as web:
        set_up(web)
        yield web


def sign_in(web: Web, client: httpx2.Client | None = None, path: str = "/sso/login") -> Json:
    """Go the whole way in a browser of its own, and return it with where it ended."""
    browser = client or web.new_client()
    begun = browser.get(path)
    if begun.status_code != 303:
        return browser, begun
    back = httpx2.get(begun.headers["location"]).headers["location"]
    return browser, browser.get(back.removeprefix(web.url))


def me(browser: httpx2.Client) -> Json:
    return browser.get("/api/me").json()


def roles(web: Web, name: str) -> dict[str, str]:
    """Return the roles of a user by the names of workspaces."""

    async def look() -> dict[str, str]:
        user = await web.program.store.users.by_name(name)
        assert user is not None
        found = {}
        for each in await web.program.store.workspaces.list():
            role = await web.program.store.memberships.role(user.id, each.id)
            if role:
                found[each.name] = str(role)
        return found

    return asyncio.run(look())


def run(web: Web, work: Json) -> Json:
    return asyncio.run(work(web.program.store))


def test_somebody_signs_in_and_is_a_user_with_the_roles_of_their_groups(
    web: Web, provider: OpenIdProvider
) -> None:
    browser, ended = sign_in(web, path="/sso/login?next=/settings/usage")

    assert (ended.status_code, ended.headers["location"]) == (303, "/settings/usage")
    found = me(browser)
    assert (found["user"]["name"], found["user"]["is_owner"]) == ("ana", False)
    assert [(each["name"], each["role"]) for each in found["workspaces"]] == [
        ("Personal", "member")
    ]
    assert found["is_connected"] is True
    assert provider.codes == {}


def test_what_is_sent_to_the_provider_is_what_the_standard_asks_for(
    web: Web, provider: OpenIdProvider
) -> None:
    begun = web.new_client().get("/sso/login")

    sent = parse_qs(urlsplit(begun.headers["location"]).query)
    assert begun.headers["location"].startswith(f"{provider.issuer}/authorize?")
    assert sent["redirect_uri"] == [f"{web.url}/sso/callback"]
    assert sent["scope"] == ["openid profile email"]
    assert sent["code_challenge_method"] == ["S256"]
    assert all(len(sent[name][0]) >= 43 for name in ("state", "nonce", "code_challenge"))
    assert CLIENT_SECRET not in str(begun.headers)


def test_a_provider_that_breaks_a_rule_signs_nobody_in(web: Web, provider: OpenIdProvider) -> None:
    said, statuses = {}, set()
    for rule in RULES_BROKEN:
        provider.in_userinfo = ("groups",) if rule == "userinfo of another" else ()
        provider.broken = rule
        web.app.state.site.sign_on_failures.succeeded("127.0.0.1")
        if "discovery" in rule or rule == "broken":
            web.app.state.site.sign_on._provider._known = None
        browser, ended = sign_in(web)
        statuses.add((ended.status_code, ended.headers["content-type"], me(browser)["user"]))
        words = unescape(ended.text)
        said[rule] = RULES_BROKEN[rule] if RULES_BROKEN[rule] in words else words
        assert CLIENT_SECRET not in words

    assert said == RULES_BROKEN
    assert statuses == {(502, "text/html; charset=utf-8", None)}
    assert [user["name"] for user in _users(web)] == ["olga"]


def _users(web: Web) -> Json:
    client = web.new_client()
    client.post("/api/login", json={"name": "olga", "password": PASSWORD})
    return client.get("/api/users").json()


def test_a_key_that_the_provider_changed_is_known_at_once(
    web: Web, provider: OpenIdProvider
) -> None:
    sign_in(web)
    provider.rotate()

    _, ended = sign_in(web)

    assert ended.status_code == 303


def test_a_callback_without_its_browser_is_refused(web: Web) -> None:
    begun = web.new_client().get("/sso/login")
    back = httpx2.get(begun.headers["location"]).headers["location"].removeprefix(web.url)

    elsewhere = web.new_client().get(back)

    assert elsewhere.status_code == 400
    assert "not begun in this browser" in elsewhere.text


def test_a_wrong_state_is_refused_and_the_code_is_not_used(
    web: Web, provider: OpenIdProvider
) -> None:
    browser = web.new_client()
    begun = browser.get("/sso/login")
    back = httpx2.get(begun.headers["location"]).headers["location"].removeprefix(web.url)
    state = parse_qs(urlsplit(back).query)["state"][0]

    refused = browser.get(back.replace(state, "guessed"))

    assert refused.status_code == 400
    assert "POST /token" not in provider.seen


def test_a_callback_works_once(web: Web) -> None:
    browser = web.new_client()
    begun = browser.get("/sso/login")
    kept = dict(browser.cookies)
    back = httpx2.get(begun.headers["location"]).headers["location"].removeprefix(web.url)
    assert browser.get(back).status_code == 303

    again = browser.get(back)
    stolen = web.new_client(cookies=kept).get(back)

    assert again.status_code == 400
    # Whoever has the cookie too meets the provider, which takes a code once.
    assert (stolen.status_code, "was used already" in stolen.text) == (400, True)


def test_a_code_of_another_sign_in_is_refused(web: Web) -> None:
    mine, theirs = web.new_client(), web.new_client()
    begun, other = mine.get("/sso/login"), theirs.get("/sso/login")
    back = httpx2.get(begun.headers["location"]).headers["location"].removeprefix(web.url)
    injected = httpx2.get(other.headers["location"]).headers["location"]
    code = parse_qs(urlsplit(back).query)["code"][0]
    stolen = parse_qs(urlsplit(injected).query)["code"][0]

    refused = mine.get(back.replace(code, stolen))

    assert refused.status_code == 400
    assert me(mine)["user"] is None


def test_an_answer_of_another_issuer_is_refused(web: Web, provider: OpenIdProvider) -> None:
    browser = web.new_client()
    begun = browser.get("/sso/login")
    back = httpx2.get(begun.headers["location"]).headers["location"].removeprefix(web.url)
    own = parse_qs(urlsplit(back).query)["iss"][0]
    assert own == provider.issuer

    refused = browser.get(back.rpartition("&iss=")[0] + "&iss=https://elsewhere.example")

    assert refused.status_code == 400
    assert "Another sign-in service answered" in refused.text


@pytest.mark.parametrize("code", ["access_denied", "server_error", "invalid_scope"])
def test_a_refusal_of_the_provider_is_a_page_in_our_words(
    web: Web, provider: OpenIdProvider, code: str
) -> None:
    provider.denies = code

    _, ended = sign_in(web)

    assert ended.status_code == 403
    assert "Other ways to sign in" in ended.text
    assert "words of a stranger" not in ended.text


def test_a_name_and_an_email_of_a_local_user_take_nothing_over(
    web: Web, provider: OpenIdProvider
) -> None:
    provider.person.claims |= {
        "preferred_username": "olga",
        "email": "olga",
        "email_verified": True,
    }

    browser, _ = sign_in(web)

    found = me(browser)["user"]
    assert (found["name"], found["is_owner"]) == ("olga 2", False)


def test_an_unverified_email_is_not_kept_and_names_nobody(
    web: Web, provider: OpenIdProvider
) -> None:
    provider.person.claims = {
        "email": "boss@example.org",
        "email_verified": False,
        "groups": ["engineering"],
    }

    browser, _ = sign_in(web)

    user = me(browser)["user"]
    assert user["name"] == "user sub-ana"
    kept = run(web, lambda store: store.identities.of_user(user["id"]))
    assert [each.email for each in kept] == [""]


def test_one_person_is_one_user_whatever_they_are_called(
    web: Web, provider: OpenIdProvider
) -> None:
    first, _ = sign_in(web)
    provider.person.claims["preferred_username"] = "renamed"

    second, _ = sign_in(web)

    assert me(first)["user"] == me(second)["user"]


def test_a_person_of_another_subject_is_another_user(web: Web, provider: OpenIdProvider) -> None:
    first, _ = sign_in(web)
    provider.person.subject = "sub-other"

    second, _ = sign_in(web)

    assert me(second)["user"]["name"] == "ana@example.org"
    assert me(first)["user"]["id"] != me(second)["user"]["id"]


def test_roles_follow_the_groups_at_every_sign_in(web: Web, provider: OpenIdProvider) -> None:
    run(web, lambda store: store.workspaces.create(Workspace(name="Lab")))
    sign_in(web)
    first = roles(web, "ana")
    provider.person.claims["groups"] = ["engineering", "platform", "unknown"]
    sign_in(web)
    second = roles(web, "ana")
    provider.person.claims["groups"] = ["engineering"]
    browser, _ = sign_in(web)
    third = roles(web, "ana")
    provider.person.claims["groups"] = []
    _, refused = sign_in(web)

    assert (first, second, third) == (
        {"Personal": "member"},
        {"Personal": "admin", "Lab": "member"},
        {"Personal": "member"},
    )
    assert refused.status_code == 403
    assert "None of your groups has a workspace here" in refused.text
    assert roles(web, "ana") == {}
    # What is open elsewhere sees nothing any more either.
    assert me(browser)["workspaces"] == []
    noted = run(web, lambda store: store.audit.list(workspace_id="personal"))
    assert [(each.action, each.before, each.after) for each in noted] == [
        ("removed", "member", None),
        ("set the role of", "admin", "member"),
        ("set the role of", "member", "admin"),
        ("set the role of", None, "member"),
    ]


def test_a_role_that_somebody_here_gave_stays(web: Web, provider: OpenIdProvider) -> None:
    browser, _ = sign_in(web)
    key = me(browser)["user"]["id"]
    run(
        web,
        lambda store: store.memberships.set(
            Membership(user_id=key, workspace_id="personal", role=Role.ADMIN)
        ),
    )
    provider.person.claims["groups"] = []

    _, ended = sign_in(web)

    assert ended.status_code == 303
    assert roles(web, "ana") == {"Personal": "admin"}


def test_groups_come_from_userinfo_too_and_from_nested_claims(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    provider.person.claims["realm_access"] = {"roles": ["engineering"]}
    provider.in_userinfo = ("realm_access", "preferred_username")
    with serving(sandbox, tmp_path, provider, group_claim="realm_access.roles") as web:
        set_up(web)
        browser, _ = sign_in(web)

        assert me(browser)["user"]["name"] == "ana"
        assert roles(web, "ana") == {"Personal": "member"}


def test_more_groups_than_are_sent_change_nothing(web: Web, provider: OpenIdProvider) -> None:
    sign_in(web)
    del provider.person.claims["groups"]
    provider.person.claims["_claim_names"] = {"groups": "src1"}

    _, refused = sign_in(web)

    assert refused.status_code == 403
    assert "more groups than the sign-in service sends" in refused.text
    assert roles(web, "ana") == {"Personal": "member"}


def test_without_groups_everybody_is_a_user_in_no_workspace(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    with serving(sandbox, tmp_path, provider, groups={}) as web:
        set_up(web)
        browser, ended = sign_in(web)

        assert ended.status_code == 303
        assert (me(browser)["user"]["name"], me(browser)["workspaces"]) == ("ana", [])


def test_the_star_is_everybody_who_may_sign_in(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    # A group that calls itself so is no better than any.
    provider.person.claims["groups"] = ["*"]
    table: Json = {"groups": {"*": "personal:member"}, "email_domains": ["example.org"]}
    with serving(sandbox, tmp_path, provider, **table) as web:
        set_up(web)
        _, ended = sign_in(web)
        found = roles(web, "ana")
        provider.person.claims["email"] = "ana@elsewhere.example"
        _, other = sign_in(web)
        provider.person.claims |= {"email": "ana@example.org", "email_verified": False}
        _, unverified = sign_in(web)

    assert (ended.status_code, found) == (303, {"Personal": "member"})
    assert (other.status_code, unverified.status_code) == (403, 403)
    assert "verified e-mail address" in unverified.text


def test_with_the_switch_off_nobody_becomes_a_user_and_a_user_connects_their_account(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    with serving(sandbox, tmp_path, provider, creates_users=False) as web:
        owner = set_up(web)
        _, refused = sign_in(web)
        lead = owner.post("/api/sso/connect").json()["next"]
        back = httpx2.get(lead).headers["location"].removeprefix(web.url)
        connected = owner.get(back)
        browser, ended = sign_in(web)

        assert refused.status_code == 403
        assert "you have no account here yet" in refused.text.lower()
        assert (connected.status_code, connected.headers["location"]) == (303, "/settings")
        assert ended.status_code == 303
        assert me(browser)["user"] == me(owner)["user"]
        assert me(owner)["is_connected"] is True


def test_an_account_is_connected_only_for_whoever_began_it(
    web: Web, provider: OpenIdProvider
) -> None:
    owner, stranger = set_up_again(web), web.new_client()
    lead = owner.post("/api/sso/connect").json()["next"]
    back = httpx2.get(lead).headers["location"].removeprefix(web.url)
    owner.post("/api/logout")

    refused = owner.get(back)

    assert refused.status_code == 403
    assert "you signed out meanwhile" in refused.text.lower()
    assert stranger.post("/api/sso/connect").status_code == 401
    assert provider.codes == {}


def set_up_again(web: Web) -> httpx2.Client:
    """Return a further browser of the owner."""
    client = web.new_client()
    assert client.post("/api/login", json={"name": "olga", "password": PASSWORD}).is_success
    return client


def test_an_account_of_one_user_is_not_connected_to_another(web: Web) -> None:
    sign_in(web)
    owner = set_up_again(web)
    lead = owner.post("/api/sso/connect").json()["next"]
    back = httpx2.get(lead).headers["location"].removeprefix(web.url)

    refused = owner.get(back)

    assert refused.status_code == 409
    assert "connected to another user" in refused.text
    assert me(owner)["is_connected"] is False


def test_another_site_cannot_have_an_account_connected(web: Web) -> None:
    owner = set_up_again(web)

    refused = owner.post("/api/sso/connect", headers={"origin": "https://evil.example"})

    assert refused.status_code == 403


def test_before_there_is_an_owner_nobody_signs_in(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    with serving(sandbox, tmp_path, provider) as web:
        _, refused = sign_in(web)

        assert refused.status_code == 409
        assert "has no owner yet" in refused.text
        assert me(web.client)["needs_setup"] is True


def test_without_a_provider_there_is_no_single_sign_on(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, options=Options(setup_token=Secret(SETUP_TOKEN))) as web:
        set_up(web)
        refused = web.client.get("/sso/login")

        assert refused.status_code == 404
        assert "single sign-on is not set up" in refused.text.lower()
        assert me(web.client)["sso"] == ""


@pytest.mark.parametrize("leave", [False, True])
def test_signing_out_ends_the_session_here_and_there_if_wanted(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider, leave: bool
) -> None:
    with serving(sandbox, tmp_path, provider, ends_provider_session=leave) as web:
        owner = set_up(web)
        browser, _ = sign_in(web)

        left = browser.post("/api/logout")

        assert me(browser)["user"] is None
        if leave:
            sent = urlsplit(left.json()["next"])
            assert left.json()["next"].startswith(f"{provider.issuer}/logout?")
            assert parse_qs(sent.query) == {
                "client_id": [CLIENT_ID],
                "post_logout_redirect_uri": [f"{web.url}/login"],
            }
        else:
            assert left.status_code == 204
        # Who signed in with a password has nothing to end at the provider.
        assert owner.post("/api/logout").status_code == 204


def test_a_session_ends_after_the_hours_of_the_settings(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    with serving(sandbox, tmp_path, provider, session_hours=2) as web:
        set_up(web)
        _, ended = sign_in(web)

    cookies = ended.headers.get_list("set-cookie")
    session = next(each for each in cookies if each.startswith("groundwire_session="))
    assert f"Max-Age={2 * 3600}" in session


def test_behind_a_proxy_the_public_address_leads_back(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    with serving(sandbox, tmp_path, provider, url="https://chat.example.org/") as web:
        set_up(web)
        proxied = {"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"}
        begun = web.new_client().get("/sso/login", headers=proxied)

    sent = parse_qs(urlsplit(begun.headers["location"]).query)
    assert sent["redirect_uri"] == ["https://chat.example.org/sso/callback"]
    cookie = begun.headers["set-cookie"]
    assert cookie.startswith("__Host-groundwire_sso=")
    assert all(part in cookie for part in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example", "/\\evil.example", "/login", "/sso/login"]
)
def test_a_sign_in_leads_nowhere_else(web: Web, wanted: str) -> None:
    _, ended = sign_in(web, path=f"/sso/login?next={wanted}")

    assert ended.headers["location"] == "/"


def test_a_cookie_that_is_none_of_ours_is_refused(web: Web) -> None:
    for value in ("x", base64.b64encode(json.dumps({"state": 1}).encode()).decode(), "A" * 4_000):
        client = web.new_client(cookies={"groundwire_sso": value})

        assert client.get("/sso/callback?code=c&state=s").status_code == 400


def test_too_many_failures_of_one_address_have_to_wait(web: Web, provider: OpenIdProvider) -> None:
    for _ in range(25):
        web.app.state.site.sign_on_failures.failed("127.0.0.1")

    _, refused = sign_in(web)

    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert "POST /token" not in provider.seen


def test_a_client_that_the_provider_does_not_know_gets_a_clear_page(
    sandbox: SandboxServer, tmp_path: Path, provider: OpenIdProvider
) -> None:
    web = serving(sandbox, tmp_path, provider)
    web.program.keys.save(SSO_SECRET, Secret("wrong"))
    with web:
        set_up(web)
        _, refused = sign_in(web)

    assert refused.status_code == 400
    assert "this server is not known there" in refused.text


def test_sign_ins_in_a_row_ask_for_the_addresses_once(web: Web, provider: OpenIdProvider) -> None:
    for _ in range(5):
        web.new_client().get("/sso/login")

    assert provider.seen.count("GET /.well-known/openid-configuration") == 1


def test_two_browsers_of_one_new_person_make_one_user(web: Web) -> None:
    browsers = [web.new_client() for _ in range(4)]
    backs = [
        httpx2.get(each.get("/sso/login").headers["location"]).headers["location"]
        for each in browsers
    ]

    async def all_at_once() -> list[int]:
        async with httpx2.AsyncClient(base_url=web.url) as client:
            replies = await asyncio.gather(
                *(
                    client.get(back.removeprefix(web.url), headers={"cookie": _cookies(browser)})
                    for browser, back in zip(browsers, backs, strict=True)
                )
            )
        return [reply.status_code for reply in replies]

    assert asyncio.run(all_at_once()) == [303] * 4
    assert [user["name"] for user in _users(web)] == ["ana", "olga"]


def _cookies(client: httpx2.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


def test_the_time_of_a_sign_in_is_kept(web: Web) -> None:
    browser, _ = sign_in(web)

    kept = run(web, lambda store: store.identities.of_user(me(browser)["user"]["id"]))

    assert datetime.now(UTC) - kept[0].signed_in_at < timedelta(minutes=5)


def test_the_configurations_of_the_page_load(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "single-sign-on.md").read_text()
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    for number, example in enumerate(examples):
        path = tmp_path / f"{number}.toml"
        path.write_text(example)
        assert load(path, {}).sso.issuer.startswith("https://")
    codes = set(re.findall(r'code="(\w+)"', "".join(p.read_text() for p in _SSO.rglob("*.py"))))

    assert len(examples) == 5
    assert [code for code in codes if f"`{code}`" not in page] == []


@pytest.mark.parametrize(
    "table",
    [
        {"issuer": "http://login.example.org"},
        {"issuer": "login.example.org"},
        {"issuer": "https://user:password@login.example.org"},
        {"groups": {"staff": "Personal"}},
        {"groups": {"staff": "Personal:owner"}},
        {"groups": {"staff": [":member"]}},
        {"session_hours": 0.0},
    ],
)
def test_settings_that_cannot_work_are_refused(table: Json) -> None:
    with pytest.raises(ValueError, match="sso"):
        Settings.model_validate({"sso": table})


def test_the_doctor_says_whether_single_sign_on_can_work(
    provider: OpenIdProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(**variables: str) -> list[tuple[str, str]]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return [(each.state, each.found) for each in examine(live=True) if each.subject == "sso"]

    nothing = found(GROUNDWIRE_SEARCH_PROVIDER="library", GROUNDWIRE_READ_PROVIDER="library")
    no_client = found(GROUNDWIRE_SSO__ISSUER=provider.issuer)
    good = found(GROUNDWIRE_SSO__CLIENT_ID=CLIENT_ID, OIDC_CLIENT_SECRET=CLIENT_SECRET)
    provider.broken = "discovery of another"
    wrong = found()

    assert nothing == []
    assert no_client == [("problem", "no client is named")]
    assert good == [("ok", f"{provider.issuer}, with a secret")]
    assert wrong[0][0] == "problem"
    assert "names another issuer" in wrong[0][1]


def test_the_secret_is_kept_under_the_name_of_single_sign_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")

    saved = CliRunner().invoke(groundwire, ["keys", "set", "sso"], input=f"{CLIENT_SECRET}\n")
    listed = CliRunner().invoke(groundwire, ["keys", "list"])

    assert (saved.exit_code, CLIENT_SECRET in saved.output) == (0, False)
    assert json.loads((tmp_path / "keys.json").read_text()) == {SSO_SECRET: CLIENT_SECRET}
    assert re.search(rf"{SSO_SECRET} +sso +file", listed.output)
