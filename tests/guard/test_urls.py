"""URLs and redirects, rule by rule."""

import pytest

from groundwire.errors import UrlRefusedError
from groundwire.guard import ANY_PORT, WebUrl, follow, parse

BASE = parse("https://base.test:8443/a/b?c=d")


def reason(url: str) -> str:
    """Return why a URL is refused."""
    with pytest.raises(UrlRefusedError) as refused:
        parse(url)
    return refused.value.reason


def test_a_url_is_taken_apart_and_rebuilt() -> None:
    url = parse("HTTPS://Example.ORG:8443/a?b=c#d")

    assert url == WebUrl(scheme="https", host="example.org", port=8443, path_and_query="/a?b=c")
    assert str(url) == "https://example.org:8443/a?b=c"


@pytest.mark.parametrize(
    ("written", "rebuilt"),
    [
        ("http://example.org", "http://example.org/"),
        ("http://example.org.", "http://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://example.org:/", "https://example.org/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org?q", "http://example.org/?q"),
        ("http://example.org#top", "http://example.org/"),
        ("http://a_b.example.org/", "http://a_b.example.org/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://日本語。example/", "http://xn--wgv71a119e.example/"),
        ("http://[2606:2800:0220:0001::0]/", "http://[2606:2800:220:1::]/"),
        ("http://93.184.215.14/", "http://93.184.215.14/"),
    ],
)
def test_every_spelling_of_a_place_is_rebuilt_alike(written: str, rebuilt: str) -> None:
    assert str(parse(written)) == rebuilt


@pytest.mark.parametrize(
    ("written", "encoded"),
    [
        ("/a%20b/%e2%80%a6", "/a%20b/%e2%80%a6"),
        ("/%0d%0aX-Injected:%201", "/%0d%0aX-Injected:%201"),
        ("/ü?q=…", "/%C3%BC?q=%E2%80%A6"),
        ("/100%", "/100%25"),
        ("/%zz", "/%25zz"),
        ('/"<>^`{|}[]', "/%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
        ("/-._~!$&'()*+,;=:@?/?", "/-._~!$&'()*+,;=:@?/?"),
        ("//a/../b", "//a/../b"),
    ],
)
def test_a_path_is_encoded_where_it_must_be_and_nowhere_else(written: str, encoded: str) -> None:
    url = parse(f"http://example.org{written}")

    assert url.path_and_query == encoded


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "it does not begin with http:// or https://"),
        ("example.org", "it does not begin with http:// or https://"),
        ("//example.org/", "it does not begin with http:// or https://"),
        ("httpſ://example.org/", "it does not begin with http:// or https://"),
        ("file:///etc/passwd", "only http and https pages are opened, not file"),
        ("view-source:http://a.test/", "only http and https pages are opened, not view-source"),
        ("http:example.org", "two slashes must follow http:"),
        ("https:/example.org", "two slashes must follow https:"),
    ],
)
def test_only_http_and_https_are_opened(url: str, why: str) -> None:
    assert reason(url) == why


@pytest.mark.parametrize(
    ("url", "why"),
    [
        (" http://example.org/", "it contains a space"),
        ("http://example.org/a b", "it contains a space"),
        ("http://example.org/#a b", "it contains a space"),
        ("http://example.org\\@other.test/", "it contains a backslash"),
        ("http://exam\tple.org/", "it contains the control character U+0009"),
        ("http://example.org/\r\nHost: a", "it contains the control character U+000D"),
        ("http://example.org/\x00", "it contains the control character U+0000"),
        ("http://example.org/\x7f", "it contains the control character U+007F"),
        ("http://example.org/\x85", "it contains the control character U+0085"),
        ("http://example.org/\udc00", "it contains half a character (a lone surrogate)"),
    ],
)
def test_characters_that_parsers_read_differently_are_refused(url: str, why: str) -> None:
    assert reason(url) == why


@pytest.mark.parametrize("userinfo", ["user@", "user:password@", "@", ":@", "other.test:80@"])
def test_a_user_name_in_a_url_is_refused(userinfo: str) -> None:
    assert reason(f"http://{userinfo}example.org/") == "it carries a user name or password"


