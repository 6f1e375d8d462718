"""Pages for readers: the built-in web as real HTML, other documents, and hostile pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundwire.sandbox.services.service import (
    HTML,
    Service,
    ServiceCall,
    ServiceReply,
    page_refusal,
    retry_headers,
)
from groundwire.sandbox.site import articles, disguises, documents
from groundwire.sandbox.site.bodies import BODIES
from groundwire.sandbox.site.disguises import DISGUISES
from groundwire.sandbox.site.redirects import REDIRECTS
from groundwire.sandbox.web import names
from groundwire.sandbox.wire import RefusalError

Page = Callable[[ServiceCall], ServiceReply]

PAGES: Mapping[str, Page] = {
    "robots.txt": articles.robots,
    "paper.pdf": documents.paper,
    "feed.rss": documents.rss,
    "feed.atom": documents.atom,
    "data.json": documents.data,
    "plain.txt": documents.text,
    "script-only": disguises.script_only,
    "script-only.json": disguises.script_content,
    "secret": articles.secret,
    "private/notes": articles.private,
    "private/open": articles.private,
}
HOSTILE: Mapping[str, Page] = {**REDIRECTS, **BODIES, **DISGUISES}
STATUSES = names("401 403 404 410 429 451 500 502 503")


class SandboxSite(Service):
    """Serves everything under `/pages/`, and `/robots.txt`."""

    name = "pages"

    def refusal(self, status: int, call: ServiceCall) -> RefusalError:
        headers = retry_headers(call) if status in {429, 503} else {}
        return page_refusal(
            status, articles.document(str(status), _apology(status)).decode(), headers
        )

    def answer(self, call: ServiceCall) -> ServiceReply:
        if call.method != "GET":
            raise self.refusal(405, call)
        kind, _, rest = call.action.partition("/")
        match kind:
            case "":
                return articles.index(call, [*PAGES, *(f"hostile/{name}" for name in HOSTILE)])
            case "web":
                found = articles.article(call, rest)
            case "hostile":
                found = HOSTILE[rest](call) if rest in HOSTILE else None
            case "status":
                found = _status(int(rest)) if rest in STATUSES else None
            case _:
                found = PAGES[call.action](call) if call.action in PAGES else None
        if found is None:
            raise self.refusal(404, call)
        return found


def _status(status: int) -> ServiceReply:
    return ServiceReply(
        status=status,
        body=articles.document(str(status), _apology(status)),
        content_type=HTML,
        headers={"retry-after": "7"} if status in {429, 503} else {},
    )


def _apology(status: int) -> str:
    return f"<h1>{status}</h1><p>This page cannot be shown.</p>"


__all__ = ["HOSTILE", "PAGES", "Site"]
