"""Settings in a real browser, over the real server and the sandbox: providers, agents, access."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from playwright.async_api import Browser, Page, expect

from groundwire.web.bodies import WorkspaceChange
from tests.chat.program import CANARY
from tests.web.browser import visiting
from tests.web.server import Web

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = "gw-entered-in-the-page-4711"


async def add_provider(page: Page, name: str, kind: str = "Anthropic") -> None:
    await page.get_by_role("link", name="Add a provider").click()
    await page.get_by_role("radio", name=kind).first.check()
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()


async def test_a_provider_is_added_with_name_type_base_url_and_key(
    browser: Browser, web: Web
) -> None:
    address = web.sandbox.base_url("anthropic")
    async with visiting(browser, web, "/settings") as page:
        await page.get_by_role("link", name="Add a provider").click()
        await page.get_by_role("radio", name="Anthropic").check()
        await page.get_by_label("Name").fill("Our Claude")
        await page.get_by_label("Base URL").fill(address)
        await page.get_by_label("API key").fill(KEY)
        await page.get_by_role("button", name="Save").click()

        await expect(page.get_by_role("heading", name="Our Claude", level=1)).to_be_visible()
        await expect(page.get_by_text("Key set")).to_be_visible()
        shown = await page.content()

    [provider] = [each for each in web.get("/api/providers") if each["name"] == "Our Claude"]
    assert {**provider, "id": ""} == {
        "id": "",
        "name": "Our Claude",
        "type": "anthropic",
        "base_url": address,
        "default_model": "",
        "is_default": True,
        "is_simulated": False,
        "has_key": True,
        "key_place": "file",
    }
    assert KEY not in shown


async def test_a_key_goes_in_and_never_comes_back(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Claude")
        bodies: list[str] = []
        page.on("response", lambda reply: bodies.append(reply.url))
        await page.get_by_label("New key").fill(KEY)
        await page.get_by_role("button", name="Save key").click()
        await expect(page.get_by_text("The key is saved")).to_be_visible()

        assert await page.get_by_label("New key").input_value() == ""
        await page.reload()
        await expect(page.get_by_text("readable by its user only")).to_be_visible()
        assert KEY not in await page.content()
        assert not [url for url in bodies if KEY in url]


async def test_a_key_is_removed_only_after_a_yes(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Claude")
        await page.get_by_label("New key").fill(KEY)
        await page.get_by_role("button", name="Save key").click()
        await page.get_by_role("button", name="Remove key").click()
        await page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        await expect(page.get_by_text("readable by its user only")).to_be_visible()

        await page.get_by_role("button", name="Remove key").click()
        await page.get_by_role("dialog").get_by_role("button", name="Remove key").click()

        await expect(page.get_by_text("The key is removed.")).to_be_visible()
        # What the server's environment has is in force again, and the page says where that is.
        await expect(page.get_by_text("Taken from the server’s environment")).to_be_visible()


async def test_a_connection_is_tested_with_the_services_words(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Claude")
        await page.get_by_role("button", name="Test connection").click()
        await expect(page.get_by_text("It answers.")).to_be_visible()

        await page.get_by_label("Base URL").fill(
            web.sandbox.base_url("anthropic", fault="unauthorized")
        )
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.")).to_be_visible()
        await page.get_by_label("New key").fill(KEY)
        await page.get_by_role("button", name="Save key").click()
        await expect(page.get_by_text("The key is saved")).to_be_visible()
        await page.get_by_role("button", name="Test connection").click()

        said = page.locator(".notice[data-kind=error]")
        await expect(said).to_contain_text("invalid x-api-key")
        await expect(said).to_contain_text("auth")


async def test_models_are_fetched_and_one_becomes_the_default(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Claude")
        await page.get_by_role("button", name="Fetch models").click()
        await expect(page.get_by_text("models fetched.")).to_be_visible()
        await expect(page.locator(".model").first).to_contain_text("Searches itself")

        await page.get_by_role("button", name="Make claude-haiku-5-5 the default").click()

        await expect(page.get_by_text("claude-haiku-5-5 is the default model now.")).to_be_visible()
        await expect(page.locator(".model[aria-current]")).to_contain_text("Default")
    [provider] = [each for each in web.get("/api/providers") if each["name"] == "Claude"]
    assert provider["default_model"] == "claude-haiku-5-5"


async def test_the_provider_that_is_used_by_default_is_shown_and_can_be_chosen(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "First")
        await expect(page.get_by_text("Used by default", exact=True)).to_be_visible()
        await page.get_by_role("link", name="All providers").click()
        await add_provider(page, "Second")

        await page.get_by_role("button", name="Use by default").click()

        await expect(page.get_by_text("Second is used by default now.")).to_be_visible()
        await page.get_by_role("link", name="All providers").click()
        await expect(page.get_by_role("link", name="Second")).to_contain_text("Used by default")
        await expect(page.get_by_role("link", name="First")).not_to_contain_text("Used by default")
    assert [each["is_default"] for each in web.get("/api/providers")] == [False, True]


async def test_no_two_providers_of_the_list_have_one_colour(browser: Browser, web: Web) -> None:
    for number in range(12):
        web.client.post("/api/providers", json={"name": f"Mine {number}", "type": "anthropic"})

    async with visiting(browser, web, "/settings/providers") as page:
        letters = page.locator("a.item .avatar")
        await expect(letters).to_have_count(12)
        found = await letters.evaluate_all(
            "all => all.map((each) => Number(each.style.getPropertyValue('--hue')))"
        )

    hues = sorted(found)
    gaps = [after - before for before, after in pairwise([*hues, hues[0] + 360])]
    assert min(gaps) > 15


async def test_a_model_that_ends_soon_says_when(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Google", "Google Gemini")
        dated = {"models": [{"model": "old-1", "title": "Old", "shutdown_date": "2199-01-31"}]}
        dated["models"][0]["searches_itself"] = False  # type: ignore[assignment]
        await page.route("**/api/providers/*/models", lambda route: route.fulfill(json=dated))
        await page.get_by_role("button", name="Fetch models").click()

        await expect(page.locator(".model")).to_contain_text("Shuts down 2199-01-31")


async def test_a_provider_is_deleted_only_after_a_yes(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Short-lived")
        await page.get_by_role("button", name="Delete provider").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete provider").click()

        await expect(page.get_by_role("heading", name="Providers", level=1)).to_be_visible()
        await expect(page.get_by_role("link", name="Short-lived")).to_have_count(0)


async def test_an_agent_is_made_with_the_web_search_switch_and_its_cost_note(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/agents") as page:
        await page.get_by_role("link", name="New agent").click()
        switch = page.get_by_role("switch", name="Web Search")
        await expect(switch).not_to_be_checked()
        await expect(switch).to_have_accessible_description(
            "Lets this agent look things up on the web when an answer needs fresh facts. "
            "Searches and the pages it reads can add to what your provider charges."
        )
        await page.get_by_label("Name").fill("Researcher")
        await page.get_by_label("Description").fill("Searches and cites")
        await page.get_by_label("System prompt").fill("Be brief.")
        await page.get_by_label("Temperature").fill("0.3")
        await page.get_by_label("Thinking").select_option(label="Low")
        await page.get_by_role("button", name="Save").click()

        await expect(page.get_by_role("heading", name="Researcher", level=1)).to_be_visible()
    [agent] = [each for each in web.get("/api/agents") if each["name"] == "Researcher"]
    assert (agent["description"], agent["system_prompt"]) == ("Searches and cites", "Be brief.")
    # As the document has it: a new agent does not search until somebody says so.
    assert (agent["temperature"], agent["web_search_enabled"]) == (0.3, False)
    assert agent["thinking"] == "low"


async def test_unsaved_changes_are_noticed_and_can_be_discarded(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/agents#assistant") as page:
        bar = page.get_by_text("Unsaved changes")
        switch = page.get_by_role("switch", name="Web Search")
        before = await switch.is_checked()
        await expect(bar).to_be_hidden()

        await switch.click()
        await expect(bar).to_be_visible()
        await switch.click()
        await expect(bar).to_be_hidden()

        await page.get_by_label("Description").fill("Something else")
        await switch.click()
        await page.get_by_role("button", name="Discard").click()
        await expect(bar).to_be_hidden()
        assert await switch.is_checked() is before


async def test_a_saved_switch_is_what_the_server_has(browser: Browser, web: Web) -> None:
    before = web.get("/api/agents/assistant")["web_search_enabled"]
    async with visiting(browser, web, "/settings/agents#assistant") as page:
        await page.get_by_role("switch", name="Web Search").click()
        await page.keyboard.press("Control+s")
        await expect(page.get_by_text("Saved.")).to_be_visible()

    assert web.get("/api/agents/assistant")["web_search_enabled"] is not before


async def test_leaving_with_unsaved_changes_asks_first(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/agents") as page:
        await page.get_by_role("link", name="Assistant").click()
        name = page.get_by_label("Name")
        await name.fill("Changed")

        await page.get_by_role("link", name="Usage").click()
        await page.get_by_role("dialog").get_by_role("button", name="Stay").click()
        await expect(name).to_have_value("Changed")

        await page.go_back()
        await page.get_by_role("dialog").get_by_role("button", name="Stay").click()
        await expect(name).to_have_value("Changed")
        assert page.url.endswith("/settings/agents#assistant")

        asked: list[str] = []

        async def stay(dialog: object) -> None:
            asked.append(dialog.type)  # type: ignore[attr-defined]
            await dialog.dismiss()  # type: ignore[attr-defined]

        page.once("dialog", stay)
        await page.get_by_role("link", name="Back to the chat").click()
        await expect(name).to_have_value("Changed")
        assert asked == ["beforeunload"]

        await page.get_by_role("link", name="Usage").click()
        await page.get_by_role("dialog").get_by_role("button", name="Leave").click()
        await expect(page.get_by_role("heading", name="Usage", level=1)).to_be_visible()
    assert web.get("/api/agents/assistant")["name"] != "Changed"


async def test_a_refused_agent_keeps_what_was_typed(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/agents#assistant") as page:
        await page.get_by_label("System prompt").fill("Long words that took an hour.")
        await page.get_by_label("Name").fill(" ")
        await page.get_by_role("button", name="Save").click()

        await expect(page.get_by_text("Not saved.")).to_be_visible()
        await expect(page.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
        await expect(page.get_by_label("Name")).to_be_focused()
        await expect(page.get_by_label("System prompt")).to_have_value(
            "Long words that took an hour."
        )


async def test_an_agent_is_deleted_only_after_a_yes(browser: Browser, web: Web) -> None:
    web.client.post("/api/agents", json={"name": "Short-lived"})
    async with visiting(browser, web, "/settings/agents") as page:
        await page.get_by_role("link", name="Short-lived").click()
        await page.get_by_role("button", name="Delete agent").click()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("heading", name="Short-lived", level=1)).to_be_visible()
        await page.get_by_role("button", name="Delete agent").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete agent").click()

        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await expect(page.get_by_role("link", name="Short-lived")).to_have_count(0)


async def test_every_bad_domain_is_marked_beside_its_line(browser: Browser, web: Web) -> None:
    before = web.get("/api/workspaces/personal")
    async with visiting(browser, web, "/settings/web-access") as page:
        area = page.get_by_label("Allowed Domains")
        await area.fill("help.sap.com\n\nhttps://sap.com\n*.wikipedia.org\nmünchen .de\nintranet")
        await page.get_by_role("button", name="Save").click()

        problems = page.locator(".line-problems li")
        await expect(problems).to_have_count(3)
        assert [text.split("'")[0] for text in await problems.all_inner_texts()] == [
            "Line 3\n",
            "Line 5\n",
            "Line 6\n",
        ]
        await expect(problems.first).to_contain_text("has a scheme: write sap.com")
        assert await page.locator(".line-numbers .is-bad").all_inner_texts() == ["3", "5", "6"]

        await page.get_by_role("button", name="Line 3").click()
        await page.keyboard.type("sap.com")
        await expect(problems).to_have_count(2)
    assert web.get("/api/workspaces/personal") == before


async def test_web_access_is_saved_for_its_workspace(browser: Browser, web: Web) -> None:
    other = web.client.post("/api/workspaces", json={"name": "Research"}).json()
    async with visiting(browser, web, "/settings/web-access") as page:
        await page.get_by_label("Workspace").select_option("Research")
        await expect(page.locator(".section-intro")).to_contain_text("Research")
        await page.get_by_role("checkbox", name="Web Search").uncheck()
        await page.get_by_role("checkbox", name="Web Fetch").check()
        await page.get_by_label("Allowed Domains").fill("*")
        await expect(page.get_by_text("opens every public website")).to_be_visible()
        await page.get_by_label("Instructions").fill("Prefer primary sources.")
        await page.get_by_label("Pages to compare").select_option(
            "Only pages that were opened for the answer"
        )
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

    kept = web.get(f"/api/workspaces/{other['id']}")
    assert (kept["web_search_enabled"], kept["web_fetch_enabled"]) == (False, True)
    assert kept["web_allowed_domains"] == ["*"]
    assert kept["web_instructions"] == "Prefer primary sources."
    assert kept["citation_checks"] == "opened"


async def test_a_workspace_chooses_among_what_the_server_takes(browser: Browser, web: Web) -> None:
    [choices, _] = get_args(WorkspaceChange.model_fields["citation_checks"].annotation)
    async with visiting(browser, web, "/settings/web-access") as page:
        select = page.get_by_label("Pages to compare")
        await expect(select).to_have_value("")
        offered = await select.locator("option").evaluate_all("(all) => all.map((e) => e.value)")

    assert sorted(offered) == sorted(get_args(choices))


async def test_no_domain_is_said_to_mean_no_web(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/web-access") as page:
        await page.get_by_label("Allowed Domains").fill("")

        await expect(page.get_by_text("No domain is listed")).to_be_visible()


async def test_search_services_are_put_in_order(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/search") as page:
        chain = page.get_by_role("list", name="Search services in order")
        await page.get_by_label("Add to search").select_option("DuckDuckGo")
        await page.get_by_role("button", name="Add").first.click()
        await chain.get_by_role("button", name="Move DuckDuckGo up").click()
        await expect(chain.get_by_role("button", name="Move DuckDuckGo down")).to_be_focused()
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

    assert web.get("/api/web")["search_provider"] == ["duckduckgo", "searxng"]


async def test_what_is_compared_and_who_judges_is_chosen_for_the_server_and_a_workspace(
    browser: Browser, web: Web
) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Our Claude")
        await page.goto(f"{web.url}/settings/search")
        claims = page.get_by_label("Most claims to judge")
        await page.get_by_label("Pages to compare").select_option("all")
        await expect(claims).to_be_hidden()
        await page.get_by_label("Most pages to read").fill("4")
        await page.get_by_label("Seconds to read them").fill("12.5")
        await page.get_by_label("Judge", exact=True).select_option("Our Claude")
        await claims.fill("3")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

        await page.goto(f"{web.url}/settings/web-access")
        await page.get_by_label("Judge", exact=True).select_option("No model")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

    [provider] = web.get("/api/providers")
    assert web.get("/api/web")["checks"] == {
        "pages": "all",
        "max_pages": 4,
        "seconds": 12.5,
        "judge": provider["id"],
        "judge_model": "",
        "judge_claims": 3,
    }
    assert web.get("/api/workspaces/personal")["citation_judge"] == "off"


async def test_a_search_service_gets_its_key_and_is_tested(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/search") as page:
        row = page.locator(".service", has_text="Brave Search")
        await row.get_by_role("button", name="Test Brave Search").click()
        await expect(row.locator(".notice[data-kind=error]")).to_contain_text("needs a key")

        await row.locator("summary").click()
        await row.get_by_label("Key of Brave Search").fill(KEY)
        await row.get_by_role("button", name="Save key").click()
        await expect(row.get_by_text("The key is saved")).to_be_visible()
        await expect(row.locator(".badge")).to_have_text("Key")
        assert KEY not in await page.content()

        searxng = page.locator(".service", has_text="SearXNG")
        await searxng.get_by_role("button", name="Test SearXNG").click()
        await expect(searxng.get_by_text("It answers.")).to_be_visible()


async def test_usage_shows_totals_charts_and_their_numbers(browser: Browser, web: Web) -> None:
    web.ask()
    async with visiting(browser, web, "/settings/usage") as page:
        tiles = page.locator(".tile")
        await expect(tiles.filter(has_text="Answers").locator("dd")).to_have_text("1")
        chart = page.get_by_role("img", name="by day and provider")
        await expect(chart).to_be_visible()
        assert await chart.locator("rect[class^=series]").count() == 1

        await page.get_by_text("Show the numbers").click()
        day = page.get_by_role("table", name="Usage by day").get_by_role("row")
        await expect(day).to_have_count(2)
        await expect(page.get_by_role("table", name="By model")).to_contain_text("claude")

        await page.get_by_label("Chart").select_option("Searches")
        await expect(page.get_by_role("heading", name="Searches by day")).to_be_visible()


async def test_a_theme_is_kept(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/appearance") as page:
        await page.get_by_role("radio", name="Dark Always dark").check()
        await page.reload()

        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await expect(page.get_by_role("radio", name="Dark Always dark")).to_be_checked()


async def test_no_key_of_the_server_is_in_any_section(browser: Browser, web: Web) -> None:
    async with visiting(browser, web, "/settings/providers") as page:
        await add_provider(page, "Claude")
        for name in ("Agents", "Web Access", "Search and read", "Usage", "Audit", "Providers"):
            await page.get_by_role("link", name=name, exact=True).click()
            await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
            assert CANARY not in await page.content()
