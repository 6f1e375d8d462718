"""The server: routes by path prefix, faults, replays and the journal."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import parse_qsl

import orjson
from aiohttp import web

from groundwire.sandbox import faults
from groundwire.sandbox.answers import Answerer, plan
from groundwire.sandbox.anthropic import Anthropic
from groundwire.sandbox.codex import Codex
from groundwire.sandbox.embeddings import embeddings
from groundwire.sandbox.faults import Ending, Fault, FaultName, Script
from groundwire.sandbox.gemini import Gemini
from groundwire.sandbox.gemini_interactions import GeminiInteractions
from groundwire.sandbox.journal import Entry, Journal
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_chat import OpenAIChat
from groundwire.sandbox.openai_responses import OpenAIResponses
from groundwire.sandbox.openrouter import OpenRouterChat, OpenRouterResponses
from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.played_citations import UNLISTED
from groundwire.sandbox.replay import Recordings
from groundwire.sandbox.services import (
    SERVICES,
    Finder,
    Service,
    ServiceCall,
    check_fault,
    spoiled,
)
from groundwire.sandbox.site import SandboxSite
from groundwire.sandbox.web import BuiltInWeb, SearchableWeb
from groundwire.sandbox.wire import CREATED, Call, CountsTokens, Dialect, RefusalError

MAX_BODY_BYTES = 64 << 20
JOURNAL_PATH = "/__sandbox/requests"
GEMINI_MODEL = r"/gemini/(?P<version>v1|v1beta)/models/(?P<model>[^:/]+)"
ROUTES: tuple[tuple[str, str, Dialect], ...] = (
    ("POST", r"/anthropic/v1/(?P<action>messages)", Anthropic()),
    ("POST", r"/anthropic/v1/messages/(?P<action>count_tokens)", Anthropic()),
    ("GET", r"/anthropic/v1/(?P<action>models)", Anthropic()),
    ("POST", r"/openai/v1/chat/(?P<action>completions)", OpenAIChat()),
    ("POST", r"/openai/v1/(?P<action>responses)", OpenAIResponses()),
    ("POST", r"/openai/v1/responses/(?P<action>input_tokens)", OpenAIResponses()),
    ("POST", r"/openai/v1/(?P<action>embeddings)", OpenAIChat()),
    ("GET", r"/openai/v1/(?P<action>models)", OpenAIChat()),
    (
        "POST",
        GEMINI_MODEL + r":(?P<action>generateContent|streamGenerateContent|countTokens)",
        Gemini(),
    ),
    ("GET", r"/gemini/(?P<version>v1|v1beta)/(?P<action>models)", Gemini()),
    (
        "POST",
        r"/gemini/(?P<version>v1|v1beta)/(?P<action>interactions)",
        GeminiInteractions(),
    ),
    ("POST", r"/openrouter/api/v1/chat/(?P<action>completions)", OpenRouterChat()),
    ("POST", r"/openrouter/api/v1/(?P<action>responses)", OpenRouterResponses()),
    ("GET", r"/openrouter/api/v1/(?P<action>models)", OpenRouterChat()),
    ("POST", r"/codex/backend-api/codex/(?P<action>responses)", Codex()),
    ("GET", r"/codex/backend-api/codex/(?P<action>models)", Codex()),
)
COUNTING = ("count_tokens", "input_tokens", "countTokens")
TODAY = datetime.fromtimestamp(CREATED, UTC).date()
SITE = SandboxSite()
SERVICE_PREFIXES: dict[str, Service] = {service.name: service for service in (*SERVICES, SITE)}
FORM_TYPE = "application/x-www-form-urlencoded"
# A fault in front of the path, for clients that can set a base URL but no header.
FAULT_PREFIX = re.compile(r"/fault/([^/]+)(/.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """How a sandbox behaves for every call; a call's own headers win.

    `chunk_bytes` cuts every body anew instead of sending event by event, `pace_seconds` waits
    between chunks, `extra_models` are accepted by every protocol, `today` is the day from which
    the services that search count back. `answerer` chooses what is quoted; without one it is the
    first sentence of each page.
    """

    library: SearchableWeb = field(default_factory=lambda: BuiltInWeb(PAGES, unlisted=UNLISTED))
    answerer: Answerer | None = None
    recordings: str | Path | None = None
    replay: str = ""
    fault: str = ""
    chunk_bytes: int | None = None
    pace_seconds: float = 0
    extra_models: tuple[str, ...] = ()
    today: date = TODAY


class Sandbox:
    """The state behind the routes."""

    def __init__(self, options: SandboxOptions) -> None:
        self.journal = Journal()
        self._options = options
        self._recordings = Recordings(options.recordings)
        self._fault_counts: Counter[str] = Counter()
        self._closing = asyncio.Event()

    async def close(self, _: web.Application) -> None:
        """Let replies that never end come to an end."""
        self._closing.set()

    async def handle_journal(self, request: web.Request) -> web.Response:
        """Show the journal, or empty it on POST and DELETE."""
        if request.method != "GET":
            self.journal.reset()
        return _json(200, self.journal.to_json())

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a call of any protocol and note how it ended."""
        entry = self.journal.record(request, await _body(request))
        try:
            response = await self._answer(request, entry)
        except RefusalError as refusal:
            entry.status = refusal.status
            self.journal.finish(entry, "refused")
            return _refused(refusal)
        except asyncio.CancelledError:
            if self._closing.is_set():
                self.journal.finish(entry, "stopped with the server")
            else:
                self.journal.finish(entry, "closed by the client", "while waiting")
            raise
        except ConnectionError:
            self.journal.finish(entry, "closed by the client", "while writing")
            # To nobody; raised further, the library would log it as a failure of the server.
            return web.Response()
        return response

    async def _answer(self, request: web.Request, entry: Entry) -> web.StreamResponse:
        fault, path = self._fault(request)
        entry.fault = fault.id if fault else ""
        recording = request.headers.get("x-sandbox-replay") or self._options.replay
        service, action = _service(path)
        if service is not None and not recording:
            return await self._serve(
                request, entry, service, self._visit(request, entry, fault, action)
            )
        dialect, call = self._route(request, path, entry)
        if fault and (refusal := faults.refusal(fault, dialect, call)) is not None:
            raise refusal
        if recording:
            status, content_type, raw = self._recordings.load(recording)
            chunks = [raw]
            headers = {"content-type": content_type}
            script = faults.script(fault, chunks, []) if fault else Script(chunks=chunks)
            return await self._play(request, entry, script, status=status, headers=headers)
        dialect.authorize(call)
        headers = dialect.headers(call)
        script, content_type = self._script(dialect, call, fault)
        headers["content-type"] = content_type
        return await self._play(request, entry, script, headers=headers)

    def _fault(self, request: web.Request) -> tuple[Fault | None, str]:
        """Return the fault that this call gets, and the path without it."""
        prefixed = FAULT_PREFIX.fullmatch(request.path)
        in_path, path = (prefixed[1], prefixed[2]) if prefixed else ("", request.path)
        text = request.headers.get("x-sandbox-fault") or request.query.get("sandbox_fault")
        text = text or in_path or self._options.fault
        if not text:
            return None, path
        try:
            fault = faults.parse(text)
        except ValueError as error:
            raise RefusalError(400, {"sandbox": str(error)}) from error
        self._fault_counts[fault.id] += 1
        if fault.times is not None and self._fault_counts[fault.id] > fault.times:
            return None, path
        return fault, path

    def _route(self, request: web.Request, path: str, entry: Entry) -> tuple[Dialect, Call]:
        call = Call(
            action="",
            number=entry.number,
            body=entry.body,
            headers={name.lower(): value for name, value in request.headers.items()},
            query=dict(request.query),
            extra_models=self._options.extra_models,
        )
        for method, pattern, dialect in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == request.method:
                parts = found.groupdict()
                version, model = parts.get("version", ""), parts.get("model", "")
                return dialect, replace(call, action=parts["action"], version=version, model=model)
        raise RefusalError(404, {"sandbox": f"nothing at {request.method} {path}"})

    def _visit(
        self, request: web.Request, entry: Entry, fault: Fault | None, action: str
    ) -> ServiceCall:
        """Return the call of a service with the library as the service sees it."""
        name = fault.name if fault else None
        address = request.transport.get_extra_info("sockname") if request.transport else None
        return ServiceCall(
            action=action,
            number=entry.number,
            method=request.method,
            root=f"{request.scheme}://{request.host}",
            port=address[1] if address else 0,
            body=entry.body,
            headers={name.lower(): value for name, value in request.headers.items()},
            query=dict(request.query),
            query_text=request.rel_url.raw_query_string,
            fault=fault,
            finder=Finder(
                library=self._options.library,
                today=self._options.today,
                is_blind=name is FaultName.NOTHING_FOUND,
                ignores_filters=name is FaultName.FILTERS_IGNORED,
            ),
        )

    async def _serve(
        self, request: web.Request, entry: Entry, service: Service, call: ServiceCall
    ) -> web.StreamResponse:
        """Answer a call of a service that searches or reads, or show a page."""
        check_fault(service, call)
        answer = service.answer(call)
        headers = {"content-type": answer.content_type, **answer.headers}
        script, fault = answer.script(), call.fault
        if fault is not None:
            is_wrong = fault.name is FaultName.WRONG_CONTENT_TYPE
            raw = faults.LOGIN_PAGE if is_wrong else spoiled(answer, service, call)
            headers |= {"content-type": "text/html; charset=utf-8"} if is_wrong else {}
            if raw != answer.body:
                headers.pop("content-length", None)
            script = faults.script(fault, [raw], [])
        if answer.is_raw and request.transport is not None:
            request.transport.write(answer.body)
            request.transport.close()
            self.journal.finish(entry, "complete")
            return web.Response()
        return await self._play(request, entry, script, headers=headers, status=answer.status)

    def _script(self, dialect: Dialect, call: Call, fault: Fault | None) -> tuple[Script, str]:
        """Return what to send, and its content type."""
        if fault and fault.name is FaultName.WRONG_CONTENT_TYPE:
            return Script(chunks=[faults.LOGIN_PAGE]), "text/html; charset=utf-8"
        if call.action == "models":
            return Script(chunks=[orjson.dumps(dialect.models(call))]), "application/json"
        if not isinstance(call.body, dict):
            raise dialect.malformed("the body is not a JSON object", call)
        if call.action == "embeddings":
            raw = orjson.dumps(embeddings(call))
            script = faults.script(fault, [raw], []) if fault else Script(chunks=[raw])
            return script, "application/json"
        try:
            if call.action in COUNTING and isinstance(dialect, CountsTokens):
                return Script(chunks=[orjson.dumps(dialect.count(call))]), "application/json"
            question = dialect.read(call)
            answer = plan(question, self._options.library, self._options.answerer)
        except (AttributeError, KeyError, TypeError) as error:
            # What is checked field by field above is not all that can be wrong with a body.
            raise dialect.malformed(f"invalid body: {error}", call) from error
        if not dialect.is_streaming(call):
            body = dialect.reply(answer, call)
            raw = faults.spoil_body(fault, body, dialect, call) if fault else orjson.dumps(body)
            script = faults.script(fault, [raw], []) if fault else Script(chunks=[raw])
            return script, "application/json"
        frames, framing = dialect.frames(answer, call), dialect.framing(call)
        if fault:
            frames = faults.spoil(fault, frames, dialect, call)
        chunks = framing.encode(frames)
        script = faults.script(fault, chunks, frames) if fault else Script(chunks=chunks)
        return script, framing.content_type

    async def _play(
        self,
        request: web.Request,
        entry: Entry,
        script: Script,
        *,
        headers: dict[str, str],
        status: int = 200,
    ) -> web.StreamResponse:
        """Send a script and note how it ended."""
        response = web.StreamResponse(status=status, headers=headers)
        if script.delay_seconds:
            with suppress(TimeoutError):
                async with asyncio.timeout(script.delay_seconds):
                    await self._closing.wait()
        entry.status = status
        await response.prepare(request)
        pace = script.pace_seconds or self._pace(request)
        for chunk in self._cut(request, script.chunks):
            await self._send(response, chunk, entry, pace)
        while script.ending is Ending.ENDLESS and not self._closing.is_set():
            await self._send(response, script.repeated, entry, pace)
        if script.ending is Ending.SILENT:
            await self._closing.wait()
        if script.ending is Ending.CUT and request.transport is not None:
            request.transport.close()
        else:
            await response.write_eof()
        is_stopped = self._closing.is_set()
        self.journal.finish(entry, "stopped with the server" if is_stopped else script.ending.value)
        return response

    def _cut(self, request: web.Request, chunks: list[bytes]) -> list[bytes]:
        wanted = request.headers.get("x-sandbox-chunk") or self._options.chunk_bytes
        if not wanted:
            return chunks
        size, whole = int(wanted), b"".join(chunks)
        return [whole[start : start + size] for start in range(0, len(whole), size)]

    def _pace(self, request: web.Request) -> float:
        return float(request.headers.get("x-sandbox-pace") or self._options.pace_seconds)

    async def _send(
        self, response: web.StreamResponse, chunk: bytes, entry: Entry, pace: float
    ) -> None:
        if not chunk:
            return
        await response.write(chunk)
        entry.chunks_sent += 1
        entry.bytes_sent += len(chunk)
        # Even without a pace: give the other side a chance to read, and to leave.
        await asyncio.sleep(pace)