def test_an_at_sign_behind_the_host_is_only_text() -> None:
    url = parse("http://example.org/@user?mail=a@b.test#@127.0.0.1")

    assert str(url) == "http://example.org/@user?mail=a@b.test"


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("", "it names no host"),
        ("ex%61mple.org", "its host contains a percent sign"),
        ("a..test", "'a..test' is not a host name: there is nothing between two dots"),
        ("example.org..", "'example.org.' is not a host name: there is nothing between two dots"),
        (
            "a,b.test",
            (
                "'a,b.test' is not a host name:"
                " 'a,b' has other characters than letters, digits and hyphens"
            ),
        ),
        (
            f"{'a' * 64}.test",
            (
                f"'{'a' * 64}.test' is not a host name:"
                " the part aaaaaaaaaaaa… is longer than 63 characters"
            ),
        ),
        ("a." * 126 + "test", "the host is longer than 253 characters"),
        ("☃.test", "'☃.test' is not a valid international host name"),
        ("a／b.test", "'a／b.test' is not a valid international host name"),
        ("redis", "redis is a name without a dot, which only an inner network knows"),
        ("localhost", "localhost is a name that is not on the public web"),
        ("loc\u00adalhost", "localhost is a name that is not on the public web"),
        ("LOCALHOST.", "localhost is a name that is not on the public web"),
        ("a.localhost", "a.localhost ends in .localhost, which is not on the public web"),
        ("nas.home.arpa", "nas.home.arpa ends in .home.arpa, which is not on the public web"),
    ],
)
def test_a_host_that_is_no_public_name_is_refused(host: str, why: str) -> None:
    assert reason(f"http://{host}/") == why


@pytest.mark.parametrize(
    "ending",
    [
        *("alt", "corp", "home", "internal", "intranet", "invalid", "lan", "local"),
        *("localdomain", "localhost", "onion", "private", "svc"),
    ],
)
def test_names_of_inner_networks_are_refused(ending: str) -> None:
    assert reason(f"http://a.b.{ending}/").endswith("is not on the public web")


@pytest.mark.parametrize(
    "host", ["a.test", "a.example", "local.test", "homes.example", "arpa.test"]
)
def test_names_that_only_look_special_are_accepted(host: str) -> None:
    assert parse(f"http://{host}/").host == host


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "93.184.215", "093.184.215.14"),
        *("93.184.215.14.", "93.184.215.256", "1.2.3.4.5", "a.1", "a.0x", "0x5d.184.215.14"),
        *("９３.184.215.14", "93。184。215。14", "๙๓.๑๘๔.๒๑๕.๑๔", "xn--c5c.xn--b5c"),
    ],
)
def test_an_ipv4_address_counts_only_in_its_plain_form(host: str) -> None:
    assert (
        reason(f"http://{host}/")
        == f"{host!r} is not an IPv4 address in its plain form, like 93.184.215.14"
    )


@pytest.mark.parametrize(
    "host",
    ["[]", "[::1", "[[::1]]", "[v1.a]", "[2606::1]a", "[2606:::1]", "[1.2.3.4]", "[２606::1]"],
)
def test_brackets_hold_an_ipv6_address_or_nothing_is_opened(host: str) -> None:
    assert reason(f"http://{host}/") == "its host is not an IPv6 address in brackets"


def test_an_ipv6_zone_is_refused() -> None:
    assert reason("http://[fe80::1%25eth0]/") == "its host contains a percent sign"


def test_an_address_in_a_url_is_checked_at_once() -> None:
    assert reason("http://127.0.0.1/") == "the address 127.0.0.1 is loopback"
    assert reason("http://[::1]/") == "the address ::1 is loopback"


@pytest.mark.parametrize(
    ("port", "why"),
    [
        ("22", "port 22 is not a web port (80, 443, 8080 or 8443)"),
        ("65536", "port 65536 is not a web port (80, 443, 8080 or 8443)"),
        ("0", "'0' is not a port number"),
        ("080", "'080' is not a port number"),
        ("+80", "'+80' is not a port number"),
        ("80a", "'80a' is not a port number"),
        ("８０", "'８０' is not a port number"),
        ("80:80", "'80:80' is not a port number"),
        ("999999", "'999999' is not a port number"),
    ],
)
def test_only_web_ports_are_opened(port: str, why: str) -> None:
    assert reason(f"http://example.org:{port}/") == why


def test_the_caller_may_name_other_ports() -> None:
    assert parse("http://example.org:3000/", ports={3000}).port == 3000

    with pytest.raises(UrlRefusedError, match=r"port 80 is not a web port \(3000\)"):
        parse("http://example.org/", ports={3000})


