"""Arguments for a tool call that fit the tool's JSON Schema."""

from __future__ import annotations

import re

from groundwire.sandbox.json import Json

URL = re.compile(r"https?://[^\s<>\"'()]+")
NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜ][\w-]+|[\u3040-\u9fff]+")
NUMBER = re.compile(r"\d+")
MAX_DEPTH = 6
SAMPLES = {
    "date": "2026-11-01",
    "date-time": "2026-11-01T12:00:00Z",
    "time": "12:00:00",
    "email": "reader@example.org",
    "uri": "https://docs.example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def arguments_for(schema: Json, text: str, number: int = 0) -> Json:
    """Return an object that the schema accepts, filled from the words of a message.

    `number` tells parallel calls apart: the second takes the second name or number in the text.
    """
    value = _value(schema or {"type": "object"}, text, number, name="", root=schema or {}, depth=0)
    return value if isinstance(value, dict) else {}


def _value(schema: Json, text: str, number: int, *, name: str, root: Json, depth: int) -> Json:
    schema = _resolved(schema, root)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return _nth(schema["enum"], number)
    kind = _type_of(schema)
    if kind == "object" and depth < MAX_DEPTH:
        return _object(schema, text, number, root=root, depth=depth)
    if kind == "array" and depth < MAX_DEPTH:
        item = _value(
            schema.get("items") or {}, text, number, name=name, root=root, depth=depth + 1
        )
        return [item] * max(1, schema.get("minItems", 1))
    return _scalar(schema, text, number, name=name)


def _object(schema: Json, text: str, number: int, *, root: Json, depth: int) -> Json:
    properties = schema.get("properties") or {}
    wanted = schema.get("required") or list(properties)
    return {
        key: _value(properties.get(key) or {}, text, number, name=key, root=root, depth=depth + 1)
        for key in wanted
    }


def _scalar(schema: Json, text: str, number: int, *, name: str) -> Json:
    match _type_of(schema):
        case "integer" | "number":
            numbers = NUMBER.findall(text)
            value = int(_nth(numbers, number)) if numbers else 1
            value = max(value, schema.get("minimum", value))
            return min(value, schema.get("maximum", value))
        case "boolean":
            return True
        case "null":
            return None
    if schema.get("format") in SAMPLES:
        return SAMPLES[schema["format"]]
    return _words(schema, text, number, name)


def _words(schema: Json, text: str, number: int, name: str) -> str:
    urls, names = URL.findall(text), NAME.findall(text)
    if "url" in name.lower():
        words = _nth(urls, number) if urls else SAMPLES["uri"]
    elif name.lower() in {"query", "q", "question", "text"}:
        words = text
    else:
        words = _nth(names, number) if names else text
    words = words.strip() or "sandbox"
    return words.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 200)]


def _resolved(schema: Json, root: Json) -> Json:
    """Follow local references and take the first alternative that is not null."""
    for _ in range(MAX_DEPTH):
        if "$ref" in schema:
            target = root
            for step in schema["$ref"].removeprefix("#/").split("/"):
                target = target.get(step) or {}
            schema = target
            continue
        choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if not choices:
            break
        schema = next((choice for choice in choices if choice.get("type") != "null"), choices[0])
    return schema


def _type_of(schema: Json) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "string")
    return str(kind).lower()


def _nth(values: list[Json], number: int) -> Json:
    return values[min(number, len(values) - 1)]
