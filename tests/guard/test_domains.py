"""Domain lists: what an entry covers, and which entries are refused."""

import pytest

from groundwire.errors import DomainNotAllowedError, SettingsError
from groundwire.guard import ANYWHERE, DomainPolicy, domain_problem, parse
from groundwire.guard.domains import REDIRECT_HOST, name_problem


def test_a_policy_that_allows_nothing_permits_nothing() -> None:
    assert not DomainPolicy().permits("example.com")
    assert not DomainPolicy(blocked=("other.test",)).permits("example.com")


@pytest.mark.parametrize(
    ("entry", "host", "permitted"),
    [
        ("example.com", "example.com", True),
        ("example.com", "www.example.com", True),
        ("example.com", "a.b.example.com", True),
        ("example.com", "EXAMPLE.com.", True),
        ("example.com", "badexample.com", False),
        ("example.com", "example.com.evil.test", False),
        ("example.com", "com", False),
        ("example.com", ".example.com", False),
        ("example.com", "", False),
        ("*.example.com", "example.com", False),
        ("*.example.com", "www.example.com", True),
        ("*.example.com", "badexample.com", False),
        ("*", "anything.test", True),
        ("*", "93.184.215.14", True),
        ("*", "2606::1", True),
        ("example.com", "93.184.215.14", False),
        ("EXAMPLE.com", "example.com", True),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("*.bücher.example", "a.bücher.example", True),
        ("*", "☃ .test", False),
    ],
)
def test_an_entry_covers_hosts_at_label_borders(entry: str, host: str, permitted: bool) -> None:
    assert DomainPolicy(allowed=(entry,)).permits(host) is permitted


def test_a_blocked_entry_wins_over_an_allowed_one() -> None:
    policy = DomainPolicy(allowed=("*", "a.example.com"), blocked=("example.com", "*.other.test"))

    hosts = ["a.example.com", "example.com", "www.other.test", "other.test", "third.test"]

    assert [policy.permits(host) for host in hosts] == [False, False, False, True, True]


def test_entries_are_kept_in_lower_case_ascii() -> None:
    policy = DomainPolicy(allowed=("Help.SAP.com", "*.Bücher.example"), blocked=("*",))

    assert policy == DomainPolicy(
        allowed=("help.sap.com", "*.xn--bcher-kva.example"), blocked=("*",)
    )
    assert policy.allowed == ("help.sap.com", "*.xn--bcher-kva.example")


def test_a_policy_does_not_take_an_entry_that_would_match_nothing() -> None:
    with pytest.raises(SettingsError) as refused:
        DomainPolicy(allowed=("*",), blocked=("https://evil.test/",))

    assert refused.value.where == "blocked domains"
    assert refused.value.reason == "'https://evil.test/' has a scheme: write evil.test"


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (
            DomainPolicy(allowed=("help.sap.com",)),
            "example.org is not among the allowed domains (help.sap.com)",
        ),
        (
            DomainPolicy(allowed=tuple(f"{letter}.test" for letter in "abcdefg")),
            (
                "example.org is not among the allowed domains"
                " (a.test, b.test, c.test, d.test, e.test and 2 more)"
            ),
        ),
        (
            DomainPolicy(allowed=tuple(f"{letter}.test" for letter in "abcde")),
            (
                "example.org is not among the allowed domains"
                " (a.test, b.test, c.test, d.test, e.test)"
            ),
        ),
        (
            DomainPolicy(allowed=tuple(f"{letter}.test" for letter in "abcdef")),
            (
                "example.org is not among the allowed domains"
                " (a.test, b.test, c.test, d.test, e.test and 1 more)"
            ),
        ),
        (DomainPolicy(), "no domain is allowed: add example.org to the allowed domains"),
        (
            DomainPolicy(allowed=("*",), blocked=("example.org",)),
            "example.org is among the blocked domains (example.org)",
        ),
    ],
)
def test_the_objection_to_a_domain_says_what_to_change(policy: DomainPolicy, why: str) -> None:
    with pytest.raises(DomainNotAllowedError) as refused:
        policy.check(parse("http://example.org/a"))

    assert refused.value.url == "http://example.org/a"
    assert refused.value.host == "example.org"
    assert refused.value.reason == why


def test_anywhere_lets_every_public_url_pass() -> None:
    ANYWHERE.check(parse("http://example.org/"))
    ANYWHERE.check(parse("http://93.184.215.14/"))


def test_lists_are_told_in_words() -> None:
    policies = [
        DomainPolicy(),
        DomainPolicy(allowed=("a.test", "b.test")),
        DomainPolicy(allowed=("*",), blocked=("c.test",)),
    ]

    assert [policy.words for policy in policies] == [
        "nothing",
        "a.test, b.test",
        "everything but c.test",
    ]
    assert policies[1].reason == "only a.test, b.test is allowed in this workspace"


