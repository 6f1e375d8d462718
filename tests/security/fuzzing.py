"""Strangers' bytes for the fuzz tests: JSON of any shape, recordings and files with damage.

How many there are is in `tests/fuzz_budget.py`. A failure names the seed that makes its input
again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from groundwire.errors import GroundwireError
from groundwire.model import Json
from tests.fuzz_budget import IS_RAISED, budget
from tests.shared import SHARED

T = TypeVar("T")
Test = Callable[..., Any]

PLANTED = "sk-plantedPLANTEDplanted0123456789"
"""A key that a stranger repeats: nothing that we say about what he sent may show it."""

_DEEP = 3_000
_DAMAGE: tuple[bytes, ...] = (
    *(bytes([byte]) for byte in b'\0\n\r"\\{}[]:,<>&%()*#|`_~!-\x7f\x85\xc3\xe2\xf0\xff'),
    b"\\ud800",
    b"\\u0000",
    b"1e999",
    b"-1",
    b"NaN",
    b"9" * 400,
    b"9" * 5_000,
    b"[" * _DEEP,
    b'{"a":' * _DEEP,
    b"null",
    b'""',
    "\u202e\u200b\U000e0041".encode(),
    "\ue000\ue200\ue201".encode(),
    f" {PLANTED} ".encode(),
)


def _nested(depth: int, leaf: Json) -> Json:
    value = leaf
    for _ in range(depth):
        value = {"error": value, "message": [value]} if depth < 4 else {"error": value}
    return value


STRANGE: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 7, 2**31, 2**63, -(10**30), 10**400, 1.5, -0.0, 1e308),
    *(float("inf"), float("-inf"), float("nan")),
    *("", " ", "x", "0", "-1", "\0", "\ud800", "\udfff\ud800", "é" * 3, "x" * 5_000),
    *("http://[", "https://a.example/\n", "javascript:alert(1)", "[1]", "[DONE]", PLANTED),
    *([], {}, [[]], [None], [{}], {"": None}, {"a": []}, ["x"] * 50, {"type": "text"}),
    *(_nested(3, PLANTED), _nested(400, "x"), [[[[[[[1]]]]]]]),
)

values: st.SearchStrategy[Json] = st.recursive(
    st.sampled_from([each for each in STRANGE if not isinstance(each, list | dict)])
    | st.text(max_size=20)
    | st.integers()
    | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


class Chance(Random):
    """Chance that can be repeated: what it shows of itself is its seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._seed = seed

    def __repr__(self) -> str:
        return f"Chance({self._seed})"


chances: st.SearchStrategy[Random] = st.integers(min_value=0, max_value=2**63).map(Chance)


def fuzz(plain: int, **inputs: st.SearchStrategy[Any]) -> Callable[[Test], Test]:
    """Run a test on so many inputs, or on as many as a long run has."""
    rules = settings(
        max_examples=budget(plain),
        deadline=None,
        derandomize=not IS_RAISED,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )

    def decorate(test: Test) -> Test:
        @wraps(test)
        def told(*args: Any, **named: Any) -> Any:
            for name in inputs:
                note(f"{name} = {named[name]!r}")
            return test(*args, **named)

        return rules(given(**inputs)(told))

    return decorate


@contextmanager
def our_errors_only() -> Iterator[None]:
    """Let something fail with an error of ours that shows no key; with any other it may not."""
    try:
        yield
    except GroundwireError as error:
        said = str(error)
    else:
        return
    assert not shows_the_key(said)


def shows_the_key(message: str) -> bool:
    """Tell whether the planted key is there as a word of its own; inside another it is none."""
    return re.search(rf"\b{PLANTED}", message) is not None


def damaged(body: bytes, chance: Random) -> bytes:
    """Return bytes with a few places cut, doubled, replaced, swapped or filled."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randint(0, len(body))
        until = min(len(body), at + chance.choice((1, 1, 3, 20, 300)))
        match chance.randrange(6):
            case 0:
                body = body[:at] + body[until:]
            case 1:
                body = body[:until] + body[at:until] * chance.choice((1, 2, 40)) + body[until:]
            case 2:
                body = body[:at] + chance.randbytes(until - at) + body[until:]
            case 3:
                body = body[:at]
            case _:
                body = body[:at] + chance.choice(_DAMAGE) + body[at:]
    return body


def distorted(value: Json, chance: Random) -> Json:
    """Return JSON in which a few places hold, miss or repeat something that they should not."""
    copy = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 2, 4))):
        places = list(_places(copy))
        if not places:
            return strange(chance)
        holder, name = chance.choice(places)
        match chance.randrange(5):
            case 0:
                del holder[name]
            case 1 if isinstance(holder, list):
                holder.insert(chance.randint(0, len(holder)), holder[name])
            case 2:
                other, there = chance.choice(places)
                holder[name] = json.loads(json.dumps(other[there]))
            case _:
                holder[name] = strange(chance)
    return copy


def strange(chance: Random) -> Json:
    """Return a value that nobody expects, a new one each time: who gets it may change it."""
    return json.loads(json.dumps(chance.choice(STRANGE)))


def written(value: Json, chance: Random) -> bytes:
    """Return JSON as a service could send it, sometimes with damage to its letters too."""
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    body = text.encode("utf-8", "surrogatepass")
    return damaged(body, chance) if chance.random() < 0.3 else body


def recordings(*folders: str, ending: str) -> list[Path]:
    """Return recorded replies of these services, the small ones; none without the shared data."""
    return [
        path
        for folder in folders
        for path in sorted((SHARED / "recordings" / folder).glob(f"*{ending}"))
        if not path.name.endswith(".meta.json") and path.stat().st_size < 60_000
    ]


def one_of(choices: Sequence[T], chance: Random) -> T:
    """Return one of some things."""
    return choices[chance.randrange(len(choices))]


def _places(value: Json) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a JSON value as what holds it and its name there."""
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        names = holder.keys() if isinstance(holder, dict) else range(len(holder))
        for name in list(names):
            yield holder, name
            if isinstance(holder[name], dict | list):
                waiting.append(holder[name])
