"""Addresses, and the verdict on a URL with all its redirects."""

from collections.abc import Callable, Sequence

import pytest

from groundwire.errors import UrlRefusedError
from groundwire.guard import (
    Verdict,
    address_problem,
    check_answers,
    check_network,
    is_loopback,
    judge,
    parse,
)

PAGE = parse("https://base.test/")


def names(answers: dict[str, list[str]]) -> Callable[[str], Sequence[str]]:
    """Return a resolver that knows these names only."""
    return lambda name: answers.get(name, [])


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("0.0.0.0", "the address 0.0.0.0 is unspecified (this machine)"),
        ("10.255.255.255", "the address 10.255.255.255 is private"),
        ("100.64.0.1", "the address 100.64.0.1 is inside a carrier's network"),
        ("127.0.0.1", "the address 127.0.0.1 is loopback"),
        ("168.63.129.16", "the address 168.63.129.16 is Azure's own (cloud metadata)"),
        ("169.254.169.254", "the address 169.254.169.254 is link-local (cloud metadata)"),
        ("172.31.255.255", "the address 172.31.255.255 is private"),
        ("192.0.0.192", "the address 192.0.0.192 is reserved for protocols (cloud metadata)"),
        ("192.0.2.1", "the address 192.0.2.1 is for documentation only"),
        ("192.88.99.1", "the address 192.88.99.1 is a 6to4 relay"),
        ("192.168.1.1", "the address 192.168.1.1 is private"),
        ("198.19.0.1", "the address 198.19.0.1 is for benchmarks only"),
        ("198.51.100.1", "the address 198.51.100.1 is for documentation only"),
        ("203.0.113.1", "the address 203.0.113.1 is for documentation only"),
        ("224.0.0.251", "the address 224.0.0.251 is multicast"),
        ("240.0.0.1", "the address 240.0.0.1 is reserved"),
        ("255.255.255.255", "the address 255.255.255.255 is broadcast"),
        ("::", "the address :: is unspecified (this machine)"),
        ("::1", "the address ::1 is loopback"),
        ("::7f00:1", "the address ::7f00:1 is an IPv4 address in disguise"),
        ("::ffff:0:7f00:1", "the address ::ffff:0:7f00:1 is an IPv4 address in disguise"),
        ("64:ff9b::a9fe:a9fe", "the address 64:ff9b::a9fe:a9fe is an IPv4 address behind NAT64"),
        ("64:ff9b:1::1", "the address 64:ff9b:1::1 is an IPv4 address behind NAT64"),
        ("64:ff9c::1", "the address 64:ff9c::1 is outside the public part of IPv6"),
        ("100::1", "the address 100::1 is outside the public part of IPv6"),
        ("2001::1", "the address 2001::1 is an IPv4 address behind Teredo"),
        ("2001:1ff::1", "the address 2001:1ff::1 is reserved for protocols"),
        ("2001:db8::1", "the address 2001:db8::1 is for documentation only"),
        ("2002:7f00:1::1", "the address 2002:7f00:1::1 is an IPv4 address behind 6to4"),
        (
            "2606:4700::5efe:a9fe:a9fe",
            "the address 2606:4700::5efe:a9fe:a9fe is an IPv4 address behind ISATAP",
        ),
        (
            "2606:4700::200:5efe:a9fe:a9fe",
            "the address 2606:4700::200:5efe:a9fe:a9fe is an IPv4 address behind ISATAP",
        ),
        ("3fff:fff::1", "the address 3fff:fff::1 is for documentation only"),
        ("5f00::1", "the address 5f00::1 is outside the public part of IPv6"),
        ("fd00:ec2::254", "the address fd00:ec2::254 is private"),
        ("fe80::1", "the address fe80::1 is link-local"),
        ("fe80::1%eth0", "the address fe80::1%eth0 has a zone, so it is local"),
        ("2606::1%1", "the address 2606::1%1 has a zone, so it is local"),
        ("fec0::1", "the address fec0::1 is site-local"),
        ("ff02::1", "the address ff02::1 is multicast"),
        ("", "'' is not an IP address"),
        ("example.org", "'example.org' is not an IP address"),
    ],
)
def test_an_address_that_is_not_public_says_why(address: str, why: str) -> None:
    assert address_problem(address) == why


