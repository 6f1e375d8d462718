"""An OpenID Connect provider: its discovery document, its keys, and what a code becomes."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlsplit

from authlib.common.urls import add_params_to_uri
from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.discovery import get_well_known_url

from groundwire.client import Client
from groundwire.errors import BadReplyError, GroundwireError, ServiceError
from groundwire.guard import is_loopback
from groundwire.model import Secret
from groundwire.redaction import redact
from groundwire.web.sso.id_token import checked_claims
from groundwire.web.sso.refusal import SignInRefusedError
from groundwire.wire.contract import Access, Endpoint, HttpReply, HttpRequest, Provider

if TYPE_CHECKING:
    from groundwire.config.settings import NetworkSettings, SsoSettings
    from groundwire.model import Json
    from groundwire.web.sso.attempt import SignInAttempt

DISCOVERY_SECONDS = 300.0
_MAX_BYTES = 1_000_000
_SECONDS = 15.0
_NAME = "single sign-on"
_LOG = logging.getLogger(__name__)


class _Service(Provider):
    """Lets people sign in."""

    title = "OpenID Connect"
    base_url = ""

    def error_from(self, reply: HttpReply) -> ServiceError | None:
        if reply.status < 400:
            return None
        code = reply.json().get("error")
        return BadReplyError(_NAME, f"it answered {str(code)[:60]!r}", status=reply.status)


class OpenIdProvider:
    """The provider of the settings.

    Its addresses come from its discovery document, which is kept for some minutes; its keys are
    asked for at every sign-in, so that a new key needs no rule.

    It is the operator's choice, as a model's provider is: it may be private, and goes through
    `network.proxy`. It is never redirected, and a request is never repeated, as a code works once.
    """

    def __init__(
        self, settings: SsoSettings, secret: Secret | None, network: NetworkSettings
    ) -> None:
        self._settings = settings
        self._secret = secret
        limits = {
            "retries": 0,
            "total_timeout_seconds": _SECONDS,
            "reply_timeout_seconds": _SECONDS,
            "max_reply_bytes": _MAX_BYTES,
        }
        self._client = Client(network.model_copy(update=limits))
        self._known: tuple[float, dict[str, Any]] | None = None
        self._looking = asyncio.Lock()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    async def check(self) -> None:
        """Ask for the discovery document.

        Raises:
            SignInRefusedError: The provider does not answer, or not as one.
        """
        await self._discovered()

    async def authorization_url(self, attempt: SignInAttempt) -> str:
        """Return where a browser goes to sign in.

        Raises:
            SignInRefusedError: The provider does not answer, or not as one.
        """
        about = await self._discovered()
        url: str = prepare_grant_uri(
            about["authorization_endpoint"],
            client_id=self._settings.client_id,
            response_type="code",
            redirect_uri=attempt.redirect_uri,
            scope=list(dict.fromkeys(["openid", *self._settings.scopes])),
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return url

    async def claims(self, code: str, issuer: str, attempt: SignInAttempt) -> dict[str, Any]:
        """Return what the provider says of whoever brought a code.

        `issuer` is who answered according to the browser, "" where that was not said. What the ID
        token lacks of the claims that matter is asked for at the provider's userinfo endpoint.

        Raises:
            SignInRefusedError: The code or the ID token is invalid.
        """
        about = await self._discovered()
        if issuer and issuer != about["issuer"]:
            raise SignInRefusedError(
                400, "another sign-in service answered: sign in again", code="wrong_issuer"
            )
        tokens = await self._exchanged(about, code, attempt)
        id_token, access_token = tokens.get("id_token"), tokens.get("access_token")
        if not isinstance(id_token, str):
            raise _not_conforming("its reply has no ID token: `openid` must be among the scopes")
        given = {"access_token": access_token} if isinstance(access_token, str) else {}
        claims = checked_claims(
            id_token,
            await self._asked(about["jwks_uri"]),
            issuer=about["issuer"],
            client_id=self._settings.client_id,
            attempt=attempt,
            **given,
        )
        return await self._completed(claims, about, access_token)

    async def sign_out_url(self, redirect_uri: str) -> str:
        """Return where a browser goes to sign out at the provider, "" where that is nowhere.

        Raises:
            SignInRefusedError: The provider does not answer.
        """
        endpoint = (await self._discovered()).get("end_session_endpoint")
        if not isinstance(endpoint, str) or not self._is_safe(endpoint):
            return ""
        query = {"client_id": self._settings.client_id, "post_logout_redirect_uri": redirect_uri}
        url: str = add_params_to_uri(endpoint, list(query.items()))
        return url

    async def _discovered(self) -> dict[str, Any]:
        async with self._looking:
            if self._known is None or time.monotonic() - self._known[0] > DISCOVERY_SECONDS:
                url = get_well_known_url(self._settings.issuer, external=True)
                self._known = (time.monotonic(), self._checked(await self._asked(url)))
            return self._known[1]

    def _checked(self, about: Json) -> dict[str, Any]:
        """Return a discovery document that is this issuer's and names what is needed."""
        if not isinstance(about, dict):
            raise _not_conforming("its discovery document is no object")
        issuer = about.get("issuer")
        if not isinstance(issuer, str) or issuer.rstrip("/") != self._settings.issuer:
            raise _not_conforming("its discovery document names another issuer than `sso.issuer`")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not isinstance(about.get(name), str) or not self._is_safe(about[name]):
                raise _not_conforming(f"its discovery document has no usable {name}")
        return about

    def _is_safe(self, url: str) -> bool:
        """Tell whether an address may be used: https, as far as the issuer itself is."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        is_local = is_loopback(parts.hostname or "") and self._settings.issuer.startswith("http://")
        is_written = url.isascii() and url.isprintable()
        return is_written and bool(parts.hostname) and (parts.scheme == "https" or is_local)

    async def _exchanged(
        self, about: dict[str, Any], code: str, attempt: SignInAttempt
    ) -> dict[str, Any]:
        body = prepare_token_request(
            "authorization_code",
            code=code,
            redirect_uri=attempt.redirect_uri,
            code_verifier=attempt.verifier,
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        url, headers, body = self._authenticated(about, headers, body)
        reply = await self._asked(url, method="POST", headers=headers, body=body.encode())
        if not isinstance(reply, dict):
            raise _not_conforming("its reply to the code is no object")
        return reply

    def _authenticated(
        self, about: dict[str, Any], headers: dict[str, str], body: str
    ) -> tuple[str, dict[str, str], str]:
        """Return a request to the token endpoint that says who we are, in a way it understands."""
        known = about.get("token_endpoint_auth_methods_supported")
        known = known if known and isinstance(known, list) else ["client_secret_basic"]
        client_id, secret = self._settings.client_id, self._secret.reveal() if self._secret else ""
        method = "none"
        if secret:
            is_basic = "client_secret_basic" in known or "client_secret_post" not in known
            method = "client_secret_basic" if is_basic else "client_secret_post"
        if method == "client_secret_basic":
            # RFC 6749 has both encoded as in a form first, which the library leaves to us.
            client_id, secret = quote_plus(client_id), quote_plus(secret)
        signed: tuple[str, dict[str, str], str] = ClientAuth(client_id, secret, method).prepare(
            "POST", about["token_endpoint"], headers, body
        )
        return signed

    async def _completed(
        self, claims: dict[str, Any], about: dict[str, Any], access_token: object
    ) -> dict[str, Any]:
        """Add what only the userinfo endpoint says; the ID token, which is signed, comes first."""
        endpoint = about.get("userinfo_endpoint")
        wanted = (self._settings.group_claim.partition(".")[0], "preferred_username", "email")
        if all(name in claims for name in wanted) or not isinstance(access_token, str):
            return claims
        if not isinstance(endpoint, str) or not self._is_safe(endpoint):
            return claims
        said = await self._asked(endpoint, headers={"Authorization": f"Bearer {access_token}"})
        if not isinstance(said, dict) or said.get("sub") != claims["sub"]:
            raise _not_conforming("its userinfo is about somebody else than its ID token")
        return {**said, **claims}

    async def _asked(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> Json:
        parts = urlsplit(url)
        access = Access(base_url=f"{parts.scheme}://{parts.netloc}", key=self._secret)
        endpoint = Endpoint(name=_NAME, provider=_Service(), access=access)
        request = HttpRequest(
            method=method,
            url=url,
            headers={"Accept": "application/json", **(headers or {})},
            body=body,
        )
        try:
            return (await self._client.send(endpoint, request)).json()
        except GroundwireError as error:
            _LOG.warning("%s: %s", parts.netloc, redact(str(error)))
            raise _no_answer(error, is_code=method == "POST") from None


def _no_answer(error: GroundwireError, *, is_code: bool) -> SignInRefusedError:
    if is_code and isinstance(error, ServiceError) and error.status in (400, 401):
        return SignInRefusedError(
            400,
            "the sign-in service did not accept this sign-in: the link was used already, took too "
            "long, or this server is not known there; sign in again",
            code="code_refused",
        )
    return SignInRefusedError(
        502,
        "the sign-in service does not answer as it should: try again in a moment, or sign in with "
        "a password",
        code="provider_unreachable",
    )


def _not_conforming(reason: str) -> SignInRefusedError:
    _LOG.warning("%s: %s", _NAME, reason)
    return SignInRefusedError(
        502,
        f"the sign-in service cannot be used: {reason}; tell the owner of this server",
        code="provider_not_conforming",
    )
