"""Turns that are recorded with all of their traffic, and run again from it without a network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire import registry
from groundwire.chat import Conversation, event_fields
from groundwire.chat.events import CitationChecked, TurnEnded
from groundwire.client.replay import Exchange, RecordingClient, ReplayingClient
from groundwire.config.keys import Keys
from groundwire.config.settings import Settings
from groundwire.conversation import Agent, ChatMessage, Choices, Session, Workspace, new_id, now
from groundwire.errors import BundleError, ConfigError
from groundwire.evidence.codec import dumped, loaded
from groundwire.model import Attachment, Secret
from groundwire.service.ask_options import AskOptions, chosen
from groundwire.service.program import Groundwire
from groundwire.system.determinism import fixed
from groundwire.system.files import replace_file
from groundwire.text.plural import plural
from groundwire.tools import Services
from groundwire.version import VERSION
from groundwire.wire.contract import Access, Endpoint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.chat import ChatEvent
    from groundwire.model import Json

FORMAT = "groundwire-recording"
FORMAT_VERSION = 1
MAX_BYTES = 500_000_000

_SECRETS = ("key", "token", "secret", "password", "proxy", "auth", "cookie")
_KEY = "replayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One turn: what it rested on, all that was said to it and by it, and its events.

    `moment` and `seed` are what the clock and chance said while it ran.
    """

    moment: datetime
    seed: str
    settings: Json
    conversation: Json
    ask: Json
    exchanges: Sequence[Exchange] = ()
    events: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a turn came to when it was run again, beside what it had come to."""

    events: Sequence[str]
    differences: Sequence[str] = field(default=())

    @property
    def is_same(self) -> bool:
        """Tell whether nothing at all was different."""
        return not self.differences


class Recorder:
    """Records one turn of a program: stream it through here, then write it."""

    def __init__(self, settings: Settings) -> None:
        # What comes from a cache is no traffic, and would be missing.
        cache = settings.cache.model_copy(update={"kind": "off"})
        self.settings = settings.model_copy(update={"cache": cache})
        self.client = RecordingClient(self.settings.network)
        self._moment, self._seed = now(), new_id()
        self._events: list[ChatEvent] = []
        self._rests_on: tuple[Conversation, ChatMessage, Choices] | None = None

    def fixed(self) -> AbstractContextManager[None]:
        """Have the clock stand still, and chance follow from the recording's seed."""
        return fixed(self._moment, self._seed)

    async def stream(
        self, program: Groundwire, conversation: Conversation, text: str, options: AskOptions
    ) -> AsyncIterator[ChatEvent]:
        """Stream a turn as the program does; whoever reads it does so within `fixed`.

        Raises:
            ConfigError: The agent has tools beside the web's, which nothing could run again.
        """
        if conversation.tools:
            raise ConfigError("a turn with tools beside the web's cannot be recorded")
        question, choices = (
            conversation.question(text, options.get("attachments", ())),
            chosen(options),
        )
        self._rests_on = conversation, question, choices
        # What was asked to find out who answers is no part of the turn.
        self.client.exchanges.clear()
        async with aclosing(program.turn(conversation, question, choices)) as turn:
            async for event in turn:
                self._events.append(event)
                yield event

    def recording(self) -> Recording:
        """Return what was recorded; the turn must be over."""
        if self._rests_on is None:
            raise ConfigError("nothing was recorded")
        conversation, question, choices = self._rests_on
        return Recording(
            moment=self._moment,
            seed=self._seed,
            settings=_settings_json(self.settings, conversation.endpoint),
            conversation=_conversation_json(conversation),
            ask={
                "text": question.content,
                "attachments": dumped(question.attachments),
                "client_id": question.client_id,
                **dumped(choices),
            },
            exchanges=self.client.exchanges,
            events=canonical(self._events),
        )


def canonical(events: Sequence[ChatEvent]) -> list[str]:
    """Return events as lines of JSON, in the order that does not depend on who was faster.

    Citations are compared beside the stream, and come whenever that is done: here they come last,
    by their places, each as it was in the end.
    """
    checks = {
        (each.citation.position, each.citation.number): each
        for each in events
        if isinstance(each, CitationChecked)
    }
    others = [each for each in events if not isinstance(each, CitationChecked)]
    return [_line(each) for each in [*others, *(checks[key] for key in sorted(checks))]]


def _line(event: ChatEvent) -> str:
    fields = dumped(event_fields(event))
    if isinstance(event, TurnEnded):
        # How many were compared by then is a matter of time; all of them have lines of their own.
        del fields["checks"]
    value = {"type": event.type, **fields}
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording as lines of JSON, the last of which has the hash of all others.

    Raises:
        BundleError: It cannot be written there.
    """
    head = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "generator": f"groundwire {VERSION}",
        "moment": recording.moment.isoformat(),
        "seed": recording.seed,
        "settings": recording.settings,
        "conversation": recording.conversation,
        "ask": recording.ask,
    }
    exchanges = [{"exchange": asdict(each)} for each in recording.exchanges]
    events = [{"event": json.loads(each)} for each in recording.events]
    lines = [json.dumps(each, sort_keys=True) for each in [head, *exchanges, *events]]
    text = "\n".join([*lines, ""])
    end = json.dumps({"sha256": sha256(text.encode()).hexdigest()})
    try:
        replace_file(path, f"{text}{end}\n")
    except OSError as error:
        raise BundleError(f"{path} cannot be written: {error.strerror}") from error


def read_recording(path: Path) -> Recording:
    """Return a recording.

    Raises:
        BundleError: The file is none, or is damaged.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BundleError(f"{path} is over the limit of {MAX_BYTES:,}")
        text = path.read_text("utf-8")
        body, _, end = text.rstrip("\n").rpartition("\n")
        if json.loads(end)["sha256"] != sha256(f"{body}\n".encode()).hexdigest():
            raise BundleError(f"{path.name} was changed after it was recorded")
        head, *rest = map(json.loads, body.split("\n"))
        return _recording(head, rest)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise BundleError(f"{path.name} is no recording of ours: {error}") from error


