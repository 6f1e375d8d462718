"""`groundwire check`: a text that cites, a claim, or pairs of both, compared with their pages."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from groundwire.cli.output import json_option, print_json
from groundwire.cli.search import provider_option
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from groundwire.checks.cited_text import CitedText
    from groundwire.config.keys import Keys
    from groundwire.model import Json, Page
    from groundwire.search import ReadChain, SearchContext
    from groundwire.service.judge import ModelJudge
    from groundwire.service.text_check import PageProgress, Pages, TextCheck

FAILURES = ("numbers", "quotes", "names", "words", "unreadable")
"""What `--fail-on` may name."""

_ZIP = b"PK\x03\x04"
_LOOKED_AT = 4_096


def _failures(_: click.Context, __: click.Parameter, value: str) -> frozenset[str]:
    wanted = frozenset(filter(None, (each.strip() for each in value.split(","))))
    if unknown := wanted - {*FAILURES}:
        named = ", ".join(sorted(unknown))
        raise click.BadParameter(f"{named}: name some of {', '.join(FAILURES)}")
    return wanted


@click.command()
@click.argument("sources", nargs=-1, metavar="FILE|URL|-")
@click.option("--claim", metavar="TEXT", help="Compare this one claim with the page or file.")
@click.option("--pairs", metavar="FILE|-", help="Compare a claim with a text or URL per JSON line.")
@click.option(
    "--fail-on",
    default="",
    metavar="KINDS",
    callback=_failures,
    help=f"End with exit code 1 if one of these is amiss: {','.join(FAILURES)}.",
)
@click.option(
    "--offline",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take the pages from this folder and open none.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the pages as they were read in this folder, for --offline.",
)
@click.option("--judge", default="", metavar="PROVIDER", help="Ask this provider's model, too.")
@click.option("--model", default="", help="The judge's model, instead of its provider's default.")
@provider_option
@json_option
def check(sources: tuple[str, ...], **given: Json) -> None:
    """Compare what a text cites with the pages that it names.

    FILE is Markdown, HTML, a bundle, or a saved answer, of ours or of another product; `-` is
    standard input.
    What is said are literal facts: which quotations, numbers and names stand on the page, and
    which passage comes nearest. Whether a claim is right nobody can tell from that.

    \b
    groundwire check answer.md --fail-on numbers,quotes
    groundwire check --claim "Sea otters weigh 45 kg" https://en.wikipedia.org/wiki/Sea_otter
    groundwire check --pairs claims.jsonl > checks.jsonl
    """  # noqa: D301 - the library wants the character, not its name
    import asyncio

    if (given["pairs"] is not None) and (sources or given["claim"] is not None):
        raise click.UsageError("--pairs has its claims and pages in its lines; give nothing else")
    if given["pairs"] is not None:
        code = asyncio.run(_check_pairs(given))
    elif not sources:
        raise click.UsageError("name a file, a URL or - for standard input: groundwire check FILE")
    elif given["claim"] is not None:
        if len(sources) > 1:
            raise click.UsageError("--claim is compared with one page: give one URL or file")
        code = asyncio.run(_check_claim(sources[0], given))
    else:
        code = asyncio.run(_check_texts(sources, given))
    raise click.exceptions.Exit(code)


async def _check_texts(sources: tuple[str, ...], given: Json) -> int:
    from groundwire.cli.check_output import failures, print_text_check, text_check_json

    code = 0
    async with _opened() as (keys, search_context):
        pages = _pages(search_context, given)
        async with _judge(keys, search_context, given) as judge:
            for source in sources:
                done = await _check(await _cited(source, search_context), pages, judge, given)
                if given["as_json"]:
                    print_json({"source": source, **text_check_json(done)})
                else:
                    print_text_check(done, source if len(sources) > 1 else "")
                code = max(code, 1 if failures(done, given["fail_on"]) else 0)
            _tell_judged(judge)
    return code


def _tell_judged(judge: ModelJudge | None) -> None:
    """Say what the judge cost, and how many of its opinions were dropped."""
    if judge is None:
        return
    click.echo(f"The judge cost ${judge.spent_usd:.5f}, as far as prices are known.", err=True)
    if judge.dropped:
        dropped = plural(judge.dropped, "opinion")
        why = "no words were named that stand on the page to the letter"
        click.echo(f"{dropped} dropped: {why}.", err=True)


async def _check(
    cited: CitedText, pages: Pages, judge: ModelJudge | None, given: Json
) -> TextCheck:
    from groundwire.service.saved_pages import save_page
    from groundwire.service.text_check import TextChecker

    def tell(read: PageProgress) -> None:
        outcome = "read" if read.page.success else "not read"
        click.echo(f"{outcome} {read.done} of {read.total}: {read.url}", err=True)
        if given["save"] is not None and read.page.success:
            save_page(given["save"], read.url, read.page)

    return await TextChecker(pages, judge=judge, tell=tell).check(cited)


async def _check_claim(source: str, given: Json) -> int:
    from groundwire.cli.check_output import print_check
    from groundwire.service.claim_check import check_page

    async with _opened() as (keys, search_context):
        page = await _page(source, search_context, given)
        if not page.success:
            raise click.ClickException(f"{source} could not be read: {page.error}")
        async with _judge(keys, search_context, given) as judge:
            check, opinion = await check_page(given["claim"], page, judge=judge)
            _tell_judged(judge)
    return print_check(check, opinion, as_json=given["as_json"], fail_on=given["fail_on"])


async def _check_pairs(given: Json) -> int:
    from groundwire.cli.line_input import lines_of
    from groundwire.service.pairs import PairChecker, check_pairs

    async with _opened() as (_, search_context):
        checker = PairChecker(_pages(search_context, given))
        errors = await check_pairs(lines_of(given["pairs"]), checker, print_json)
    return 1 if errors else 0


def _opened() -> AbstractAsyncContextManager[tuple[Keys, SearchContext]]:
    from groundwire.cli.search_context import opened

    return opened()


def _pages(search_context: SearchContext, given: Json) -> Pages:
    from groundwire.service.saved_pages import SavedPages
    from groundwire.service.text_check import WebPages

    if given["offline"] is not None:
        return SavedPages(given["offline"], search_context.extract)
    return WebPages(_chain(search_context, given))


def _chain(search_context: SearchContext, given: Json) -> ReadChain:
    from groundwire.search import ReadChain

    return ReadChain(search_context, names=[*given["providers"]] or None, reads_library=True)


def _judge(
    keys: Keys, search_context: SearchContext, given: Json
) -> AbstractAsyncContextManager[ModelJudge | None]:
    from contextlib import nullcontext

    if not given["judge"]:
        return nullcontext(None)
    from groundwire.service.judge import opened_judge

    return opened_judge(
        given["judge"], search_context.settings, keys, search_context.client, model=given["model"]
    )


async def _cited(source: str, search_context: SearchContext) -> CitedText:
    from groundwire.service.cited_input import cited_input

    if "://" in source:
        from groundwire.service.claim_check import fetch_source

        return cited_input(await fetch_source(source, search_context))
    return cited_input(_text_of(source))


def _text_of(source: str) -> str:
    """Return a file, or standard input; of a bundle, what its answers say."""
    if source == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input")
    path = Path(source)
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise click.ClickException(f"{path} is no file, and a URL begins with https://") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.ClickException(f"{path} could not be read: {reason}") from error
    return _bundled(path) if content.startswith(_ZIP) else _decoded(content, source)


def _bundled(path: Path) -> str:
    import json

    from groundwire.evidence.dossier import to_json
    from groundwire.evidence.verification import verified

    return json.dumps(to_json(verified(path)))


def _decoded(content: bytes, name: str) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if content.startswith(b"%PDF-") or b"\0" in content[:_LOOKED_AT]:
        raise click.ClickException(f"{name} is no text: give Markdown, HTML, JSON or a bundle")
    return content.decode("utf-8", "replace")


async def _page(source: str, search_context: SearchContext, given: Json) -> Page:
    """Return the page that a claim is compared with: a person named it, as for `read`."""
    from groundwire.cli.search import sent_by_file
    from groundwire.model import Page
    from groundwire.service.text_check import WebPages

    if source == "-":
        return Page(url="", content=_text_of(source))
    if "://" not in source:
        return await search_context.extract(sent_by_file(Path(source)))
    if given["offline"] is not None:
        return await _pages(search_context, given).read(source)
    return await WebPages(_chain(search_context, given), by_agent=False).read(source)
