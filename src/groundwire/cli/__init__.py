"""The command line: words in, words out; every decision is made below.

Commands import what they need when they run, so that `groundwire --help` costs next to nothing.
"""

from __future__ import annotations

import os
import sys

import click

from groundwire.cli.check_url import check_url
from groundwire.cli.doctor import doctor
from groundwire.cli.events import events
from groundwire.cli.keys import keys
from groundwire.cli.mcp import mcp
from groundwire.cli.providers import providers
from groundwire.cli.sandbox import sandbox
from groundwire.cli.searching import read, search
from groundwire.cli.tool import tool
from groundwire.cli.trying import models, test
from groundwire.errors import GroundwireError
from groundwire.version import VERSION

EXIT_ERROR = 1
EXIT_INTERRUPTED = 130


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `groundwire doctor`: it says what works and what is missing.",
)
@click.version_option(VERSION, prog_name="groundwire")
def groundwire() -> None:
    """Cited web search for any model.

    Every command explains itself with --help. Commands that a program would read take --json.
    Exit codes: 0 done, 1 it did not work (one line says why), 2 misused, 130 stopped by Ctrl-C.
    """


for command in (
    check_url,
    doctor,
    events,
    keys,
    mcp,
    models,
    providers,
    read,
    sandbox,
    search,
    test,
    tool,
):
    groundwire.add_command(command)


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
    except GroundwireError as error:
        click.echo(f"groundwire: {error}", err=True)
        return EXIT_ERROR
    except BrokenPipeError:
        # The reader, `head` say, has seen enough; what is left to flush goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
