"""`groundwire ask`: a question in, a cited answer out, with what happens in between."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from groundwire.chat import Answer, ChatEvent
    from groundwire.chat.events import CitationChecked, MarkerShown
    from groundwire.conversation import ToolRun
    from groundwire.model import Attachment, Json

_MAX_ATTACHMENT_BYTES = 20_000_000
_CLAIM_LENGTH = 100


@click.command()
@click.argument("question", nargs=-1)
@click.option("--agent", "-a", default="", help="Who answers, by name; see `--agents`.")
@click.option("--agents", "lists_agents", is_flag=True, help="List the agents and end.")
@click.option("--provider", "-p", default="", metavar="NAME", help="Whose model is asked.")
@click.option("--model", "-m", default="", help="Which model, instead of the provider's default.")
@click.option(
    "--search",
    "-s",
    type=click.Choice(["auto", "hosted", "client", "off"]),
    default="auto",
    show_default=True,
    help="Who searches: the model's provider, groundwire, or nobody.",
)
@click.option(
    "--thinking",
    type=click.Choice(["off", "on", "low", "medium", "high"]),
    default=None,
    help="Whether the model thinks first, and how hard, where it can be told.",
)
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="DOMAIN",
    help="Only sources of this domain and its subdomains. May be repeated.",
)
@click.option(
    "--attach",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A picture or PDF to send along. May be repeated.",
)
@click.option(
    "--session", default="", metavar="ID", help="Go on with a session, by its id or `last`."
)
@click.option("--no-store", is_flag=True, help="Keep nothing of this question.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the turn with all its traffic, without keys, to a file for `groundwire replay`.",
)
@json_option
def ask(question: tuple[str, ...], *, as_json: bool, **given: Json) -> None:
    """Answer QUESTION with numbered sources.

    Without a QUESTION it is read from standard input. The answer goes to standard output, what
    happens meanwhile to standard error; with --json every event is a line. Exit code 1 means that
    the answer failed or is incomplete.

    \b
    groundwire ask "How do sea otters sleep?"
    groundwire ask --search client --domain docs.python.org "What is a task group?"
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    if given.pop("lists_agents"):
        asyncio.run(_list_agents(as_json=as_json))
        return
    text = " ".join(question).strip() or ("" if sys.stdin.isatty() else sys.stdin.read().strip())
    if not text:
        raise click.UsageError('ask something: groundwire ask "How do sea otters sleep?"')
    show: _JsonLines | _Terminal = _JsonLines() if as_json else _Terminal()
    raise click.exceptions.Exit(asyncio.run(_ask(text, given, show)))


async def _ask(text: str, given: dict[str, Json], show: _JsonLines | _Terminal) -> int:
    import groundwire
    from groundwire.service.evidence import LAST, newest_id

    files, no_store = given.pop("files"), given.pop("no_store")
    given["thinking"] = given["thinking"] or ""
    record = given.pop("record")
    if record is not None:
        from groundwire.cli.record import ask_recorded

        attached = [_attached(path) for path in files]
        show_turn = partial(_show, show=show)
        answer = await ask_recorded(
            text, {**given, "attachments": attached}, record, show_turn, keep=not no_store
        )
        show.checks(answer)
        return 1 if answer.incomplete else 0
    async with groundwire.open(keep=not no_store) as program:
        if given["session"] == LAST:
            given["session"] = await newest_id(program.store)
        events = program.stream(text, attachments=[_attached(path) for path in files], **given)
        answer = await _show(events, show)
        while answer.status == "awaiting_approval":
            decided = show.decide(answer.message.tool_runs)
            if decided is None:
                show.end(answer)
                break
            going_on = await program.approve(answer.message.id, decided)
            late = program.checks.late(answer.message.id)
            answer = await _show(_one_by_one(going_on, late), show)
    show.checks(answer)
    return 1 if answer.incomplete else 0


