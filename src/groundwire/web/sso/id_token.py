"""Checks of an ID token: who signed it, by whom, for whom, until when, and for which sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import (
    ExpiredTokenError,
    InvalidClaimError,
    JoseError,
    MissingClaimError,
    UnsupportedAlgorithmError,
)
from joserfc.jwk import KeySet

from groundwire.web.sso.refusal import SignInRefusedError

if TYPE_CHECKING:
    from groundwire.model import Json
    from groundwire.web.sso.attempt import SignInAttempt

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
"""Signatures that only the provider can make: neither `none` nor one by a shared secret."""

LEEWAY_SECONDS = 60
"""How far the clocks of the provider and of this server may be apart."""

_CLAIMS = {
    "iss": "it was issued by somebody else",
    "aud": "it is for another application",
    "azp": "it is for another application",
    "exp": "it has expired, or the clock of this server is wrong",
    "nbf": "it is not valid yet, or the clock of this server is wrong",
    "iat": "it was issued in the future, or the clock of this server is wrong",
    "nonce": "it belongs to another sign-in",
    "at_hash": "it belongs to another access token",
}


def checked_claims(
    token: str, keys: Json, *, issuer: str, client_id: str, attempt: SignInAttempt, **parts: str
) -> dict[str, Any]:
    """Return the claims of an ID token; `parts` may hold the access token that came with it.

    Raises:
        SignInRefusedError: It cannot be trusted.
    """
    try:
        read = jwt.decode(token, _key_set(keys), algorithms=ALGORITHMS)
        claims = CodeIDToken(
            read.claims,
            read.header,
            options={
                "iss": {"essential": True, "value": issuer},
                "aud": {"essential": True, "value": client_id},
                "sub": {"essential": True},
            },
            params={"nonce": attempt.nonce, "client_id": client_id, **parts},
        )
        claims.validate(leeway=LEEWAY_SECONDS)
    except ExpiredTokenError:
        reason = _CLAIMS["exp"]
    except MissingClaimError as error:
        reason = f"its claim {_claim(error)!r} is missing"
    except InvalidClaimError as error:
        reason = _CLAIMS.get(_claim(error), f"its claim {_claim(error)!r} is wrong")
    except UnsupportedAlgorithmError:
        reason = "it is not signed with a key of the provider"
    except (JoseError, ValueError, TypeError, KeyError):
        reason = "its signature is not by a key that the provider publishes"
    else:
        subject = claims["sub"]
        if isinstance(subject, str) and 0 < len(subject) <= 255:
            return dict(claims)
        reason = "its claim 'sub' is wrong"
    raise SignInRefusedError(
        502,
        f"the sign-in service sent an ID token that cannot be trusted ({reason}): try again, and "
        "tell the owner of this server if it stays so",
        code="id_token_refused",
    )


def _key_set(keys: Json) -> KeySet:
    """Return the keys that can sign; those of a kind that we do not know are left out."""
    usable = []
    for each in keys["keys"]:
        if not isinstance(each, dict):
            continue
        if each.get("kty") in ("RSA", "EC", "OKP") and each.get("use", "sig") == "sig":
            try:
                usable += KeySet.import_key_set({"keys": [each]}).keys
            except (JoseError, ValueError, KeyError):
                continue
    return KeySet(usable)


def _claim(error: InvalidClaimError | MissingClaimError) -> str:
    return str(error.claim)
