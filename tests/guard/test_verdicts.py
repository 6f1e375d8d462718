"""Where a URL leads, hop by hop, and in which words that is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundwire.errors import UrlRefusedError
from groundwire.guard import check_answers, judge, parse

ONE, OTHER = "93.184.215.14", "140.82.114.4"
DNS = {"one.test": [ONE], "two.test": [ONE, OTHER], "inside.test": [ONE, "10.0.0.1"]}


def resolve(host: str) -> Sequence[str]:
    return DNS.get(host, [])


@pytest.mark.parametrize(
    ("url", "redirects", "verdict", "reason"),
    [
        ("http://one.test/", (), "allow", f"public address {ONE}"),
        ("http://two.test/", (), "allow", f"public addresses {ONE}, {OTHER}"),
        (f"http://{OTHER}/", (), "allow", f"public address {OTHER}"),
        ("http://one.test/", ("//two.test/", "/b"), "allow", f"public addresses {ONE}, {OTHER}"),
        ("http://one.test/", (f"http://{OTHER}/",), "allow", f"public address {OTHER}"),
        ("http://one.test/", ("/a",) * 5, "allow", f"public address {ONE}"),
        ("http://one.test/", ("/a",) * 6, "block", "too many redirects (more than 5)"),
        ("http://none.test/", (), "block", "none.test has no address"),
        (
            "http://inside.test/",
            (),
            "block",
            "inside.test leads inward: the address 10.0.0.1 is private",
        ),
        (
            "http://one.test/",
            ("http://inside.test/",),
            "block",
            (
                "it redirects to 'http://inside.test/':"
                " inside.test leads inward: the address 10.0.0.1 is private"
            ),
        ),
        (
            "http://one.test/",
            ("http://none.test/", "http://one.test/"),
            "block",
            "it redirects to 'http://none.test/': none.test has no address",
        ),
    ],
)
def test_a_url_is_judged_by_every_hop(
    url: str, redirects: tuple[str, ...], verdict: str, reason: str
) -> None:
    found = judge(url, resolve=resolve, redirects=redirects)

    assert (found.url, found.verdict) == (url, verdict)
    assert found.reason == reason


def test_redirects_that_come_again_for_ever_are_refused() -> None:
    found = judge("http://one.test/", resolve=resolve, redirects=("/a", "/b"), loops=True)

    assert (found.verdict, found.reason) == ("block", "too many redirects (more than 5)")


@pytest.mark.parametrize("addresses", [[], ["10.0.0.1"], [ONE, "127.0.0.1"], ["::1", ONE]])
def test_one_address_that_is_not_public_spoils_the_others(addresses: list[str]) -> None:
    url = parse("http://a.test/")

    check_answers(url, [ONE, OTHER])
    with pytest.raises(UrlRefusedError) as caught:
        check_answers(url, addresses)

    assert caught.value.url == "http://a.test/"
