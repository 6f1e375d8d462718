"""What is not HTML: a PDF, feeds, JSON and plain text."""

from __future__ import annotations

import html
from datetime import datetime
from email.utils import format_datetime

import orjson

from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.services.service import JSON, ServiceCall, ServiceReply
from groundwire.sandbox.site.articles import address, kept
from groundwire.sandbox.web import WebPage

LINES = (
    "The tide table of the small harbour",
    "High water comes twice a day.",
    "The next spring tide is on Tuesday.",
)
PDF_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
    b"/Resources << /Font << /F1 5 0 R >> >> >>"
)
FEED_LENGTH = 5


def paper(call: ServiceCall) -> ServiceReply:
    """Return a PDF of one page."""
    return kept(call, ServiceReply(body=pdf(LINES), content_type="application/pdf"))


def pdf(lines: tuple[str, ...]) -> bytes:
    """Return a PDF with a line of text for each; ASCII only."""
    shown = "".join(f"({_escaped(line)}) Tj 0 -24 Td " for line in lines)
    stream = f"BT /F1 16 Tf 72 760 Td {shown}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        PDF_PAGE,
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({_escaped(lines[0])}) >>".encode(),
    ]
    made = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        made
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\n" % size
        + b"startxref\n%d\n%%%%EOF\n" % len(made)
    )


def rss(call: ServiceCall) -> ServiceReply:
    """Return the newest pages as RSS."""
    items = "".join(
        f"<item><title>{html.escape(page.title)}</title><link>{call.root}{address(page)}</link>"
        f"<pubDate>{format_datetime(_moment(page), usegmt=True)}</pubDate>"
        f"<description>{html.escape(page.passages[0])}</description></item>"
        for page in _newest()
    )
    feed = (
        f'<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>Sandbox'
        f"</title><link>{call.root}/pages/</link><description>News</description>{items}"
        f"</channel></rss>\n"
    )
    return kept(call, ServiceReply(body=feed.encode(), content_type="application/rss+xml"))


def atom(call: ServiceCall) -> ServiceReply:
    """Return the newest pages as Atom."""
    entries = "".join(
        f"<entry><title>{html.escape(page.title)}</title><id>{page.url}</id>"
        f'<link href="{call.root}{address(page)}"/><updated>{page.published}T00:00:00Z</updated>'
        f"<summary>{html.escape(page.passages[0])}</summary></entry>"
        for page in _newest()
    )
    feed = (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<title>Sandbox</title><id>{call.root}/pages/</id>"
        f"<updated>{_newest()[0].published}T00:00:00Z</updated>{entries}</feed>\n"
    )
    return kept(call, ServiceReply(body=feed.encode(), content_type="application/atom+xml"))


def data(call: ServiceCall) -> ServiceReply:
    """Return the newest pages as JSON."""
    rows = [{"title": page.title, "published": page.published} for page in _newest()]
    return kept(call, ServiceReply(body=orjson.dumps({"pages": rows}), content_type=JSON))


def text(call: ServiceCall) -> ServiceReply:
    """Return plain text beyond ASCII."""
    words = "Plain text.\n\nKein HTML: <b>das bleibt stehen</b>, äöü, 新幹線, 🦦.\n"
    return kept(call, ServiceReply(body=words.encode(), content_type="text/plain; charset=utf-8"))


def _newest() -> list[WebPage]:
    dated = [page for page in PAGES if page.published]
    return sorted(dated, key=lambda page: page.published, reverse=True)[:FEED_LENGTH]


def _moment(page: WebPage) -> datetime:
    return datetime.fromisoformat(f"{page.published}T00:00:00+00:00")


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
