"""Jina Reader: opens a page, scripts included, and returns it as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.errors import BadReplyError, InvalidRequestError, ServiceError
from groundwire.model import Page, PageMetadata
from groundwire.wire.authorization import bearer
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Provider, policy_refusal
from groundwire.wire.errors import message_of

if TYPE_CHECKING:
    from groundwire.model import Json

_ANOTHER_READER = "some of its blocks end with a key; else name a second reader in the settings"
_ANOTHER_PAGE = "choose another page, or name a second reader in the settings"


class Jina(Provider):
    """Reads pages, also those made by scripts; a key raises its limits."""

    title = "Jina Reader"
    base_url = "https://r.jina.ai"
    key_variable = "JINA_API_KEY"
    key_is_optional = True
    key_url = "https://jina.ai/reader"

    def read_request(self, url: str, access: Access) -> HttpRequest:
        headers = {"Accept": "application/json", "X-Retain-Images": "none", **bearer(access)}
        # As a form field and not as a path: there, a query or fragment would be Jina's own.
        return HttpRequest.post_json(f"{access.base_url}/", {"url": url}, headers)

    def read_page(self, url: str, reply: HttpReply) -> Page:
        data: Json = reply.json()["data"]
        content, warning = data.get("content") or "", data.get("warning") or ""
        # Of a page that is not there it hands on what the server says instead, with a warning.
        if not content or warning.startswith("Target URL returned error"):
            reason = warning or "Jina returned no content"
            return Page(url=url, success=False, error=reason)
        return Page(
            url=data.get("url") or url,
            title=data.get("title") or "",
            content=content,
            notes=(f"Jina warns: {warning}",) if warning else (),
            metadata=PageMetadata(published=str(data.get("publishedTime") or "")),
        )

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status == 200 and (body := reply.json()).get("data") is None:
            reason = message_of(body) or "it returned no page"
            return BadReplyError(reply.service, reason, status=200)
        # What it blocks stays blocked, so that none of these is worth another try.
        if reply.status in (403, 409, 451):
            return policy_refusal(reply, _ANOTHER_READER)
        if reply.status == 422:
            reason = message_of(reply.json()) or "it cannot open this page"
            return InvalidRequestError(reply.service, reason, status=422, fix=_ANOTHER_PAGE)
        return None


provider = Jina()
