"""A server with two workspaces and everybody who could ask it: each with data of their own.

Everything is put into the database itself, so that no password is hashed and the whole takes a
moment. Workspace `here` is the personal one, which has the agents Assistant and Setup.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import httpx2

from groundwire.checks.records import SourcePage
from groundwire.conversation import (
    Agent,
    ApiToken,
    ChatMessage,
    Membership,
    MessageKind,
    ProviderRecord,
    Role,
    Round,
    Session,
    Status,
    ToolRun,
    User,
    WebSession,
    Workspace,
    new_id,
    now,
)
from groundwire.model import Attachment, Json, Secret, ToolCall
from groundwire.sandbox import SandboxServer
from groundwire.store import PERSONAL, Store
from groundwire.web import Options
from groundwire.web.passwords import hash_of
from tests.web.server import SETUP_TOKEN, Web

T = TypeVar("T")

DAY = timedelta(days=1)
CALLERS = (
    "nobody",
    "member",
    "other member",
    "admin",
    "other admin",
    "owner",
    "member token",
    "admin token",
    "maker removed",
    "maker demoted",
    "maker deleted",
    "expired",
)
"""Who asks: signed in (or not), then with a token; "other admin" is of the workspace `there`."""

# Who each caller is, or who made their token.
_USERS = {
    "member": "mona",
    "other member": "nils",
    "admin": "adam",
    "other admin": "otto",
    "owner": "olga",
    "member token": "adam",
    "admin token": "adam",
    "maker removed": "rick",
    "maker demoted": "dan",
    "maker deleted": "dora",
    "expired": "adam",
}
_ROLES = {"mona": Role.MEMBER, "nils": Role.MEMBER, "adam": Role.ADMIN, "dan": Role.MEMBER}
_PICTURE = Attachment(type="image", mime_type="image/png", base64_data="AAAA", file_name="a.png")


@dataclass(slots=True, kw_only=True)
class Town:
    """The server, its store, and the ids of what is there."""

    web: Web
    store: Store
    loop: asyncio.AbstractEventLoop
    client: httpx2.Client = field(init=False)
    there: str = ""
    users: dict[str, User] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, dict[str, str]] = field(default_factory=dict)

    def do(self, work: Coroutine[None, None, T]) -> T:
        """Do something to the store."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def user_of(self, caller: str) -> User | None:
        """Return who a caller is, or who made their token."""
        name = _USERS.get(caller)
        return self.users[name] if name else None

    def ask(
        self, caller: str, method: str, path: str, body: Json = None, **options: Json
    ) -> httpx2.Response:
        """Send a request as somebody."""
        self.client.cookies.clear()
        headers = self.credentials[caller]
        return self.client.request(method, path, json=body, headers=headers, **options)

    def sign_in(self, caller: str) -> None:
        """Give somebody who signs in a new cookie."""
        if self.credentials[caller].keys() != {"Cookie"}:
            return
        user, secret = self.user_of(caller), new_id()
        assert user is not None
        session = WebSession(id_hash=hash_of(secret), user_id=user.id, expires_at=now() + DAY)
        self.do(self.store.web_sessions.create(session))
        self.credentials[caller] = {"Cookie": f"groundwire_session={secret}"}

    def session(self, caller: str, agent_id: str = "assistant", title: str = "") -> Session:
        """Make a session of somebody in the workspace `here`."""
        user = self.user_of(caller)
        is_gone = user is None or user.name == "dora"
        session = Session(
            workspace_id=PERSONAL,
            agent_id=agent_id,
            user_id=None if is_gone or user is None else user.id,
            title=title,
        )
        return self.do(self.store.sessions.create(session))

    def answered(self, caller: str, said: str = "Otters sleep.") -> tuple[str, str]:
        """Make a session with a question and its answer, and return their ids."""
        session = self.session(caller)
        question = self.do(
            self.store.messages.add(
                ChatMessage(
                    session_id=session.id,
                    kind=MessageKind.USER,
                    content="Do otters sleep?",
                )
            )
        )
        answer = ChatMessage(
            session_id=session.id,
            kind=MessageKind.AI_RESPONSE,
            parent_id=question.id,
            content=said,
            plain_text=said,
            suggestions="<p>more</p>",
            attachments=(_PICTURE,),
        )
        self.do(self.store.messages.add(answer))
        page = SourcePage(message_id=answer.id, number=1, url="https://a.example/", text="Otters.")
        self.do(self.store.citation_checks.save([], [page]))
        return session.id, answer.id

    def waiting(self, caller: str, tool: str, arguments: str) -> str:
        """Make an answer in a session of somebody that waits for the approval of one call."""
        session = self.session(caller, "setup")
        question = ChatMessage(session_id=session.id, kind=MessageKind.USER, content="Set it up.")
        call = ToolCall(id="call-1", name=tool, arguments=arguments)
        run = ToolRun(id=call.id, name=tool, arguments=arguments, status="waiting")
        answer = ChatMessage(
            session_id=session.id,
            kind=MessageKind.AI_RESPONSE,
            parent_id=question.id,
            status=Status.AWAITING_APPROVAL,
            rounds=(Round(tool_calls=(call,)),),
            tool_runs=(run,),
            provider="anthropic",
            raw_provider="anthropic",
            model="claude-sonnet-5-5",
        )
        for message in (question, answer):
            self.do(self.store.messages.add(message))
        return answer.id

    def new_user(self, role: Role | None = None) -> str:
        """Make somebody, with a role in `here` if one is given, and return their id."""
        user = self.do(self.store.users.create(User(name=new_id())))
        if role is not None:
            membership = Membership(user_id=user.id, workspace_id=PERSONAL, role=role)
            self.do(self.store.memberships.set(membership))
        return user.id

    def new_token(
        self,
        maker: str | None,
        *,
        role: Role = Role.MEMBER,
        workspace_id: str = PERSONAL,
        **times: Json,
    ) -> tuple[str, str]:
        """Make a token of somebody, and return its id and its secret."""
        secret = f"gw_{new_id()}"
        token = ApiToken(
            user_id=maker and self.users[maker].id,
            workspace_id=workspace_id,
            role=role,
            name=f"of {maker}",
            token_hash=hash_of(secret),
            **{"expires_at": now() + DAY, **times},
        )
        self.do(self.store.tokens.create(token))
        return token.id, secret

    def new_agent(self) -> str:
        """Make an agent in `here`, and return its id."""
        agent = Agent(workspace_id=PERSONAL, name=new_id())
        return self.do(self.store.agents.create(agent)).id

    def new_provider(self, name: str = "") -> str:
        """Make a provider at the sandbox, and return its id."""
        record = ProviderRecord(
            name=name or new_id(),
            type="anthropic",
            base_url=self.web.sandbox.base_url("anthropic"),
        )
        return self.do(self.store.providers.create(record)).id