async def _show(events: AsyncGenerator[ChatEvent, None], show: _JsonLines | _Terminal) -> Answer:
    """Show a turn, its end at once, and return it with what was compared only then."""
    from contextlib import aclosing

    from groundwire.chat.events import CitationChecked, TurnEnded

    answer: Answer | None = None
    async with aclosing(events):
        async for event in events:
            show.event(event)
            if isinstance(event, TurnEnded):
                answer = event.answer
                if answer.status != "awaiting_approval":
                    show.end(answer)
            elif answer is not None and isinstance(event, CitationChecked):
                answer = answer.with_checks([event.citation])
    if answer is None:
        raise click.ClickException("the answer ended without a TurnEnded event")
    return answer


async def _one_by_one(
    batches: AsyncGenerator[Sequence[ChatEvent], None],
    late: AsyncGenerator[CitationChecked, None],
) -> AsyncGenerator[ChatEvent, None]:
    async for batch in batches:
        for event in batch:
            yield event
    async for checked in late:
        yield checked


async def _list_agents(*, as_json: bool) -> None:
    import groundwire
    from groundwire.cli.output import print_table

    async with groundwire.open() as program:
        agents = await program.agents()
    if as_json:
        print_json([{"id": a.id, "name": a.name, "web": a.web_search_enabled} for a in agents])
        return
    rows = [(a.name, "web" if a.web_search_enabled else "-", a.description) for a in agents]
    print_table(rows, ("agent", "web", "what it does"))


def _attached(path: Path) -> Attachment:
    import base64
    from mimetypes import guess_type

    from groundwire.model import Attachment

    if path.stat().st_size > _MAX_ATTACHMENT_BYTES:
        raise click.ClickException(f"{path} is over {_MAX_ATTACHMENT_BYTES:,} bytes")
    kind = guess_type(path.name)[0] or "application/octet-stream"
    return Attachment(
        type="image" if kind.startswith("image/") else "file",
        mime_type=kind,
        base64_data=base64.b64encode(path.read_bytes()).decode(),
        file_name=path.name,
    )


class _JsonLines:
    """Every event on a line of its own."""

    def event(self, event: ChatEvent) -> None:
        """Print one event."""
        from groundwire.chat import event_fields

        print_json({"type": event.type, **event_fields(event)})

    def decide(self, runs: Sequence[ToolRun]) -> dict[str, bool] | None:  # noqa: ARG002 - as below
        """Leave an approval to the program that reads the lines."""
        return None

    def end(self, answer: Answer) -> None:
        """Print nothing more: the line of the end is the answer."""

    def checks(self, answer: Answer) -> None:
        """Print nothing more: every citation that was compared has a line."""


