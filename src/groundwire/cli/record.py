"""A question that is recorded with all of its traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from groundwire.chat import Answer, ChatEvent
    from groundwire.model import Json

    Show = Callable[[AsyncIterator[ChatEvent]], Awaitable[Answer]]


async def ask_recorded(text: str, options: Json, path: Path, show: Show, *, keep: bool) -> Answer:
    """Ask as `groundwire ask` does, and write what was said to a file."""
    from groundwire.config.settings import load
    from groundwire.service.ask_options import check_question
    from groundwire.service.evidence import LAST, newest_id
    from groundwire.service.program import Groundwire
    from groundwire.service.recorder import Recorder, write_recording

    recorder = Recorder(load())
    check_question(text, options)
    program = Groundwire(settings=recorder.settings, keep=keep, client=recorder.client)
    async with program:
        if options["session"] == LAST:
            options["session"] = await newest_id(program.store)
        conversation = await program.conversation_about(text, options)
        with recorder.fixed():
            answer = await show(recorder.stream(program, conversation, text, options))
    write_recording(path, recorder.recording())
    click.echo(f"recorded in {path}: replay it with `groundwire replay {path}`", err=True)
    return answer
