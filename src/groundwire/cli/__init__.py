"""The command line: words in, words out; every decision is made below.

Commands import what they need when they run, so that `groundwire --help` costs next to nothing.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from groundwire.version import VERSION

if TYPE_CHECKING:
    from groundwire.errors import GroundwireError

EXIT_ERROR = 1
EXIT_INTERRUPTED = 130

# Where each command is, and the line that lists it: a list needs no command's module.
COMMANDS = {
    "ask": ("ask", "ask", "Answer QUESTION with numbered sources"),
    "bundle": (
        "bundle",
        "bundle",
        "Take an answer away with the pages it rests on, as a WACZ file",
    ),
    "check": ("check", "check", "Compare what a text cites with the pages that it names"),
    "check-url": ("check_url", "check_url", "Tell whether pages would be opened"),
    "demo": (
        "demo",
        "demo",
        "Try everything on this machine: no key, no network, no files kept",
    ),
    "doctor": ("doctor", "doctor", "Say what works, what is missing and what to do"),
    "events": ("events", "events", "Print what saved replies say"),
    "export": (
        "export",
        "export",
        "Print a session, or one answer with its question, in a form that others read",
    ),
    "gateway": (
        "gateway",
        "gateway",
        "Serve the gateway alone: cited search for clients of OpenAI and Anthropic",
    ),
    "import": (
        "import_bundle",
        "import_bundle",
        "Bring the answers and pages of the bundle FILE into this store",
    ),
    "keys": ("keys", "keys", "Keep the keys of services"),
    "library": ("library", "library", "Keep documents of your own, searched like the web"),
    "mcp": ("mcp", "mcp", "Serve the tools over MCP"),
    "models": ("try_service", "models", "List the models of PROVIDER"),
    "providers": ("providers", "providers", "List who can search, read and answer"),
    "quotas": ("quotas", "quotas", "Print what users and workspaces used of their quotas today"),
    "read": ("search", "read", "Print a web page or a file as Markdown"),
    "recheck": (
        "recheck",
        "recheck",
        "Read the live pages of an answer again, and say what has changed since",
    ),
    "replay": ("replay", "replay", "Run recorded turns again, offline, and compare every event"),
    "sandbox": ("sandbox", "sandbox", "Run every provider's protocol locally"),
    "search": ("search", "search", "Print pages that match QUERY, best first"),
    "serve": (
        "serve",
        "serve",
        "Serve the web app: chat, settings, an HTTP API and the gateway under /v1",
    ),
    "sessions": ("sessions", "sessions", "List what was asked before, the newest session first"),
    "setup": ("setup", "setup", "Choose who searches and reads, and give them their keys"),
    "test": ("try_service", "test", "See whether PROVIDER works, key included"),
    "tool": ("tool", "tool", "Run the tool NAME and print its JSON"),
    "users": ("users", "users", "List who can sign in, and give them new passwords"),
}


class _Commands(click.Group):
    """Imports a command only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the library's
        """Return all names, importing none."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the library's
        """Return the command of this name, None if unknown."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[cmd_name]
        found = getattr(import_module(f"groundwire.cli.{module}"), attribute)
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the library's
        """Write the list from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][2] + ".") for name in sorted(COMMANDS)])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `groundwire doctor`: it says what works and what is missing.",
)
@click.version_option(VERSION, prog_name="groundwire")
def groundwire() -> None:
    """Cited web search for any model.

    Every command explains itself with --help. Commands that a program would read take --json.
    Exit codes: 0 done, 1 it did not work (one line says why), 2 misused, 130 stopped by Ctrl-C.
    """


def main() -> None:
    """Run a command; its failure is one line and an exit code, never a traceback."""
    sys.exit(_run())


def _run() -> int:
    try:
        # The library hands back the code of a command that ended itself, else its result, None.
        return groundwire.main(prog_name="groundwire", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return EXIT_INTERRUPTED
    except _our_error() as error:
        click.echo(f"groundwire: {error.with_address()}", err=True)
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader, `head` say, has seen enough; what is left to flush goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _our_error() -> type[GroundwireError]:
    """Return the root of our errors; asked for only when something was raised."""
    from groundwire import errors

    return errors.GroundwireError
