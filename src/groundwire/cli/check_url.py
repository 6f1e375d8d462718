"""`groundwire check-url`: would we open this page, and why not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from groundwire.guard import Verdict
    from groundwire.model import Json

    Resolve = Callable[[str], Sequence[str]]


@click.command("check-url")
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@click.option(
    "--resolve",
    "answers",
    multiple=True,
    metavar="HOST=ADDRESS",
    help="Answer for HOST instead of asking the name server; repeat it for several addresses.",
)
def check_url(urls: tuple[str, ...], answers: tuple[str, ...]) -> None:
    """Tell whether pages would be opened.

    Prints a JSON line for each URL. It has url, verdict (allow or block) and reason; the exit
    code is 1 if any is blocked. Nothing is opened: the name is looked up and every address it
    has is checked.

    "-" reads lines from standard input. A line is a URL, or a JSON object with "url" and, to
    rehearse a name server and redirects, "dns" ({"host": [["address", …], …]}, one list for each
    look-up) and "redirect" ({"chain": ["location", …], "loop": false}).
    """
    given = _parse_answers(answers)
    is_any_blocked = False
    for line in _lines(urls):
        verdict = _judge(line, given)
        is_any_blocked = is_any_blocked or verdict.verdict == "block"
        print_json({"url": verdict.url, "verdict": verdict.verdict, "reason": verdict.reason})
    if is_any_blocked:
        raise click.exceptions.Exit(1)


def _parse_answers(answers: tuple[str, ...]) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    for answer in answers:
        host, separator, address = answer.partition("=")
        if not host or not separator or not address:
            raise click.BadParameter(f"{answer!r} is not HOST=ADDRESS", param_hint="--resolve")
        given.setdefault(host.lower().rstrip("."), []).append(address.strip("[]"))
    return given


def _lines(urls: tuple[str, ...]) -> Iterator[str | Json]:
    """Yield a URL or an object for each argument, and for each line of standard input."""
    for url in urls:
        if url != "-":
            yield url
            continue
        for line in sys.stdin.buffer:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if text.startswith("{"):
                yield _parse_row(text)
            elif text:
                yield text


def _parse_row(text: str) -> Json:
    import json

    try:
        row = json.loads(text)
        if isinstance(row["url"], str):
            return row
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise click.UsageError(f"not an object with a url: {text[:80]!r}") from error
    raise click.UsageError(f"the url is not a text: {text[:80]!r}")


def _judge(line: str | Json, given: Mapping[str, Sequence[str]]) -> Verdict:
    from groundwire import guard

    row: Json = {"url": line} if isinstance(line, str) else line
    redirect = row.get("redirect") or {}
    resolve = _rehearsed(row["dns"]) if row.get("dns") else _resolver(given)
    return guard.judge(
        row["url"],
        resolve=resolve,
        redirects=redirect.get("chain", ()),
        loops=bool(redirect.get("loop")),
    )


def _rehearsed(dns: Mapping[str, Sequence[Sequence[str]]]) -> Resolve:
    """Answer the n-th look-up of a name with its n-th list, and then with the last again."""
    asked: dict[str, int] = {}

    def resolve(host: str) -> Sequence[str]:
        lists = dns.get(host, ())
        number = asked[host] = asked.get(host, -1) + 1
        return lists[min(number, len(lists) - 1)] if lists else ()

    return resolve


def _resolver(given: Mapping[str, Sequence[str]]) -> Resolve:
    def resolve(host: str) -> Sequence[str]:
        if host in given:
            return given[host]
        import asyncio

        from groundwire.client.resolver import resolve_by_system

        return asyncio.run(resolve_by_system(host))

    return resolve
