"""Bodies made from valid ones by small changes, as a broken or hostile client would send them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator

from groundwire.model import Json

ODD: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 1, 2**63, 1e300, "", " ", "\x00", "\ud7ff￿", "\ud800", "x" * 5_000),
    *([], {}, [[]], [None], [{}], {"a": 1}, {"type": None}, {"type": "x"}, "null", "[]", "{}"),
    *("http://127.0.0.1/", "data:;base64,", "﻿", "\u202e", "[1](http://a.example/)", "<<<"),
)


def places(value: Json, path: tuple[Json, ...] = ()) -> Iterator[tuple[Json, ...]]:
    """Yield the path of every value inside another."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield (*path, key)
        yield from places(value[key], (*path, key))


def inner(value: Json, path: tuple[Json, ...]) -> Json:
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


def changed(body: Json, path: tuple[Json, ...], odd: Json) -> Json:
    """Return a body with another value at a path."""
    made = copy.deepcopy(body)
    inner(made, path[:-1])[path[-1]] = odd
    return made


def mutated(body: Json, chance: random.Random) -> Json:
    """Return a body with one to four changes, each at a place and of a kind that chance picks."""
    made = copy.deepcopy(body)
    for _ in range(chance.randint(1, 4)):
        paths = [*places(made)]
        if paths:
            chance.choice(_CHANGES)(made, chance.choice(paths), chance)
    return made


def damaged(body: Json, chance: random.Random) -> bytes:
    """Return a body as bytes of which a few are others, missing or too many."""
    data = bytearray(json.dumps(body).encode())
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + chance.randint(1, 40)]
            case _:
                data[place:place] = chance.randbytes(chance.randint(1, 8))
        if not data:
            break
    return bytes(data)


def _replace(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    inner(body, path[:-1])[path[-1]] = copy.deepcopy(chance.choice(ODD))


def _drop(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:  # noqa: ARG001 - a change
    del inner(body, path[:-1])[path[-1]]


def _repeat(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    holder = inner(body, path[:-1])
    again = copy.deepcopy(holder[path[-1]])
    if isinstance(holder, list):
        holder.insert(chance.randint(0, len(holder)), again)
    else:
        holder[path[-1]] = [again, again]


def _move(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    """Put a copy of something that stands elsewhere here."""
    other = chance.choice([*places(body)])
    inner(body, path[:-1])[path[-1]] = copy.deepcopy(inner(body, other))


def _rename(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    holder = inner(body, path[:-1])
    if isinstance(holder, dict):
        names = [each[-1] for each in places(body) if isinstance(each[-1], str)]
        holder[chance.choice(names)] = holder.pop(path[-1])


def _shuffle(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    holder = inner(body, path[:-1])
    if isinstance(holder, list):
        chance.shuffle(holder)


def _nest(body: Json, path: tuple[Json, ...], chance: random.Random) -> None:
    holder = inner(body, path[:-1])
    for _ in range(chance.choice((1, 3, 100))):
        holder[path[-1]] = [holder[path[-1]]] if chance.random() < 0.5 else {"x": holder[path[-1]]}


_CHANGES: tuple[Callable[[Json, tuple[Json, ...], random.Random], None], ...] = (
    *(_replace, _replace, _drop, _repeat, _move, _rename, _shuffle, _nest),
)
