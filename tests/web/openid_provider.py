"""An OpenID Connect provider for tests: it keeps to the rules, and breaks one when told to.

It is written from the specifications with nothing of ours, so that no mistake is made twice. It
lets in whom the test names, without a form, and insists on what a provider must insist on: the
client's secret, the redirect URI, PKCE, and that a code works once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

CLIENT_ID = "groundwire"
CLIENT_SECRET = "s3cret/with+signs:and=more"
RULES_BROKEN = {
    "issuer": "it was issued by somebody else",
    "audience": "it is for another application",
    "several audiences without azp": "its claim 'azp' is missing",
    "authorized party": "it is for another application",
    "expired": "it has expired",
    "issued in the future": "it was issued in the future",
    "nonce": "it belongs to another sign-in",
    "no nonce": "its claim 'nonce' is missing",
    "no subject": "its claim 'sub' is missing",
    "empty subject": "its claim 'sub' is wrong",
    "no expiry": "its claim 'exp' is missing",
    "alg none": "it is not signed with a key of the provider",
    "shared secret": "it is not signed with a key of the provider",
    "public key as secret": "it is not signed with a key of the provider",
    "foreign key": "its signature is not by a key that the provider publishes",
    "unknown key id": "its signature is not by a key that the provider publishes",
    "cut signature": "its signature is not by a key that the provider publishes",
    "access token of another": "it belongs to another access token",
    "no token at all": "its reply has no ID token",
    "discovery of another": "its discovery document names another issuer",
    "discovery without keys": "its discovery document has no usable jwks_uri",
    "userinfo of another": "its userinfo is about somebody else",
    "broken": "does not answer as it should",
}
"""What it can do wrong, and what is said then."""


@dataclass(slots=True)
class Person:
    """Whom it lets in."""

    subject: str = "sub-ana"
    claims: dict[str, Any] = field(
        default_factory=lambda: {
            "preferred_username": "ana",
            "email": "ana@example.org",
            "email_verified": True,
            "groups": ["engineering"],
        }
    )


class OpenIdProvider:
    """A provider on loopback. `broken` names the rule that it breaks, "" for none.

    `in_userinfo` are claims that it tells only there.
    """

    def __init__(self) -> None:
        self.person = Person()
        self.broken = ""
        self.in_userinfo: tuple[str, ...] = ()
        self.denies = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.seen: list[str] = []
        self.key = _first_key()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def rotate(self) -> None:
        """Sign with a new key from now on."""
        self.key = RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})

    def answer(self, method: str, path: str, asked: Mapping[str, str], header: str) -> Any:
        """Return the reply to a request: JSON, a redirect as a text, or None for 404."""
        self.seen.append(f"{method} {path}")
        match path:
            case "/.well-known/openid-configuration":
                return self._discovery()
            case "/jwks":
                other = ECKey.generate_key("P-256", {"kid": "other", "use": "sig"})
                return KeySet([other, self.key]).as_dict(private=False)
            case "/authorize":
                return self._authorize(asked)
            case "/token":
                return self._token(asked, header)
            case "/userinfo":
                subject = "x" if self.broken == "userinfo of another" else self.person.subject
                return {"sub": subject, **self.person.claims}
            case _:
                return None

    def _discovery(self) -> Any:
        if self.broken == "broken":
            return None
        about = {
            "issuer": "https://elsewhere.example"
            if self.broken == "discovery of another"
            else self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "end_session_endpoint": f"{self.issuer}/logout",
            "jwks_uri": f"{self.issuer}/jwks",
        }
        if self.broken == "discovery without keys":
            del about["jwks_uri"]
        return about

    def _authorize(self, asked: Mapping[str, str]) -> str:
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        back = {"state": asked["state"]}
        if self.denies:
            back |= {"error": self.denies, "error_description": "<b>words of a stranger</b>"}
        else:
            code = secrets.token_urlsafe()
            self.codes[code] = dict(asked)
            back |= {"code": code, "iss": self.issuer}
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def _token(self, asked: Mapping[str, str], header: str) -> Any:
        given = base64.b64decode(header.removeprefix("Basic ")).decode().split(":")
        if [unquote_plus(each) for each in given] != [CLIENT_ID, CLIENT_SECRET]:
            return 401, {"error": "invalid_client"}
        request = self.codes.pop(asked["code"], None)
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            request is None
            or request["redirect_uri"] != asked["redirect_uri"]
            or request["code_challenge"] != challenge
        ):
            return 400, {"error": "invalid_grant", "error_description": "the code is not good"}
        access_token = secrets.token_urlsafe()
        reply = {"access_token": access_token, "token_type": "Bearer", "expires_in": 300}
        if self.broken != "no token at all":
            reply["id_token"] = self._id_token(request["nonce"], access_token)
        return reply

    def _id_token(self, nonce: str, access_token: str) -> str:
        now = int(time.time())
        half = hashlib.sha256(access_token.encode()).digest()[:16]
        said = {k: v for k, v in self.person.claims.items() if k not in self.in_userinfo}
        claims: dict[str, Any] = {
            "iss": self.issuer,
            "sub": self.person.subject,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "at_hash": base64.urlsafe_b64encode(half).decode().rstrip("="),
            **said,
        }
        _break(claims, self.broken, now)
        return self._signed(claims)

    def _signed(self, claims: dict[str, Any]) -> str:
        header = {"alg": "RS256", "kid": self.key.kid}
        key: RSAKey | OctKey = self.key
        match self.broken:
            case "alg none":
                return f"{_base64({'alg': 'none'})}.{_base64(claims)}."
            case "shared secret":
                header, key = {"alg": "HS256"}, OctKey.import_key(CLIENT_SECRET)
            case "public key as secret":
                header["alg"] = "HS256"
                key = OctKey.import_key(base64.b64encode(self.key.as_pem(private=False)))
            case "foreign key":
                key = RSAKey.generate_key(2048)
            case "unknown key id":
                header["kid"] = "unknown"
        signed = jwt.encode(header, claims, key)
        return signed[:-20] if self.broken == "cut signature" else signed


@cache
def _first_key() -> RSAKey:
    """Return the key of every provider until it changes it: to make one takes long."""
    return RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})


def _break(claims: dict[str, Any], rule: str, now: int) -> None:
    """Change the claims so that they break a rule."""
    changes: dict[str, dict[str, Any]] = {
        "issuer": {"iss": "https://elsewhere.example"},
        "audience": {"aud": "another"},
        "several audiences without azp": {"aud": [CLIENT_ID, "another"]},
        "authorized party": {"azp": "another"},
        "expired": {"iat": now - 7_200, "exp": now - 3_600},
        "issued in the future": {"iat": now + 3_600, "exp": now + 7_200},
        "nonce": {"nonce": "of-another-sign-in"},
        "empty subject": {"sub": ""},
        "access token of another": {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    }
    claims |= changes.get(rule, {})
    for name, claim in (("no nonce", "nonce"), ("no subject", "sub"), ("no expiry", "exp")):
        if rule == name:
            del claims[claim]


def _base64(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _handler(provider: OpenIdProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(urlsplit(self.path).query)

        def do_POST(self) -> None:
            self._reply(self.rfile.read(int(self.headers["content-length"])).decode())

        def _reply(self, query: str) -> None:
            asked = {name: values[0] for name, values in parse_qs(query).items()}
            header = self.headers.get("authorization", "")
            found = provider.answer(self.command, urlsplit(self.path).path, asked, header)
            if isinstance(found, str):
                self.send_response(302)
                self.send_header("location", found)
                self.send_header("content-length", "0")
                self.end_headers()
                return
            status, value = found if isinstance(found, tuple) else (200 if found else 404, found)
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
