"""The address guard against other people's parsers, on URLs that nobody would write."""

import random
from collections.abc import Iterator
from urllib.parse import urlsplit

import ada_url
import pytest
import yarl
from hypothesis import example, given
from hypothesis import strategies as st

from groundwire.errors import UrlRefusedError
from groundwire.guard import WebUrl, follow, parse
from tests.fuzz_budget import budget, seed

SCHEMES = ("http://", "https://", "HTTP://", "hTTps://", "http:", "https:/", "//", "ftp://", "")
HOSTS = (
    "public.test",
    "PUBLIC.Example.ORG",
    "public.test.",
    "a_b.public.test",
    "xn--bcher-kva.example",
    "bücher.example",
    "faß.example",
    "日本語。example",
    "１.example",
    "93.184.215.14",
    "0x5d.184.215.14",
    "127.0.0.1",
    "2130706433",
    "[2606:2800:220:1:248:1893:25c8:1946]",
    "[2606:2800:0220::1946]",
    "[::1]",
    "[2606::93.184.215.14]",
    "localhost",
)
PORTS = ("", "", "", ":", ":80", ":443", ":8080", ":8443", ":22", ":080", ":８０")
TAILS = (
    "",
    "/",
    "/a/b/../c?q=1&r=%20#top",
    "?q=http://127.0.0.1/",
    "#@127.0.0.1/",
    "/päth/%zz?q=…",
    "//other.test/",
    "/@other.test",
    "/a[1]|{b}",
)
PIECES: tuple[str, ...] = (
    *"/:@?#[]%.-_&;,=+~!*'()|^`{}<>\"\\ \t\n\r\0",
    *"aZ09xſKİßıς\u00ad\u200b\u200d\u2024\u3002\uff0e\uff61\uff03\uff0f\uff1a\uff20\u2100\u2488",
    *"①¹٠๑𝟏é\u0301\u0338\u202e\ufeff\x7f\x85\u00a0\u2028🦦",
    "//",
    "@",
    ":80",
    ":80@",
    "..",
    "%2e",
    "%2F",
    "%00",
    "%40",
    "xn--",
    "0x",
    ".test",
    "@127.0.0.1",
    "127.0.0.1",
    "[::1]",
    "http://",
    "public.test",
    "\\@",
    "/../",
)


def mutated_urls(count: int, *, seed: int) -> Iterator[str]:
    """Yield URLs put together from the lists above, most of them damaged in a few places."""
    chance = random.Random(seed)
    for _ in range(count):
        url = "".join(chance.choice(part) for part in (SCHEMES, HOSTS, PORTS, TAILS))
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3))):
            url = damaged(url, chance)
        yield url


def damaged(url: str, chance: random.Random) -> str:
    at = chance.randint(0, len(url))
    until = min(len(url), at + chance.randint(1, 3))
    match chance.randrange(6):
        case 0:
            return url[:at] + url[until:]
        case 1:
            return url[:at] + url[at:until] * 2 + url[until:]
        case 2:
            return url[:at] + url[at:until].swapcase() + url[until:]
        case 3:
            return url[:at] + chance.choice(PIECES) + url[until:]
        case _:
            return url[:at] + chance.choice(PIECES) + url[at:]


def without_idle_mark(url: str) -> str:
    """Return the URL without a question mark that nothing follows, as yarl sends it."""
    before, mark, query = url.partition("?")
    return before + mark + query if query else before


def parsed_or_none(url: str) -> WebUrl | None:
    try:
        return parse(url)
    except UrlRefusedError:
        return None


def target_or_none(base: WebUrl, location: str) -> WebUrl | None:
    try:
        return follow(base, location)
    except UrlRefusedError:
        return None


Place = tuple[str, str, int | None]


def our_place(url: WebUrl) -> Place:
    return url.scheme, url.host, url.port


def ada_place(url: str, base: str | None = None) -> Place | None:
    """Return scheme, host and port as browsers see them, None if they refuse the URL."""
    try:
        seen = ada_url.URL(url, base=base)
    except ValueError:
        return None
    scheme = seen.protocol.removesuffix(":")
    port = int(seen.port) if seen.port else {"http": 80, "https": 443}.get(scheme)
    return scheme, seen.hostname.strip("[]").removesuffix("."), port


def other_places(url: str) -> set[Place | None]:
    """Return what each of the other parsers makes of a rebuilt URL."""
    split = urlsplit(url)
    whole, encoded = yarl.URL(url), yarl.URL(url, encoded=True)
    return {
        ada_place(url),
        (split.scheme, split.hostname or "", split.port or (443, 80)[split.scheme == "http"]),
        (whole.scheme, whole.raw_host or "", whole.port),
        (encoded.scheme, encoded.raw_host or "", encoded.port),
    }


def is_misread(url: str, parsed: WebUrl) -> bool:
    """Tell whether a browser reads the original, or anyone the rebuilt URL, in another way."""
    return ada_place(url) not in (our_place(parsed), None) or other_places(str(parsed)) != {
        our_place(parsed)
    }


@pytest.mark.fuzz
def test_all_parsers_agree_on_where_an_accepted_url_leads() -> None:
    urls = mutated_urls(budget(20_000), seed=seed(20261115))
    accepted = [(url, parsed) for url in urls if (parsed := parsed_or_none(url))]

    assert [url for url, parsed in accepted if is_misread(url, parsed)] == []
    assert len(accepted) > 1_000


@pytest.mark.fuzz
def test_all_parsers_agree_on_where_a_redirect_leads() -> None:
    base = parse("https://base.test:8443/a/b?c")
    # Cut somewhere in the scheme or the slashes, they are references of every kind.
    locations = (url[at % 9 :] for at, url in enumerate(mutated_urls(budget(20_000), seed=seed(7))))
    targets = [(where, found) for where in locations if (found := target_or_none(base, where))]
    misread = [
        where
        for where, found in targets
        if ada_place(where, str(base)) not in (our_place(found), None)
        or other_places(str(found)) != {our_place(found)}
    ]

    assert misread == []
    assert len(targets) > 1_000


@pytest.mark.fuzz
def test_the_bytes_of_an_accepted_url_reach_the_wire_unchanged() -> None:
    urls = mutated_urls(budget(20_000), seed=seed(3))
    rebuilt = [str(parsed) for url in urls if (parsed := parsed_or_none(url))]

    assert [
        url for url in rebuilt if str(yarl.URL(url, encoded=True)) != without_idle_mark(url)
    ] == []


@given(st.text() | st.text().map(lambda text: f"http://{text}"))
@example("http://public.test/\ud800")
@example("http://\ud800.test/")
def test_arbitrary_text_is_parsed_or_refused(text: str) -> None:
    parsed = parsed_or_none(text)

    assert parsed is None or parse(str(parsed)) == parsed


@given(st.integers())
def test_a_rebuilt_url_parses_to_itself(seed: int) -> None:
    found = [parsed for url in mutated_urls(20, seed=seed) if (parsed := parsed_or_none(url))]

    assert [parse(str(parsed)) for parsed in found] == found


@given(st.text())
def test_an_arbitrary_redirect_is_followed_or_refused(location: str) -> None:
    target = target_or_none(parse("http://base.test/a/b?c"), location)

    assert target is None or parse(str(target)) == target


@given(st.text(alphabet="/.?#ab%:\\é", min_size=1))
def test_a_reference_without_authority_never_changes_the_host(reference: str) -> None:
    target = target_or_none(parse("http://base.test/a/b?c"), reference)

    assert target is None or reference.startswith("//") or target.host == "base.test"
