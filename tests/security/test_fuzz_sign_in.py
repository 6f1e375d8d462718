"""Sign-in services that say anything: somebody is signed in, or refused in our own words."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from functools import cache
from random import Random

import pytest
from joserfc import jws
from joserfc.jwk import RSAKey

from groundwire.config.settings import NetworkSettings, SsoSettings
from groundwire.conversation import Workspace
from groundwire.model import Json, Secret
from groundwire.web.sso.attempt import SignInAttempt, decoded
from groundwire.web.sso.person import person_of, roles_of
from groundwire.web.sso.provider import OpenIdProvider
from groundwire.web.sso.refusal import SignInRefusedError
from tests.loopback import Script, reply, serve
from tests.security.fuzzing import PLANTED, chances, damaged, distorted, fuzz, written

ATTEMPT = SignInAttempt(redirect_uri="http://127.0.0.1/sso/back")


@cache
def _key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})


def _claims(issuer: str) -> Json:
    now = int(time.time())
    told = {"iss": issuer, "aud": "us", "sub": "s-1", "nonce": ATTEMPT.nonce, "groups": ["staff"]}
    return {**told, "iat": now, "exp": now + 900, "email": "a@b.example", "email_verified": True}


def _said(issuer: str, chance: Random | None) -> list[Json]:
    """Return what a service says, in the order in which it is asked, one of them distorted."""
    claims, header = _claims(issuer), {"alg": "RS256", "kid": "1"}
    which = chance.randrange(6) if chance else -1
    if chance and which == 4:
        claims = distorted(claims, chance)
    token = jws.serialize_compact(header, json.dumps(claims).encode(), _key())
    if chance and which == 5:
        token = damaged(token.encode(), chance).decode("latin-1")
    said: list[Json] = [
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys",
            "userinfo_endpoint": f"{issuer}/userinfo",
            "end_session_endpoint": f"{issuer}/end",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        },
        {"id_token": token, "access_token": "a", "token_type": "Bearer"},
        {"keys": [_key().as_dict(private=False)]},
        {"sub": "s-1", "preferred_username": "ada"},
    ]
    if chance is None:
        return said
    return [distorted(each, chance) if at == which else each for at, each in enumerate(said)]


def _scripts(issuer: str, chance: Random | None) -> list[Script]:
    if chance is None:
        return [reply(json.dumps(each).encode()) for each in _said(issuer, None)]
    status = chance.choice(("200 OK", "200 OK", "200 OK", "400 No", "500 No"))
    bodies = [written(each, chance) for each in _said(issuer, chance)]
    at = chance.randrange(4)
    return [
        reply(body, status=status if number == at else "200 OK")
        for number, body in enumerate(bodies)
    ]


async def _sign_in(chance: Random | None) -> None:
    scripts: list[Script] = []

    async def answer(writer: asyncio.StreamWriter) -> None:
        await scripts.pop(0)(writer)

    async with serve(answer) as server:
        settings = SsoSettings(issuer=server.url, client_id="us", groups={"staff": ["T:member"]})
        scripts += [*_scripts(server.url, chance), reply(b"{}"), reply(b"{}")]
        provider = OpenIdProvider(settings, Secret(PLANTED), NetworkSettings())
        try:
            await provider.authorization_url(ATTEMPT)
            await provider.sign_out_url("http://127.0.0.1/")
            person = person_of(await provider.claims("code", "", ATTEMPT), settings)
            roles_of(person, settings, [Workspace(name="T")])
        finally:
            await provider.close()


# A key that is too short is what the library warns of.
@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
@fuzz(40, chance=chances)
def test_a_sign_in_succeeds_or_is_refused_whatever_the_service_says(chance: Random) -> None:
    said = ""
    try:
        asyncio.run(_sign_in(chance))
    except SignInRefusedError as error:
        said = str(error)
    assert PLANTED not in said


@fuzz(60, chance=chances)
def test_a_damaged_cookie_of_a_sign_in_is_one_or_none(chance: Random) -> None:
    told = json.loads(base64.urlsafe_b64decode(ATTEMPT.encoded() + "=="))
    body = base64.urlsafe_b64encode(written(distorted(told, chance), chance))

    for value in (body.decode(), damaged(body, chance).decode("latin-1")):
        found = decoded(value)
        assert found is None or isinstance(found.state, str)


async def test_a_service_that_says_what_it_should_signs_somebody_in() -> None:
    await _sign_in(None)