def create_app(options: SandboxOptions | None = None) -> web.Application:
    """Return the sandbox as an application; to be made inside a running loop."""
    sandbox = Sandbox(options or SandboxOptions())
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_route("*", JOURNAL_PATH, sandbox.handle_journal)
    app.router.add_route("*", "/{path:.*}", sandbox.handle)
    app.on_shutdown.append(sandbox.close)
    app[SANDBOX] = sandbox
    return app


SANDBOX = web.AppKey("sandbox", Sandbox)


async def _body(request: web.Request) -> Json:
    """Return a body as JSON, or a form's fields; None if it is neither."""
    raw = await request.read()
    if request.content_type == FORM_TYPE:
        return dict(parse_qsl(raw.decode(errors="replace"), keep_blank_values=True))
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(raw)
    return None


def _service(path: str) -> tuple[Service | None, str]:
    """Return the service at a path, and the rest of the path."""
    if path == "/robots.txt":
        return SITE, "robots.txt"
    prefix, _, rest = path[1:].partition("/")
    return SERVICE_PREFIXES.get(prefix), rest


def _refused(refusal: RefusalError) -> web.Response:
    if isinstance(refusal.body, str):
        return web.Response(
            status=refusal.status, body=refusal.body.encode(), headers=refusal.headers
        )
    return _json(refusal.status, refusal.body, refusal.headers)


def _json(status: int, body: Json, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, body=orjson.dumps(body), content_type="application/json", headers=headers
    )
