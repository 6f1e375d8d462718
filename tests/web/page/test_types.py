"""Python and the page agree about JSON: one is made from the other, and both are checked."""

from __future__ import annotations

import json
import re
import subprocess
import types
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from playwright._impl._driver import compute_driver_executable
from pydantic import TypeAdapter

from groundwire.chat.events import ChatEvent
from groundwire.conversation import ChatMessage, ToolRun
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from groundwire.web.bodies import NewAgent, NewMessage
from groundwire.web.conversation_shapes import ConversationShape
from groundwire.web.frames import frames
from groundwire.web.shapes import MessageShape, ToolRunShape
from tests.web.conftest import web
from tests.web.page.conftest import FOLDER
from tests.web.server import Web
from tools import page_types

__all__ = ["SandboxServer", "sandbox", "web"]

TYPESCRIPT = Path(page_types.__file__).parent / "typescript"
COMPILER = TYPESCRIPT / "node_modules" / "typescript" / "bin" / "tsc"
NOT_SENT = {"rounds", "raw_provider", "plain_text", "state", "marked", "suggestions"}
"""What of a message is only for providers and for going on, and what is sent as its `answer`."""


def _sample(hint: Any) -> Any:
    """Return some value of a type."""
    now = datetime(2026, 1, 2, tzinfo=UTC)
    plain = {str: "x", int: 1, float: 0.5, bool: True, Any: None, datetime: now}
    if hint in plain:
        return plain[hint]
    first = next(iter(get_args(hint)), None)
    if get_origin(hint) in (Union, types.UnionType):
        return _sample(first)
    if get_origin(hint) is tuple:
        return tuple(_sample(each) for each in get_args(hint) if each is not Ellipsis)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    return _made(hint)


def _made(noun: type) -> Any:
    """Return a noun or an event with every field that must be given."""
    assert is_dataclass(noun), f"{noun!r} needs a sample"
    hints = get_type_hints(noun, localns=page_types._NAMES)
    needed = [
        each for each in fields(noun) if each.default is MISSING and each.default_factory is MISSING
    ]
    return noun(**{each.name: _sample(hints[each.name]) for each in needed})


def _checked(kind: type, data: Any) -> None:
    """Check that JSON has the fields of a type, all of them and no other."""
    declared = page_types.sent_fields(page_types.SENT_AS.get(kind, kind))

    assert set(data) == set(declared)
    for name, hint in declared.items():
        TypeAdapter(page_types.SENT_AS.get(hint, hint)).validate_python(data[name])


def _compile(configuration: Path) -> subprocess.CompletedProcess[str]:
    if not COMPILER.exists():
        pytest.skip("needs TypeScript: `make page-checker` installs it with npm")
    node, _ = compute_driver_executable()
    command = [node, str(COMPILER), "--project", str(configuration)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_types_js_is_what_the_python_shapes_make() -> None:
    kept = page_types.PATH.read_text(encoding="utf-8")

    assert kept == page_types.page_types(), "run `make types` and commit types.js"


@pytest.mark.parametrize("kind", get_args(ChatEvent), ids=lambda kind: kind.type)
def test_an_event_is_sent_with_the_fields_of_its_type(kind: type) -> None:
    sent = frames([_made(kind)], 1).decode()

    data = json.loads(sent.split("data: ")[1])

    _checked(kind, data)


@pytest.mark.parametrize(
    ("shape", "noun", "left_out", "added"),
    [
        (ToolRunShape, ToolRun, {"output"}, set()),
        (MessageShape, ChatMessage, NOT_SENT, {"answer", "reason", "cost_text"}),
    ],
)
def test_a_shape_has_the_fields_of_its_noun(
    shape: type, noun: type, left_out: set[str], added: set[str]
) -> None:
    assert is_dataclass(noun)

    expected = {each.name for each in fields(noun)} - left_out | added

    assert set(page_types.sent_fields(shape)) == expected


def test_what_is_kept_of_a_conversation_is_sent_in_its_shape(web: Web) -> None:
    hosted = web.ask("Otters?")[-1].data["message"]
    file = {"type": "image", "mime_type": "image/png", "base64_data": "iVBORw0KGgo="}
    client = web.ask("Otters?", provider_id="openai", search="client", attachments=[file])
    approval = web.ask("Use create_provider", agent="setup", provider_id="openai", search="off")
    asked = [hosted, client[-1].data["message"], approval[-1].data["message"]]

    kept = [web.get(f"/api/sessions/{each['session_id']}") for each in asked]

    for each in kept:
        ConversationShape.model_validate(each, extra="forbid")
    assert hosted["answer"]["markers"]
    assert hosted["answer"]["sources"]
    assert [run["status"] for run in asked[2]["tool_runs"]] == ["waiting"]
    assert asked[1]["tool_runs"][0]["results"]


@pytest.mark.parametrize(
    ("id_", "choices"),
    [
        ("search-mode", NewMessage.model_fields["search"].annotation),
        ("thinking", NewAgent.model_fields["thinking"].annotation),
    ],
)
def test_the_choices_beside_a_question_are_those_that_the_server_takes(
    id_: str, choices: Any
) -> None:
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    [select] = re.findall(rf'<select[^>]* id="{id_}".*?</select>', html, flags=re.DOTALL)

    offered = re.findall(r'<option value="(\w*)"', select)

    assert sorted(offered) == sorted(_literals(choices))


def _literals(hint: Any) -> Sequence[str]:
    if get_origin(hint) is Literal:
        return get_args(hint)
    return [value for each in get_args(hint) for value in _literals(each)]


def test_the_scripts_of_the_page_pass_the_type_checker() -> None:
    done = _compile(TYPESCRIPT)

    assert (done.stdout, done.returncode) == ("", 0)


def test_the_type_checker_finds_a_field_that_the_server_does_not_send(tmp_path: Path) -> None:
    script = tmp_path / "wrong.js"
    script.write_text(
        f"/** @param {{import('{page_types.PATH}').Message}} message */\n"
        "export const shown = (message) => message.contents;\n"
    )
    configuration = {"extends": str(TYPESCRIPT / "tsconfig.json"), "include": [str(script)]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(configuration))

    done = _compile(tmp_path)

    assert "Property 'contents' does not exist on type" in done.stdout