def test_a_host_has_at_most_253_characters() -> None:
    longest = "a." * 125 + "abc"

    assert parse(f"http://{longest}/").host == longest
    assert reason(f"http://{longest}d/") == "the host is longer than 253 characters"


def test_a_url_has_at_most_2048_characters() -> None:
    longest = "http://example.org/".ljust(2048, "a")

    assert str(parse(longest)) == longest
    assert reason(longest + "a") == "it is longer than 2,048 characters"


def test_the_limit_of_length_also_holds_after_encoding() -> None:
    assert reason("http://example.org/" + "ü" * 1000) == "it is longer than 2,048 characters"


def test_the_limit_of_length_counts_what_is_not_sent() -> None:
    assert reason("http://example.org/#".ljust(2049, "a")) == "it is longer than 2,048 characters"


def test_the_error_shows_the_whole_of_a_url_that_is_not_too_long() -> None:
    longest = "http://example.org/ ".ljust(2048, "a")

    with pytest.raises(UrlRefusedError) as refused:
        parse(longest)

    assert refused.value.url == longest


def test_the_error_shows_only_the_beginning_of_an_endless_url() -> None:
    with pytest.raises(UrlRefusedError) as refused:
        parse("http://example.org/" + "a" * 100_000)

    assert refused.value.url == "http://example.org/".ljust(80, "a") + "…"


def test_a_host_knows_whether_it_is_an_address() -> None:
    urls = ["http://93.184.215.14/", "http://[2606::1]/", "http://93.184.215.14.test/"]

    assert [parse(url).is_address for url in urls] == [True, True, False]


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("http://other.test/x#y", "http://other.test/x"),
        ("//other.test/x", "https://other.test/x"),
        ("/x", "https://base.test:8443/x"),
        ("x", "https://base.test:8443/a/x"),
        ("./x?y", "https://base.test:8443/a/x?y"),
        ("../x", "https://base.test:8443/x"),
        ("../../../x", "https://base.test:8443/x"),
        ("/x/./y/../z", "https://base.test:8443/x/z"),
        ("/x/..", "https://base.test:8443/"),
        (".", "https://base.test:8443/a/"),
        ("?q=/../x", "https://base.test:8443/a/b?q=/../x"),
        ("?", "https://base.test:8443/a/b?"),
        ("#top", "https://base.test:8443/a/b?c=d"),
        ("", "https://base.test:8443/a/b?c=d"),
        ("/ü", "https://base.test:8443/%C3%BC"),
        ("/..//other.test/", "https://base.test:8443//other.test/"),
        ("/@other.test", "https://base.test:8443/@other.test"),
        ("@other.test", "https://base.test:8443/a/@other.test"),
        (".other.test", "https://base.test:8443/a/.other.test"),
    ],
)
def test_a_redirect_is_resolved_against_its_base(location: str, target: str) -> None:
    assert str(follow(BASE, location)) == target


@pytest.mark.parametrize(
    ("location", "why"),
    [
        (" http://other.test/", "it contains a space"),
        ("/x\r\nSet-Cookie: a", "it contains the control character U+000D"),
        ("\n//other.test/", "it contains the control character U+000A"),
        ("/\\other.test/", "it contains a backslash"),
        ("///other.test/", "it names no host"),
        ("http:other.test", "two slashes must follow http:"),
        ("javascript:alert(1)", "only http and https pages are opened, not javascript"),
        ("http://127.0.0.1/", "the address 127.0.0.1 is loopback"),
        ("//user@other.test/", "it carries a user name or password"),
        ("//other.test:22/", "port 22 is not a web port (80, 443, 8080 or 8443)"),
        ("/".ljust(2040, "a"), "it is longer than 2,048 characters"),
    ],
)
def test_a_redirect_is_checked_as_strictly_as_any_url(location: str, why: str) -> None:
    with pytest.raises(UrlRefusedError) as refused:
        follow(BASE, location)

    assert refused.value.reason == why


def test_any_port_is_every_port_that_there_is_and_no_other() -> None:
    assert [parse(f"http://a.test:{port}/", ports=ANY_PORT).port for port in (1, 65_535)] == [
        1,
        65_535,
    ]
    for port in (0, 65_536):
        with pytest.raises(UrlRefusedError):
            parse(f"http://a.test:{port}/", ports=ANY_PORT)
    assert (min(ANY_PORT), max(ANY_PORT), len(ANY_PORT)) == (1, 65_535, 65_535)
