"""Keys do not show."""

import copy
import pickle

import pytest

from groundwire.redaction import HIDDEN, Secret, redact, redact_bytes


def test_a_secret_shows_in_no_form() -> None:
    secret = Secret("hunter2-hunter2")

    shown = f"{secret} {secret!r} {secret!s} {[secret]}"

    assert "hunter2" not in shown
    assert secret.reveal() == "hunter2-hunter2"


def test_a_secret_is_written_nowhere() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(Secret("hunter2"))
    with pytest.raises(TypeError):
        copy.copy(Secret("hunter2"))


def test_secrets_compare_by_value_and_an_empty_one_is_false() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert not Secret("")
    assert len({Secret("a"), Secret("a")}) == 1


def test_a_given_key_is_hidden_wherever_it_stands() -> None:
    assert redact("x my-key y my-key", [Secret("my-key"), None]) == f"x {HIDDEN} y {HIDDEN}"


def test_a_key_too_short_to_be_one_hides_nothing() -> None:
    assert redact("a sandbox takes any key", [Secret("any")]) == "a sandbox takes any key"
    assert redact_bytes(b"any", Secret("any")) == b"any"
    assert redact_bytes(b"a five5 b", Secret("five5")) == b"a five5 b"
    assert redact_bytes(b"a sixsix b", Secret("sixsix")) == b"a [hidden] b"
    assert redact_bytes(b"a long-key b", Secret("long-key")) == b"a [hidden] b"


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcdefgh12345678",
        "key sk-ant-api03-AAAAAAAA-BBBBBBBB is wrong",
        "AIzaSyA1234567890abcdef",
        "tvly-dev-0123456789",
        "Authorization: Bearer abcdef0123456789",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "https://host/path?key=abcdef&alt=sse",
        "https://host/path?alt=sse&api_key=abcdef",
        "https://host/?access_token=abcdef",
        "http://user:password@proxy:8080/",
    ],
)
def test_what_looks_like_a_key_is_hidden_although_nobody_named_it(text: str) -> None:
    shown = redact(text)

    assert HIDDEN in shown
    assert not {"abcdef", "AAAAAAAA", "0123456789", "password", "c2lnbmF0dXJl"} & set(
        shown.replace("&", " ").replace("=", " ").replace("-", " ").replace(":", " ").split()
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/?q=monkey&page=2",
        "the key point is that a task-based approach works",
        "disk-usage, ask-me-anything and risk-averse are words",
        "see https://example.org/a@b",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text
