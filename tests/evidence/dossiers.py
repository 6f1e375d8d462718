"""A dossier as an answer with checked citations leaves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from groundwire.checks import CitationCheck, check_claim, hash_of, index_page, to_json
from groundwire.checks.records import CheckRecord, Purpose, Snapshot, SourcePage
from groundwire.citations import Marked, Marker, Source, Support
from groundwire.conversation import (
    ChatMessage,
    ChecksState,
    MessageKind,
    SearchMode,
    Session,
    ToolRun,
)
from groundwire.evidence.dossier import Dossier
from groundwire.model import Citation, Evidence, Fetched, SearchResult
from groundwire.system.compression import pack

WHEN = datetime(2026, 11, 17, 8, 30, 1, 234_567, tzinfo=UTC)
URL = "https://wiki.example.net/sea-otter?a=1"
QUOTE = "Sea otters have the **densest fur** of all animals."
TEXT = f"# Sea otter\n\n{QUOTE} 海獺。\n\nSome hold `paws` while they sleep 🦦."
BODY = "<html><h1>Sea otter</h1><p>Sea otters have the <b>densest fur</b> of all animals. 海獺。"
OTHER = "# Other\n\nThe valley has 450 otters, and nobody counted them twice."


def _fetched(body: bytes) -> Fetched:
    return Fetched(
        status=200,
        headers={"content-type": "text/html; charset=utf-8"},
        packed=pack(body),
        size=len(body),
        body_hash=sha256(body).hexdigest(),
    )


def snapshot(message_id: str, url: str, text: str, body: bytes | None = None) -> Snapshot:
    return Snapshot(
        message_id=message_id,
        url=url,
        asked_url=url,
        title="Sea otter 海獺",
        service="local" if body else "jina",
        purpose=Purpose.OPENED,
        text=text,
        text_hash=hash_of(text),
        about={"authors": ["Ada Otter"], "published": "2026-03-02"},
        fetched=_fetched(body) if body else None,
        read_at=WHEN,
    )


def _record(message_id: str, position: int, number: int, page: Snapshot, claim: str) -> CheckRecord:
    check = CitationCheck(
        number=number,
        position=position,
        claim=claim,
        url=page.url,
        check=check_claim(claim, index_page(page.text, page.url)),
        checked_at=WHEN,
        page_hash=page.text_hash,
    )
    return CheckRecord(
        message_id=message_id,
        position=position,
        number=number,
        data=to_json(check),
        checked_at=WHEN,
    )


def dossier(key: str = "") -> Dossier:
    """Return a session of one answer with two pages; `key` is in the question."""
    session = Session(
        id="s1",
        workspace_id="personal",
        agent_id="a1",
        title="Otters",
        created_at=WHEN,
        updated_at=WHEN,
    )
    pages = (
        snapshot("m2", URL, TEXT, BODY.encode()),
        snapshot("m2", "https://news.example.com/otters", OTHER),
    )
    first, second = "Sea otters have the densest fur.", " The valley has 450 otters."
    text = f"{first}[1]{second}[2]"
    sources = tuple(
        Source(
            number=number,
            url=page.url,
            title=page.title,
            domain="example",
            is_marked=True,
            evidence=Evidence.CITED,
        )
        for number, page in enumerate(pages, 1)
    )
    marked = Marked(
        text=text,
        sources=sources,
        changes=(
            Marker(
                start=len(first),
                numbers=(1,),
                supports=(Support(number=1, start=0, end=len(first), quote=QUOTE),),
            ),
            Marker(start=len(first) + 3 + len(second), numbers=(2,)),
        ),
    )
    question = ChatMessage(
        id="m1",
        session_id="s1",
        kind=MessageKind.USER,
        content=f"Otters? {key}".strip(),
        created_at=WHEN,
        updated_at=WHEN,
    )
    answer = ChatMessage(
        id="m2",
        session_id="s1",
        kind=MessageKind.AI_RESPONSE,
        parent_id="m1",
        content=text,
        marked=marked,
        citations=tuple(Citation(url=each.url, title=each.title) for each in sources),
        tool_runs=(
            ToolRun(
                id="t1",
                name="web_search",
                status="done",
                query="otters",
                service="searxng",
                results=(SearchResult(url=URL, title="Otter"),),
                started_at=WHEN,
            ),
        ),
        provider="anthropic",
        model="claude",
        mode=SearchMode.CLIENT,
        checks_state=ChecksState.DONE,
        created_at=WHEN,
        updated_at=WHEN,
    )
    return Dossier(
        session=session,
        messages=(question, answer),
        checks=(
            _record("m2", len(first), 1, pages[0], first),
            _record("m2", len(first + second), 2, pages[1], second.strip()),
        ),
        source_pages=tuple(
            SourcePage(
                message_id="m2",
                number=number,
                url=page.url,
                title=page.title,
                text=page.text,
                text_hash=page.text_hash,
                read_at=WHEN,
            )
            for number, page in enumerate(pages, 1)
        ),
        snapshots=pages,
        settings={"search_provider": "searxng"},
        made_at=WHEN + timedelta(days=1),
    )