@pytest.mark.parametrize("url", ["ftp://example.org/", "javascript:0", "example.org", "http://["])
def test_what_is_no_page_of_the_web_is_no_source(url: str) -> None:
    assert not ANYWHERE.permits_source(url)
    assert ANYWHERE.permits_source("https://example.org/")


@pytest.mark.parametrize(
    "entry",
    [
        *("*", "example.com", "*.example.com", "EXAMPLE.com", "a-b.example"),
        *("xn--bcher-kva.example", "xn--e1afmkfd.xn--p1ai", "a.xn--99999999"),
        "a." * 125 + "abc",
        # Digits follow the fourth character, which only behind `xn--` would mean a number.
        "a.abcd1-h1f",
    ],
)
def test_a_proper_entry_has_no_problem(entry: str) -> None:
    assert domain_problem(entry) is None


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("", "'' is empty: write a domain such as example.com"),
        ("a.test b.test", "'a.test b.test' contains white space: write one domain per entry"),
        ("a.test\n", "'a.test\\n' contains white space: write one domain per entry"),
        ("https://a.test/b", "'https://a.test/b' has a scheme: write a.test"),
        ("a.test/b", "'a.test/b' has a path: write a.test"),
        ("a.test?b", "'a.test?b' has a path: write a.test"),
        ("a.test:443", "'a.test:443' has a port: write a.test"),
        ("93.184.215.14", "'93.184.215.14' is an IP address: only names can be listed"),
        ("[2606::1]", "'[2606::1]' is an IP address: only names can be listed"),
        ("2606::1", "'2606::1' is an IP address: only names can be listed"),
        ("*.184.215", "'*.184.215' ends in a number, as only addresses do"),
        ("a.xn--1-h1f", "'a.xn--1-h1f' ends in a number, as only addresses do"),
        ("bücher.example", "'bücher.example' is not ASCII: write xn--bcher-kva.example"),
        ("*.bücher.example", "'*.bücher.example' is not ASCII: write *.xn--bcher-kva.example"),
        ("☃.test", "'☃.test' is not ASCII and not a valid name"),
        ("a.*.test", "'a.*.test' has a * elsewhere than in front: write *.example.com"),
        ("*a.test", "'*a.test' has a * elsewhere than in front: write *.example.com"),
        ("*.*.test", "'*.*.test' has a * elsewhere than in front: write *.example.com"),
        ("a..test", "'a..test' is not a domain: there is nothing between two dots"),
        ("*.", "'*.' is not a domain: there is nothing between two dots"),
        (
            "a@b.test",
            (
                "'a@b.test' is not a domain:"
                " 'a@b' has other characters than letters, digits and hyphens"
            ),
        ),
        (
            f"{'a' * 64}.test",
            (
                f"'{'a' * 64}.test' is not a domain:"
                " the part aaaaaaaaaaaa… is longer than 63 characters"
            ),
        ),
        (
            f"{'a' * 62}@.test",
            (
                f"'{'a' * 62}@.test' is not a domain:"
                f" '{'a' * 62}@' has other characters than letters, digits and hyphens"
            ),
        ),
        ("-a.test", "'-a.test' has the part '-a', which begins or ends with a hyphen"),
        ("a-.test", "'a-.test' has the part 'a-', which begins or ends with a hyphen"),
        ("a." * 126 + "test", f"'{'a.' * 126}test' is longer than 253 characters"),
        ("test", "'test' is a single word: write a whole domain such as example.com"),
        ("*.test", "'*.test' is a single word: write a whole domain such as example.com"),
    ],
)
def test_a_wrong_entry_is_named_with_its_remedy(entry: str, why: str) -> None:
    assert domain_problem(entry) == why


@pytest.mark.parametrize(
    ("ours", "wish", "both"),
    [
        (("*",), ("a.org",), ("a.org",)),
        (("a.org",), ("*",), ("a.org",)),
        (("*",), ("*",), ("*",)),
        (("a.org",), ("en.a.org",), ("en.a.org",)),
        (("en.a.org",), ("a.org",), ("en.a.org",)),
        (("*.a.org",), ("a.org",), ("*.a.org",)),
        (("a.org",), ("*.a.org",), ("*.a.org",)),
        (("*.a.org",), ("en.a.org",), ("en.a.org",)),
        (("a.org",), ("b.org",), ()),
        (("a.org", "b.org"), ("b.org", "c.org"), ("b.org",)),
        ((), ("*",), ()),
    ],
)
def test_two_lists_permit_only_what_both_do(
    ours: tuple[str, ...], wish: tuple[str, ...], both: tuple[str, ...]
) -> None:
    narrowed = DomainPolicy(allowed=ours).narrowed(DomainPolicy(allowed=wish))

    assert narrowed.allowed == both