@contextmanager
def built(sandbox: SandboxServer, folder: Path, **options: Json) -> Iterator[Town]:
    """Build the town, and take it down again; `options` are those of its server."""
    web = Web(sandbox, folder, options=Options(setup_token=Secret(SETUP_TOKEN)), **options)
    with _loop() as loop:
        opening = asyncio.run_coroutine_threadsafe(_opened(web.database), loop)
        town = Town(web=web, store=opening.result(), loop=loop)
        try:
            _settle(town)
            with web:
                town.client = web.new_client()
                yield town
        finally:
            town.do(town.store.close())


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run a loop in a thread: one that stood still in a write would hold up the server."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="town")
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _opened(database: str) -> Store:
    return await Store.open(database)


def _settle(town: Town) -> None:
    """Make everybody, their ways in, and what there is of each kind."""
    town.there = town.do(town.store.workspaces.create(Workspace(name="There"))).id
    for name in dict.fromkeys(_USERS.values()):
        user = User(name=name, is_owner=name == "olga")
        town.users[name] = town.do(town.store.users.create(user))
    _give_roles(town)
    _give_credentials(town)
    # The owner outlives the rest, and so does what she has.
    town.do(town.store.users.delete(town.users["dora"].id))
    town.do(town.store.memberships.remove(town.users["rick"].id, PERSONAL))
    mine, answer = town.answered("member", "Mona's secret is a zebra.")
    makers, makers_answer = town.answered("admin", "Adam's secret is an ibex.")
    town.ids = {
        "workspace": PERSONAL,
        "there": town.there,
        "agent": "assistant",
        "user": town.users["nils"].id,
        "provider": town.new_provider("Mine"),
        "session": mine,
        "message": answer,
        "makers_session": makers,
        "makers_message": makers_answer,
    }


def _give_roles(town: Town) -> None:
    roles = {**_ROLES, "rick": Role.ADMIN, "dora": Role.ADMIN}
    for name, role in roles.items():
        membership = Membership(user_id=town.users[name].id, workspace_id=PERSONAL, role=role)
        town.do(town.store.memberships.set(membership))
    otto = Membership(user_id=town.users["otto"].id, workspace_id=town.there, role=Role.ADMIN)
    town.do(town.store.memberships.set(otto))


def _give_credentials(town: Town) -> None:
    tokens = {
        "member token": town.new_token("adam"),
        "expired": town.new_token("adam", role=Role.ADMIN, expires_at=now() - DAY),
        **{
            caller: town.new_token(_USERS[caller], role=Role.ADMIN)
            for caller in ("admin token", "maker removed", "maker demoted", "maker deleted")
        },
    }
    for caller in CALLERS:
        if caller in tokens:
            town.credentials[caller] = {"Authorization": f"Bearer {tokens[caller][1]}"}
        else:
            town.credentials[caller] = {} if caller == "nobody" else {"Cookie": ""}
            town.sign_in(caller)