def test_a_mapped_ipv4_address_is_refused_even_if_it_is_public() -> None:
    # Python 3.13 spells such an address differently, so only the end is compared.
    problem = address_problem("::ffff:93.184.215.14")

    assert problem is not None
    assert problem.endswith("is an IPv4 address in disguise")


@pytest.mark.parametrize(
    "address",
    [
        *("1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"),
        *("126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255"),
        *("169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0"),
        *("192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0"),
        *("198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255"),
        *("203.0.114.0", "223.255.255.255", "2000::", "2001:200::", "2001:db7:ffff::1"),
        *("2001:db9::", "2003::", "2606:4700::5eff:a9fe:a9fe", "3ffe::1", "3fff:1000::"),
    ],
)
def test_the_neighbours_of_refused_ranges_are_public(address: str) -> None:
    assert address_problem(address) is None


def test_a_name_with_only_public_addresses_passes() -> None:
    check_answers(PAGE, ["93.184.215.14", "2606:2800:220:1:248:1893:25c8:1946"])


@pytest.mark.parametrize("answers", [["10.0.0.5", "93.184.215.14"], ["93.184.215.14", "10.0.0.5"]])
def test_one_inner_address_spoils_all_the_others(answers: list[str]) -> None:
    with pytest.raises(UrlRefusedError) as refused:
        check_answers(PAGE, answers)

    assert refused.value.reason == "base.test leads inward: the address 10.0.0.5 is private"


def test_a_name_without_addresses_is_refused() -> None:
    with pytest.raises(UrlRefusedError) as refused:
        check_answers(PAGE, [])

    assert refused.value.reason == "base.test has no address"


def test_a_public_page_is_allowed() -> None:
    verdict = judge("http://A.test", resolve=names({"a.test": ["93.184.215.14"]}))

    assert verdict == Verdict(
        url="http://A.test", verdict="allow", reason="public address 93.184.215.14"
    )


def test_all_addresses_of_a_page_are_named() -> None:
    verdict = judge("http://a.test/", resolve=names({"a.test": ["93.184.215.14", "2606::1"]}))

    assert verdict.reason == "public addresses 93.184.215.14, 2606::1"


def test_an_address_is_not_looked_up() -> None:
    verdict = judge("http://93.184.215.14/", resolve=names({}))

    assert verdict.verdict == "allow"


def test_a_redirect_inward_is_blocked_and_named() -> None:
    verdict = judge(
        "http://a.test/",
        resolve=names({"a.test": ["93.184.215.14"]}),
        redirects=["/b", "http://127.0.0.1/"],
    )

    assert verdict == Verdict(
        url="http://a.test/",
        verdict="block",
        reason="it redirects to 'http://127.0.0.1/': the address 127.0.0.1 is loopback",
    )


def test_every_hop_is_looked_up_again() -> None:
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])

    verdict = judge("http://a.test/", resolve=lambda _: next(answers), redirects=["/b"])

    assert verdict.reason == (
        "it redirects to 'http://a.test/b': a.test leads inward: the address 127.0.0.1 is loopback"
    )


def test_five_redirects_are_followed_and_a_sixth_is_not() -> None:
    resolve = names({"a.test": ["93.184.215.14"]})

    five = judge("http://a.test/", resolve=resolve, redirects=["/b"] * 5)
    six = judge("http://a.test/", resolve=resolve, redirects=["/b"] * 6)

    assert five.verdict == "allow"
    assert six.reason == "too many redirects (more than 5)"


def test_a_loop_of_redirects_ends() -> None:
    resolve = names({"a.test": ["93.184.215.14"]})

    verdict = judge("http://a.test/", resolve=resolve, redirects=["/b", "/c"], loops=True)

    assert verdict.reason == "too many redirects (more than 5)"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_these_hosts_are_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])
def test_these_hosts_are_not_or_not_only(host: str) -> None:
    assert is_loopback(host) is False


@pytest.mark.parametrize("text", ["10.0.0.0/8", "10.1.2.3/8", "192.0.2.1", "2001:db8::/32", "::1"])
def test_an_address_or_a_network_is_taken_as_it_is_written(text: str) -> None:
    assert check_network(text) == text


@pytest.mark.parametrize("text", ["", "10.0.0.0/33", "10.0.0", "example.org"])
def test_what_is_neither_an_address_nor_a_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"an address or a network like 10\.0\.0\.0/8"):
        check_network(text)