@pytest.mark.parametrize(
    ("ours", "wish", "allowed", "blocked"),
    [
        ((("*",), ("b.org",)), (("*",), ()), ("*",), ("b.org",)),
        ((("*",), ()), (("*",), ("b.org",)), ("*",), ("b.org",)),
        ((("a.org", "b.org"), ("b.org",)), (("*",), ()), ("a.org",), ("b.org",)),
        ((("a.org",), ("x.a.org",)), (("a.org",), ("x.a.org", "y.a.org")), ("a.org",), None),
        ((("a.org",), ()), (("*",), ("*.a.org",)), ("a.org",), ("*.a.org",)),
        ((("*.a.org",), ()), (("*",), ("a.org",)), (), ("a.org",)),
    ],
)
def test_what_either_list_blocks_is_blocked(
    ours: tuple[tuple[str, ...], tuple[str, ...]],
    wish: tuple[tuple[str, ...], tuple[str, ...]],
    allowed: tuple[str, ...],
    blocked: tuple[str, ...] | None,
) -> None:
    both = DomainPolicy(allowed=ours[0], blocked=ours[1]).narrowed(
        DomainPolicy(allowed=wish[0], blocked=wish[1])
    )

    assert both.allowed == allowed
    assert both.blocked == (("x.a.org", "y.a.org") if blocked is None else blocked)


def test_only_a_policy_that_allows_all_and_blocks_nothing_is_open() -> None:
    policies = [
        ANYWHERE,
        DomainPolicy(allowed=("a.org", "*")),
        DomainPolicy(allowed=("*",), blocked=("a.org",)),
        DomainPolicy(allowed=("a.org",)),
        DomainPolicy(blocked=("a.org",)),
        DomainPolicy(),
    ]

    assert [each.is_open for each in policies] == [True, True, False, False, False, False]
    assert ANYWHERE.narrowed(ANYWHERE) == ANYWHERE


REDIRECT = f"https://{REDIRECT_HOST}/grounding-api-redirect/abc"


@pytest.mark.parametrize(
    ("policy", "url", "domain", "permitted"),
    [
        (ANYWHERE, REDIRECT, "", True),
        (ANYWHERE, REDIRECT, "a.org", True),
        (DomainPolicy(allowed=("a.org",)), REDIRECT, "a.org", True),
        (DomainPolicy(allowed=("a.org",)), REDIRECT, "b.org", False),
        (DomainPolicy(allowed=("a.org",)), REDIRECT, "", False),
        (DomainPolicy(allowed=("*",), blocked=("b.org",)), REDIRECT, "b.org", False),
        (DomainPolicy(allowed=("*",), blocked=("b.org",)), REDIRECT, "a.org", True),
        (DomainPolicy(allowed=("a.org",)), "https://a.org/", "b.org", True),
        (DomainPolicy(allowed=("a.org",)), "https://b.org/", "a.org", False),
        (DomainPolicy(allowed=("a.org",)), "https:///no-host", "a.org", False),
    ],
)
def test_a_source_is_judged_by_where_googles_redirect_leads(
    policy: DomainPolicy, url: str, domain: str, *, permitted: bool
) -> None:
    assert policy.permits_source(url, domain) is permitted


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("example.org", None),
        ("a_b.example-1.org", None),
        ("a." * 125 + "abc", None),
        ("a." * 126 + "ab", "the host is longer than 253 characters"),
        ("a." * 125 + "abcd", "the host is longer than 253 characters"),
        (f"{'a' * 63}.org", None),
        (
            f"{'a' * 64}.org",
            (
                f"'{'a' * 64}.org' is not a host name:"
                " the part aaaaaaaaaaaa… is longer than 63 characters"
            ),
        ),
        ("a..org", "'a..org' is not a host name: there is nothing between two dots"),
        (
            "a b.org",
            (
                "'a b.org' is not a host name:"
                " 'a b' has other characters than letters, digits and hyphens"
            ),
        ),
        ("localhost", "localhost is a name that is not on the public web"),
        ("home.arpa", "home.arpa is a name that is not on the public web"),
        ("a.localhost", "a.localhost ends in .localhost, which is not on the public web"),
        ("home.arpa.org", None),
        ("x.y.home.arpa", "x.y.home.arpa ends in .home.arpa, which is not on the public web"),
        ("local.org", None),
        ("router", "router is a name without a dot, which only an inner network knows"),
    ],
)
def test_a_name_that_is_no_public_host_is_told_why(name: str, why: str | None) -> None:
    assert name_problem(name) == why