class _Terminal:
    """The answer as it comes, a line about what happens now, and the sources at the end.

    A source that is named after its words have gone by cannot be marked on a screen any more:
    then the whole answer is printed once more. Where output is not a terminal, or passages may be
    folded later, it is printed only when it is complete.
    """

    def __init__(self) -> None:
        self._is_watched = sys.stdout.isatty()
        self._has_status = sys.stderr.isatty()
        self._is_held = False
        self._shown = 0
        self._is_late = False
        self._at_status = False

    def event(self, event: ChatEvent) -> None:
        """Show one event."""
        from groundwire.chat import events

        match event:
            case events.TurnStarted(is_restricted=is_restricted):
                self._is_held = is_restricted
            case events.TextShown(text):
                self._text(text)
            case events.MarkerShown():
                self._marker(event)
            case events.WebSearchStarted(query=query):
                self._status(f"Searching: {query}" if query else "Searching the web…")
            case events.ToolUpdate(run=run):
                self._tool(run)
            case events.SourcesRemoved():
                self._note(f"removed by policy: {', '.join(event.urls)} ({event.reason})")
            case events.Noticed() | events.BudgetReached():
                self._note(event.message)
            case events.TurnFailed(message=message):
                self._note(f"groundwire: {message}")
            case _:
                pass

    def decide(self, runs: Sequence[ToolRun]) -> dict[str, bool] | None:
        """Ask about each call that waits; None where standard input is not a terminal."""
        self._clear()
        waiting = [run for run in runs if run.status == "waiting"]
        if sys.stdin.isatty():
            return {
                run.id: click.confirm(f"Allow {run.name} {run.arguments}?", err=True)
                for run in waiting
            }
        for run in waiting:
            self._note(f"{run.name} {run.arguments} waits for an approval")
        return None

    def end(self, answer: Answer) -> None:
        """Print the sources, and the whole answer where it was not shown or lacks markers."""
        from groundwire import citations
        from groundwire.chat.budgets import cost_in_words

        self._clear()
        marked = answer.marked
        is_shown = self._is_watched and not self._is_held
        if is_shown and not self._is_late:
            # The text is there already.
            marked = citations.Marked(text="", sources=marked.sources, removed=marked.removed)
        rest = citations.to_terminal(marked, hyperlinks=self._is_watched)
        rule = f"{'─' * 20}\n\n" if is_shown and self._is_late else ""
        click.echo(f"\n\n{rule}{rest}" if is_shown else rest)
        message = answer.message
        if cost := cost_in_words(message.cost_usd, is_partial=message.cost_is_partial):
            self._note(f"{message.model}: {cost}")
        if answer.incomplete:
            # The reason of a failure was printed above.
            why = answer.status if message.error else answer.incomplete
            self._note(f"this answer is incomplete: {why}")
        if answer.message.checks_state:
            self._status("Comparing citations with their pages…")

    def checks(self, answer: Answer) -> None:
        """Print what the citations came to: a line for all, and one for each that is of note."""
        from textwrap import shorten

        from groundwire import citations
        from groundwire.checks import CheckState, facts_in_words, state_of, summary_line
        from groundwire.checks.citation import opinion_in_words

        self._clear()
        if not answer.checks:
            return
        lines = [f"Compared: {summary_line(answer.checks)}."]
        for each in answer.checks:
            if state_of(each.check) in (CheckState.ABSENT, CheckState.NOT_COMPARED):
                claim = shorten(each.claim, _CLAIM_LENGTH, placeholder="…")
                lines.append(f"[{each.number}] {claim} {' '.join(facts_in_words(each.check))}")
        # Apart from the facts: what a judge thinks is its own.
        lines += [
            f"[{each.number}] {opinion_in_words(each.opinion) if each.opinion else each.no_opinion}"
            for each in answer.checks
            if each.opinion or each.no_opinion
        ]
        # A page's words are a stranger's: nothing in them may steer a terminal.
        shown = [citations.to_terminal(citations.Marked(text=line)) for line in lines]
        click.echo("\n" + "\n".join(shown))

    def _text(self, text: str) -> None:
        from groundwire import citations

        self._clear()
        self._shown += len(text)
        if self._is_watched and not self._is_held:
            click.echo(citations.to_terminal(citations.Marked(text=text)), nl=False)

    def _marker(self, event: MarkerShown) -> None:
        self._is_late = self._is_late or event.position != self._shown
        if self._is_watched and not self._is_held and event.position == self._shown:
            click.echo(f"{event.before}{event.label}{event.after}", nl=False)

    def _tool(self, run: ToolRun) -> None:
        if run.status == "failed":
            about = f" {run.query or run.url}".rstrip()
            self._note(f"{run.name}{about} failed: {run.error}")
        elif run.status == "running" and run.url:
            self._status(f"Reading: {run.url}")

    def _status(self, words: str) -> None:
        import shutil

        if self._has_status:
            self._clear()
            shown = words[: shutil.get_terminal_size().columns - 1]
            click.echo(f"\r\x1b[2m{shown}\x1b[0m", nl=False, err=True)
            self._at_status = True

    def _clear(self) -> None:
        if self._at_status:
            click.echo("\r\x1b[2K", nl=False, err=True)
            self._at_status = False

    def _note(self, words: str) -> None:
        self._clear()
        click.echo(words, err=True)
