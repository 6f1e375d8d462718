"""What the HTTP library raises becomes an error of ours that says what went wrong."""

from __future__ import annotations

import errno
import ssl
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from yarl import URL

from groundwire.client.failures import translate, translated
from groundwire.errors import ConnectError, GroundwireError, TimedOutError, TruncatedError

KEY = ConnectionKey("a.org", 443, True, True, None, None, None)
REFUSED = OSError(errno.ECONNREFUSED, "Connection refused")
REQUEST: Any = SimpleNamespace(real_url=URL("https://a.org/?key=secret"))
UNVERIFIED = ssl.SSLCertVerificationError()
UNVERIFIED.verify_message = "certificate has expired"

REASONS: list[tuple[Exception, str]] = [
    (aiohttp.ClientConnectorDNSError(KEY, REFUSED), "the name does not resolve"),
    (aiohttp.ClientConnectorSSLError(KEY, REFUSED), "the TLS handshake failed"),
    (aiohttp.ServerDisconnectedError(), "the server closed the connection"),
    (aiohttp.ClientPayloadError("x"), "the connection ended in the middle of the reply"),
    (aiohttp.ClientHttpProxyError(REQUEST, ()), "the proxy refused"),
    (aiohttp.ClientResponseError(REQUEST, ()), "the reply is not valid HTTP"),
    (aiohttp.InvalidURL("x"), "the address is not a valid URL"),
    (
        aiohttp.ClientConnectorCertificateError(KEY, UNVERIFIED),
        "its certificate is not valid: certificate has expired",
    ),
    (
        aiohttp.ClientConnectorCertificateError(KEY, ssl.CertificateError()),
        "its certificate is not valid: it does not verify",
    ),
    (aiohttp.ClientConnectorError(KEY, REFUSED), "connection refused"),
    (OSError("secret"), "OSError"),
    (ValueError("secret"), "ValueError"),
]


@pytest.mark.parametrize(("error", "reason"), REASONS, ids=lambda each: str(each)[:40])
def test_a_failure_says_why_and_nothing_of_the_request(error: Exception, reason: str) -> None:
    connecting = translate(error, "a.org", connect_seconds=5)
    reading = translate(error, "a.org")

    assert (type(connecting), type(reading)) == (ConnectError, TruncatedError)
    assert str(connecting).startswith(f"no connection to a.org: {reason}")
    assert f"the reply of a.org is incomplete: {reason}" in str(reading)
    assert "secret" not in f"{connecting!r} {reading!r}"


def test_a_connection_that_takes_too_long_says_how_long() -> None:
    failure = translate(aiohttp.ConnectionTimeoutError(), "a.org", connect_seconds=5)

    assert isinstance(failure, TimedOutError)
    assert (failure.phase, failure.seconds) == ("connect", 5)


@pytest.mark.parametrize(("seconds", "kind"), [(0, TruncatedError), (5, ConnectError)])
async def test_what_is_awaited_fails_with_our_error_alone(
    seconds: float, kind: type[GroundwireError]
) -> None:
    async def fails() -> None:
        raise REFUSED

    async def works() -> str:
        return "found"

    with pytest.raises(kind) as caught:
        await translated(fails(), "a.org", connect_seconds=seconds)

    assert caught.value.__context__ is None
    assert await translated(works(), "a.org") == "found"
