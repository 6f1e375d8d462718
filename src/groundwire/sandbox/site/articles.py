"""The built-in web as pages that a person could read: navigation, article, table, code."""

from __future__ import annotations

import hashlib
import html
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import quote, urlsplit

from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.services.service import HTML, ServiceCall, ServiceReply
from groundwire.sandbox.web import WebPage
from groundwire.sandbox.wire import CREATED

CODE = """import asyncio


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(1 < 2 and 0))


asyncio.run(main())
"""


def address(page: WebPage) -> str:
    """Return the path at which a page of the built-in web is served."""
    place = urlsplit(page.url)
    return f"/pages/web/{place.hostname}{quote(place.path)}"


def document(title: str, content: str, head: str = "") -> bytes:
    """Return a whole HTML document."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n{head}</head>\n<body>\n{content}\n</body>\n</html>\n"
    ).encode()


def article(call: ServiceCall, rest: str) -> ServiceReply | None:
    """Return a page of the library, None if it has none there."""
    page = call.finder.open(f"https://{rest}")
    if page is None:
        return None
    related = [other for other in PAGES if other.host == page.host and other.url != page.url][:4]
    content = "\n".join(
        [
            _navigation(),
            f"<main>\n<article>\n<h1>{html.escape(page.title)}</h1>",
            *(f"<p>{html.escape(passage)}</p>" for passage in page.passages),
            _table(page),
            _code() if "docs." in page.url else "",
            "</article>\n</main>",
            f"<aside><h2>Related</h2>{_links(related)}</aside>",
            "<footer><p>Imprint · Privacy · Cookies</p></footer>",
            "<script>window.dataLayer = [];</script>",
        ]
    )
    description = html.escape(page.passages[0], quote=True)
    head = f'<meta name="description" content="{description}">\n'
    head += f'<link rel="canonical" href="{html.escape(page.url)}">\n'
    if page.published:
        head += f'<meta property="article:published_time" content="{page.published}">\n'
    body = document(f"{page.title} – {page.host}", content, head)
    return kept(call, ServiceReply(body=body, content_type=HTML), page.published)


def index(call: ServiceCall, names: list[str]) -> ServiceReply:
    """Return a list of everything that is served here."""
    rows = "".join(f'<li><a href="/pages/{name}">{name}</a></li>' for name in names)
    body = document("Pages of the sandbox", f"<h1>Pages</h1>{_links(list(PAGES))}<ul>{rows}</ul>")
    return kept(call, ServiceReply(body=body, content_type=HTML))


def secret(_call: ServiceCall) -> ServiceReply:
    """Return what no reader may bring home; the journal shows who asked."""
    return ServiceReply(
        body=document("Internal", "<p>The secret word is periwinkle.</p>"), content_type=HTML
    )


def private(_call: ServiceCall) -> ServiceReply:
    """Return a page that robots.txt forbids."""
    return ServiceReply(body=document("Private", "<p>Robots stay outside.</p>"), content_type=HTML)


def robots(call: ServiceCall) -> ServiceReply:
    """Return rules that allow some and deny some."""
    rules = (
        "# The sandbox's rules\nUser-agent: *\nDisallow: /pages/private/\n"
        "Allow: /pages/private/open\n\nUser-agent: unwanted\nDisallow: /\n\n"
        f"Sitemap: {call.root}/pages/\n"
    )
    return kept(call, ServiceReply(body=rules.encode(), content_type="text/plain; charset=utf-8"))


def kept(call: ServiceCall, answer: ServiceReply, published: str = "") -> ServiceReply:
    """Return an answer that can be kept: 304 if the caller has this version already."""
    stamp = datetime.fromtimestamp(CREATED, UTC)
    if published:
        stamp = datetime.fromisoformat(f"{published}T00:00:00+00:00")
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:16]}"'
    headers = {
        "etag": tag,
        "last-modified": format_datetime(stamp, usegmt=True),
        "cache-control": "max-age=60",
    }
    if _is_fresh(call, tag, stamp):
        return ServiceReply(status=304, headers=headers, content_type=answer.content_type)
    headers["content-length"] = str(len(answer.body))
    return ServiceReply(body=answer.body, content_type=answer.content_type, headers=headers)


def _is_fresh(call: ServiceCall, tag: str, stamp: datetime) -> bool:
    if given := call.headers.get("if-none-match"):
        return tag in {part.strip().removeprefix("W/") for part in given.split(",")}
    try:
        return parsedate_to_datetime(call.headers.get("if-modified-since", "")) >= stamp
    except (TypeError, ValueError):
        # A date that cannot be read, or has no zone, is no condition.
        return False


def _navigation() -> str:
    return f"<header><nav>{_links(list(PAGES[:5]))}</nav></header>"


def _links(pages: list[WebPage]) -> str:
    rows = (f'<li><a href="{address(page)}">{html.escape(page.title)}</a></li>' for page in pages)
    return f"<ul>{''.join(rows)}</ul>"


def _table(page: WebPage) -> str:
    rows = {"Site": page.host, "Published": page.published or "unknown"}
    cells = "".join(
        f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in rows.items()
    )
    return f"<h2>At a glance</h2>\n<table><tbody>{cells}</tbody></table>"


def _code() -> str:
    return f'<h2>Example</h2>\n<pre><code class="language-python">{html.escape(CODE)}</code></pre>'