def _recording(head: Json, rest: Sequence[Json]) -> Recording:
    if head["format"] != FORMAT or head["version"] != FORMAT_VERSION:
        raise ValueError(f"format {head['format']!r}, version {head['version']!r}")
    events = [each["event"] for each in rest if "event" in each]
    return Recording(
        moment=datetime.fromisoformat(head["moment"]),
        seed=head["seed"],
        settings=head["settings"],
        conversation=head["conversation"],
        ask=head["ask"],
        exchanges=[Exchange(**each["exchange"]) for each in rest if "exchange" in each],
        events=[json.dumps(each, ensure_ascii=False, sort_keys=True) for each in events],
    )


async def replay(recording: Recording) -> Replayed:
    """Run a recorded turn again, without a network, a store or a key.

    Raises:
        BundleError: The recording cannot be used.
    """
    try:
        settings = Settings.model_validate(recording.settings)
        conversation = _conversation(recording.conversation)
        text, files, choices = _asked(**recording.ask)
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"the recording cannot be used: {error}") from error
    client = ReplayingClient(recording.exchanges, settings.network)
    nowhere = Path("/nonexistent")
    keys = Keys(environment=_keys(), dotenv=nowhere / ".env", file=nowhere / "keys.json")
    events: list[ChatEvent] = []
    with fixed(recording.moment, recording.seed):
        async with Groundwire(settings=settings, keys=keys, keep=False, client=client) as program:
            question = conversation.question(text, files)
            async for event in program.turn(conversation, question, choices):
                events.append(event)  # noqa: PERF401 - what came before a failure counts
    told = canonical(events)
    return Replayed(events=told, differences=[*client.differences, *_differ(recording, told)])


def _asked(
    text: Json, attachments: Json, client_id: Json, **choices: Json
) -> tuple[str, list[Attachment], Choices]:
    del client_id  # Of a browser, whose questions nobody records.
    files = [loaded(Attachment, each) for each in attachments]
    return loaded(str, text), files, loaded(Choices, choices)


def _differ(recording: Recording, told: Sequence[str]) -> list[str]:
    found = [
        f"event {number + 1} was {before[:200]} and is {after[:200]}"
        for number, (before, after) in enumerate(zip(recording.events, told, strict=False))
        if before != after
    ]
    if len(told) != len(recording.events):
        before = plural(len(recording.events), "event")
        found.append(f"the recording has {before}, and now there are {len(told)}")
    return found


def _keys() -> dict[str, str]:
    """Return a key for every provider that wants one; nobody is shown it."""
    variables = [each.key_variable for each in registry.usable().values()]
    return {variable: _KEY for variable in variables if variable}


def _settings_json(settings: Settings, endpoint: Endpoint) -> Json:
    """Return the settings that a turn depends on, without what could be a secret."""
    value = settings.model_dump(
        mode="json",
        exclude={
            "store": True,
            "web": True,
            "gateway": True,
            "network": {"proxy"},
            "cache": {"path"},
        },
    )
    for name, table in value["providers"].items():
        table["proxy"] = None
        table["options"] = {} if name == endpoint.name else _harmless(table["options"])
    return value


def _harmless(options: Any) -> Json:  # noqa: ANN401 - only the provider knows
    """Return options without those that could be a secret by their name."""
    return {
        name: value
        for name, value in options.items()
        if not any(word in name.lower() for word in _SECRETS)
    }


def _conversation_json(conversation: Conversation) -> Json:
    endpoint = conversation.endpoint
    names = ("model", "ordinary_model", "replaced_model", "provider_id", "provider_name")
    return {
        **{name: getattr(conversation, name) for name in names},
        "names_addresses": conversation.names_addresses,
        "workspace": dumped(conversation.workspace),
        "agent": dumped(conversation.agent),
        "session": dumped(replace(conversation.session, user_id=None)),
        "history": [dumped(each) for each in conversation.history],
        "services": dumped(conversation.services),
        "endpoint": {
            "name": endpoint.name,
            "base_url": endpoint.access.base_url,
            "has_key": endpoint.access.key is not None,
            "options": _harmless(endpoint.access.options),
            "idle_timeout_seconds": endpoint.idle_timeout_seconds,
        },
    }


def _conversation(value: Json) -> Conversation:
    told = value["endpoint"]
    endpoint = Endpoint(
        name=told["name"],
        provider=registry.get(told["name"]),
        access=Access(
            base_url=told["base_url"],
            key=Secret(_KEY) if told["has_key"] else None,
            options=told["options"],
        ),
        idle_timeout_seconds=told["idle_timeout_seconds"],
    )
    nouns = ("workspace", "agent", "session", "history", "services", "endpoint")
    return Conversation(
        **{name: each for name, each in value.items() if name not in nouns},
        workspace=loaded(Workspace, value["workspace"]),
        agent=loaded(Agent, value["agent"]),
        session=loaded(Session, value["session"]),
        history=tuple(loaded(ChatMessage, each) for each in value["history"]),
        services=loaded(Services, value["services"]),
        endpoint=endpoint,
    )
