"""Jina Reader: what it is asked and what it answers."""

import json

from groundwire.model import Page, Secret
from groundwire.providers.jina import provider
from groundwire.wire.contract import Access, HttpReply


def reply(body: object, status: int = 200) -> HttpReply:
    return HttpReply(status=status, body=json.dumps(body).encode(), service="jina")


def test_the_page_is_named_in_the_body_so_that_its_query_stays_its_own() -> None:
    access = Access(base_url="https://r.jina.ai", key=Secret("jina_1"))

    request = provider.read_request("https://a.org/?b=1", access)

    assert (request.method, request.url) == ("POST", "https://r.jina.ai/")
    assert json.loads(request.body or b"") == {"url": "https://a.org/?b=1"}
    assert request.headers["Authorization"] == "Bearer jina_1"


def test_without_a_key_there_is_no_authorization() -> None:
    request = provider.read_request("https://a.org/", Access(base_url="https://r.jina.ai"))

    assert "Authorization" not in request.headers


def test_a_page_comes_back_with_title_and_address() -> None:
    data = {"title": "Otter", "url": "https://a.org/otter", "content": "# Otter", "usage": {}}

    page = provider.read_page("https://a.org", reply({"code": 200, "status": 20000, "data": data}))

    assert page == Page(url="https://a.org/otter", title="Otter", content="# Otter")


def test_a_page_without_content_is_a_failure_with_its_reason() -> None:
    data = {"title": "", "content": "", "warning": "Target URL returned error 404"}

    page = provider.read_page("https://a.org", reply({"data": data}))

    assert page == Page(url="https://a.org", success=False, error="Target URL returned error 404")


def test_what_a_server_says_instead_of_a_page_is_not_the_page() -> None:
    warning = "Target URL returned error 404: Not Found"
    data = {"title": "", "url": "https://a.org/x", "content": "Unknown.", "warning": warning}

    page = provider.read_page("https://a.org/x", reply({"code": 200, "data": data}))

    assert page == Page(url="https://a.org/x", success=False, error=warning)


def test_a_page_with_another_warning_is_a_page_with_a_note() -> None:
    data = {"url": "https://a.org/", "content": "# Otter", "warning": "This may be incomplete"}

    page = provider.read_page("https://a.org/", reply({"data": data}))

    note = "Jina warns: This may be incomplete"
    assert page == Page(url="https://a.org/", content="# Otter", notes=(note,))
