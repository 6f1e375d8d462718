"""What each route does, for the owner of a machine."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.version import VERSION
from tests.forked import groundwire
from tests.patience import PATIENCE
from tests.web.server import Web


def test_health_names_the_version_and_the_database(web: Web) -> None:
    about = {"version": VERSION, "database": "sqlite"}

    assert web.get("/api/health") == {"status": "ok", **about, "shared": ""}
    assert web.get("/api/ready") == {"status": "ready", **about, "shared": "alone"}


def test_on_this_machine_nobody_signs_in(web: Web) -> None:
    me = web.get("/api/me")

    exports = [each.pop("format") for each in me.pop("exports")]
    assert me == {
        "user": None,
        "needs_login": False,
        "needs_setup": False,
        "workspaces": [{"id": "personal", "name": "Personal", "role": "admin"}],
        "version": VERSION,
        "starters": [],
        "sso": "",
        "is_connected": False,
        "has_password": False,
        "has_quotas": False,
        "has_icons": False,
    }
    assert exports == ["markdown", "json", "html", "bibtex", "ris", "csl-json", "wacz"]


def test_a_workspace_is_added_changed_and_removed(web: Web) -> None:
    made = web.client.post("/api/workspaces", json={"name": "  Team   A "}).json()

    path = f"/api/workspaces/{made['id']}"
    changed = web.client.patch(
        path,
        json={
            "web_search_enabled": False,
            "web_allowed_domains": [" Example.org", "", "*.example.net"],
            "web_instructions": "Prefer manuals.",
        },
    ).json()

    assert made["name"] == "Team A"
    assert web.get(path) == changed
    assert changed["web_allowed_domains"] == ["example.org", "*.example.net"]
    assert (changed["web_search_enabled"], changed["web_fetch_enabled"]) == (False, True)
    assert web.client.delete(path).status_code == 204
    assert [each["id"] for each in web.get("/api/workspaces")] == ["personal"]


def test_a_workspace_chooses_which_cited_pages_are_compared(web: Web) -> None:
    path = "/api/workspaces/personal"

    before = web.get(path)["citation_checks"]
    changed = web.client.patch(path, json={"citation_checks": "opened"}).json()
    wrong = web.client.patch(path, json={"citation_checks": "sometimes"}).status_code
    back = web.client.patch(path, json={"citation_checks": ""}).json()

    assert (before, changed["citation_checks"], wrong) == ("", "opened", 422)
    assert back["citation_checks"] == ""


def test_every_bad_domain_is_named_with_its_reason(web: Web) -> None:
    lines = ["example.org", "https://example.org/x", "10.0.0.1", "no spaces"]

    reply = web.client.patch("/api/workspaces/personal", json={"web_allowed_domains": lines})

    fields = reply.json()["error"]["fields"]
    assert reply.status_code == 422
    assert [each["value"] for each in fields] == lines[1:]
    assert {each["field"] for each in fields} == {"web_allowed_domains"}
    assert all(each["reason"] for each in fields)
    assert web.get("/api/workspaces/personal")["web_allowed_domains"] == ["*"]


def test_the_last_workspace_stays(web: Web) -> None:
    assert web.client.delete("/api/workspaces/personal").status_code == 409


def test_the_built_in_agents_are_there_after_the_first_workspace_went(web: Web) -> None:
    team = web.client.post("/api/workspaces", json={"name": "Team"}).json()["id"]

    gone = web.client.delete("/api/workspaces/personal").status_code

    told = web.ask("Otters?", search="off")
    agents = web.get("/api/agents", params={"workspace_id": team})
    assert (gone, told[-1].data["message"]["status"]) == (204, "complete")
    assert [each["id"] for each in agents] == ["assistant", "setup"]
    assert web.client.delete(f"/api/workspaces/{team}").status_code == 409


def test_the_provider_that_answers_by_default_is_the_chosen_one(web: Web) -> None:
    made = {}
    for name, kind in (("Old", "anthropic"), ("New", "gemini")):
        body = {"name": name, "type": kind, "base_url": web.sandbox.base_url(kind)}
        made[name] = web.client.post("/api/providers", json=body).json()
        web.client.put(f"/api/providers/{made[name]['id']}/key", json={"key": "sk-sandbox-1"})
    before = web.ask("Otters?", provider_id=None, search="off")[-1].data["message"]

    path = f"/api/providers/{made['New']['id']}"
    choice = {"is_default": True, "default_model": "gemini-3.8-flash"}
    changed = web.client.patch(path, json=choice).json()

    after = web.ask("Otters?", provider_id=None, search="off")[-1].data["message"]
    entry = web.get("/api/audit")[0]
    assert [made[name]["is_default"] for name in ("Old", "New")] == [True, False]
    assert (before["provider"], changed["is_default"]) == ("Old", True)
    assert (after["provider"], after["model"]) == ("New", "gemini-3.8-flash")
    assert (entry["subject"], entry["after"]["is_default"]) == ("provider New", True)
    assert web.client.patch(path, json={"is_default": False}).status_code == 422
    web.client.delete(path)
    assert [each["is_default"] for each in web.get("/api/providers")] == [True]


def test_an_agent_is_added_changed_and_removed(web: Web) -> None:
    body = {"name": "Ann", "system_prompt": "Be brief.", "temperature": 0.5}
    made = web.client.post("/api/agents", json=body).json()
    path = f"/api/agents/{made['id']}"

    changed = web.client.patch(path, json={"web_search_enabled": True, "temperature": None})

    assert changed.json() == web.get(path)
    assert changed.json() | {"updated_at": ""} == made | {
        "web_search_enabled": True,
        "temperature": None,
        "updated_at": "",
    }
    assert web.client.delete(path).status_code == 204
    assert [each["id"] for each in web.get("/api/agents")] == ["assistant", "setup"]


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "openrouter", "gemini"])
def test_the_command_line_says_of_a_model_what_the_api_says(
    web: Web, provider: str, tmp_path: Path
) -> None:
    made = web.client.post("/api/providers", json={"name": "Mine", "type": provider}).json()
    web.client.put(f"/api/providers/{made['id']}/key", json={"key": "sk-sandbox-1"})

    of_api = web.client.post(f"/api/providers/{made['id']}/models", json={}).json()["models"]
    of_cli = _models_told(tmp_path, provider, web.sandbox.base_url(provider))

    assert of_cli == [
        {
            "id": each["model"],
            "searches": each["searches_itself"],
            "thinking": each["thinking"],
            "search_price_usd": each["search_price_usd"],
            "input_usd": each["input_price_usd"],
        }
        for each in sorted(of_api, key=lambda each: each["model"])
    ]


def test_a_list_that_was_fetched_long_ago_is_shown_without_models_that_cannot_talk(
    web: Web,
) -> None:
    made = web.client.post("/api/providers", json={"name": "Mine", "type": "openai"}).json()
    with closing(sqlite3.connect(web.database)) as database:
        for model in ("my-model", "text-embedding-3-small"):
            database.execute(
                "INSERT INTO models VALUES (?, ?, '', '', '2026-01-01 00:00:00.000000')",
                (made["id"], model),
            )
        database.commit()

    models = web.get(f"/api/providers/{made['id']}/models")["models"]

    assert [each["model"] for each in models] == ["my-model"]


def _models_told(folder: Path, provider: str, address: str) -> list[Json]:
    """Return what `groundwire models` says."""
    home = folder / "home"
    home.mkdir()
    (home / "config.toml").write_text(f'[providers.{provider}]\nbase_url = "{address}"\n')
    names = ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GROUNDWIRE_HOME": str(home)}
    ran = subprocess.run(
        groundwire("models", provider, "--json"),
        env=environment | dict.fromkeys(names, "sk-sandbox-1"),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    told = sorted(json.loads(ran.stdout), key=lambda each: each["id"])
    return [
        {
            "id": each["id"],
            "searches": each["searches"],
            "thinking": each["thinking"],
            "search_price_usd": each["search_price_usd"],
            "input_usd": each["price"] and each["price"]["input_usd"],
        }
        for each in told
    ]


def test_an_agent_that_came_with_the_program_stays(web: Web) -> None:
    assert web.client.delete("/api/agents/assistant").status_code == 409


def test_an_agent_cannot_prefer_a_provider_that_is_not_there(web: Web) -> None:
    body = {"name": "Ann", "preferred_provider_id": "nobody"}

    assert web.client.post("/api/agents", json=body).status_code == 404


def test_an_agent_named_like_another_ones_id_does_not_get_its_messages(web: Web) -> None:
    here = web.client.post("/api/workspaces", json={"name": "Later"}).json()["id"]
    own = web.client.post("/api/agents", json={"name": "Own", "workspace_id": here}).json()["id"]
    web.client.post("/api/agents", json={"name": own})

    web.client.post(f"/api/agents/{own}/message", json={"text": "Hello"})

    assert web.get("/api/sessions", params={"workspace_id": "personal"})["sessions"] == []


def test_sessions_are_listed_searched_renamed_and_removed(web: Web) -> None:
    for text in ("About otters", "About tides", "About chess"):
        web.ask(text, search="off")

    first = web.get("/api/sessions", params={"limit": 2})
    second = web.get("/api/sessions", params={"limit": 2, "before": first["next"]})
    found = web.get("/api/sessions", params={"query": "TIDES"})["sessions"]
    path = f"/api/sessions/{found[0]['id']}"
    renamed = web.client.patch(path, json={"title": "The sea"}).json()

    titles = [each["title"] for each in first["sessions"] + second["sessions"]]
    assert titles == ["About chess", "About tides", "About otters"]
    assert second["next"] is None
    assert (len(found), renamed["title"]) == (1, "The sea")
    assert web.client.delete(path).status_code == 204
    assert web.client.get(path).status_code == 404


def test_an_empty_session_can_be_begun(web: Web) -> None:
    made = web.client.post("/api/sessions", json={"title": "Later"}).json()

    kept = web.get(f"/api/sessions/{made['id']}")
    assert (kept["session"], kept["messages"], kept["leaf_id"]) == (made, [], None)
    assert made["agent_id"] == "assistant"


def test_a_session_is_exported_with_its_sources(web: Web) -> None:
    message = web.ask("Otters?")[-1].data["message"]
    path = f"/api/sessions/{message['session_id']}/export"

    text = web.client.get(path).text
    data = web.get(path, params={"format": "json"})

    source = message["answer"]["sources"][0]
    assert text.startswith("# Otters?\n\n## Question\n\nOtters?\n\n## Answer\n\n")
    assert f"Sources:\n[1] {source['title']} ({source['url']})" in text
    assert data["messages"][1] == message


def test_a_session_is_exported_without_pictures_that_load(web: Web) -> None:
    message = web.ask("Look: ![x](https://evil.example/x.png) <img src=y>", search="off")[-1]
    path = f"/api/sessions/{message.data['message']['session_id']}/export"

    text = web.client.get(path).text

    assert "Look: [x](https://evil.example/x.png) &lt;img src=y>" in text
    assert "![" not in text
    assert "<img" not in text


def test_a_provider_is_added_tested_asked_for_models_and_removed(web: Web) -> None:
    body = {"name": "Mine", "type": "openai", "base_url": web.sandbox.base_url("openai")}
    made = web.client.post("/api/providers", json=body).json()
    path = f"/api/providers/{made['id']}"

    tested = web.client.post(f"{path}/test").json()
    fetched = web.client.post(f"{path}/models").json()
    model = fetched["models"][0]["model"]
    changed = web.client.patch(path, json={"default_model": model, "name": "Ours"}).json()

    assert (tested["success"], tested["model_count"]) == (True, len(fetched["models"]))
    assert web.get(f"{path}/models") == fetched
    assert changed == made | {"default_model": model, "name": "Ours"}
    assert web.get("/api/providers") == [changed]
    assert web.client.delete(path).status_code == 204
    assert web.get("/api/providers") == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"name": "x", "type": "nothing"}, 400, "unknown_provider"),
        ({"name": "x", "type": "tavily"}, 400, "unsupported"),
        ({"name": "x", "type": "openai", "base_url": "ftp://x"}, 400, "settings"),
        ({"name": "", "type": "openai"}, 422, "invalid"),
    ],
)
def test_a_provider_that_cannot_be_is_refused(web: Web, body: Json, status: int, code: str) -> None:
    reply = web.client.post("/api/providers", json=body)

    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


def test_kinds_of_providers_are_those_that_answer(web: Web) -> None:
    kinds = {each["type"]: each for each in web.get("/api/provider-types")}

    assert {"anthropic", "openai", "gemini", "openrouter", "openai-responses"} <= set(kinds)
    assert "searxng" not in kinds
    assert kinds["anthropic"]["needs_key"] is True
    assert "answer" in kinds["anthropic"]["abilities"]


def test_who_searches_is_changed_at_once_and_in_the_settings(web: Web) -> None:
    chosen = {"search_provider": ["tavily", "searxng"], "read_provider": ["local"]}

    changed = web.client.put("/api/web", json=chosen).json()

    assert {name: changed[name] for name in chosen} == chosen
    assert web.program.search_context.settings.search_provider == ["tavily", "searxng"]
    assert 'search_provider = ["tavily", "searxng"]' in (web.folder / "config.toml").read_text()


def test_another_process_takes_over_who_searches(web: Web) -> None:
    (web.folder / "config.toml").write_text('search_provider = "tavily"\n')

    assert web.get("/api/web")["search_provider"] == ["tavily"]


def test_who_cannot_search_is_not_taken(web: Web) -> None:
    refused = [
        web.client.put("/api/web", json={"search_provider": [name]}).status_code
        for name in ("jina-nothing", "crawl4ai")
    ]

    assert refused == [400, 400]
    assert web.get("/api/web")["search_provider"] == ["searxng"]


def test_what_is_compared_is_changed_at_once_and_in_the_settings(web: Web) -> None:
    path = web.folder / "config.toml"
    path.write_text("# Ours.\n[checks]\nseconds = 5.0 # patience\nmax_pages = 3\n")

    chosen = {"pages": "opened", "max_pages": 7, "judge": "openai", "judge_claims": 4}
    changed = web.client.put("/api/web", json={"checks": chosen})

    assert changed.status_code == 200, changed.text
    assert changed.json()["checks"] == {**changed.json()["checks"], **chosen}
    assert web.program.settings.checks.judge == "openai"
    written = path.read_text()
    assert "# Ours." in written
    assert "seconds = 5.0 # patience" in written
    assert "max_pages = 7" in written


@pytest.mark.parametrize(
    "checks",
    [
        {"pages": "some"},
        {"max_pages": -1},
        {"seconds": 0},
        {"judge": "nobody"},
        {"judge": "searxng"},
    ],
)
def test_checks_that_cannot_be_are_refused(web: Web, checks: dict[str, object]) -> None:
    before = web.get("/api/web")["checks"]

    refused = web.client.put("/api/web", json={"checks": checks})

    assert refused.status_code in (400, 404, 422)
    assert web.get("/api/web")["checks"] == before


def test_a_workspace_names_a_judge_that_exists_or_none(web: Web) -> None:
    codes = {
        judge: web.client.patch("/api/workspaces/personal", json={"citation_judge": judge})
        for judge in ("openai", "off", "", "nobody", "searxng")
    }

    assert {judge: each.is_success for judge, each in codes.items()} == {
        "openai": True,
        "off": True,
        "": True,
        "nobody": False,
        "searxng": False,
    }
    assert web.get("/api/workspaces/personal")["citation_judge"] == ""


def test_a_service_is_tested(web: Web) -> None:
    found = web.client.post("/api/web/searxng/test").json()
    lost = web.client.post("/api/web/brave/test").json()

    assert (found["success"], lost["success"], lost["code"]) == (True, False, "missing_key")


def test_usage_is_summed_by_day(web: Web) -> None:
    web.ask()
    web.ask()

    usage = web.get("/api/usage", params={"days": 1})

    [day] = usage["days"]
    assert (day["turns"], day["provider"]) == (2, "anthropic")
    shared = {name: day[name] for name in day.keys() - {"date", "provider", "model"}}
    assert usage["total"] == {**shared, "cost_text": usage["total"]["cost_text"]}
    assert day["searches"] == 2


def test_tools_say_whether_they_change_something(web: Web) -> None:
    tools = {tool["name"]: tool["writes"] for tool in web.get("/api/tools")}

    assert tools == {
        "web_search": False,
        "open_page": False,
        "create_provider": True,
        "fetch_models": True,
        "set_default_model": True,
    }


def test_an_unknown_path_and_a_wrong_method_are_answered_in_the_same_shape(web: Web) -> None:
    unknown, wrong = web.client.get("/api/nothing"), web.client.put("/api/health", json={})

    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")


def test_a_wrong_value_is_named_and_not_repeated(web: Web) -> None:
    reply = web.client.post("/api/agents", json={"name": "x", "temperature": 99})

    [field] = reply.json()["error"]["fields"]
    assert reply.status_code == 422
    assert (field["field"], field["value"]) == ("temperature", "")
    assert "99" not in reply.text
