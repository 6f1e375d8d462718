"""OpenAI's `/v1/embeddings`, played: a text's vector follows from its words, some mean alike.

Every word has a direction of its own, which follows from its letters; words of one group share
theirs, as in a real model words that mean alike are near.
"""

from __future__ import annotations

import hashlib
import math
import re

from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_service import refuse
from groundwire.sandbox.wire import Call

MODELS = {"text-embedding-3-small": 256}
MAX_INPUTS = 2048
ALIKE = (
    frozenset({"car", "automobile", "vehicle"}),
    frozenset({"doctor", "physician"}),
    frozenset({"sleep", "nap", "slumber"}),
    frozenset({"begin", "start", "commence"}),
)
"""Words that mean alike to the model that is played."""

_WORD = re.compile(r"\w+")


def embeddings(call: Call) -> Json:
    """Return the vectors of the texts of a call.

    Raises:
        RefusalError: The call is not as the service documents it.
    """
    model, given = call.body.get("model"), call.body.get("input")
    if model not in MODELS:
        raise refuse(f"The model `{model}` does not exist.", "model", "model_not_found")
    texts = [given] if isinstance(given, str) else given
    is_list = isinstance(texts, list) and all(isinstance(text, str) and text for text in texts)
    if not is_list or not 0 < len(texts) <= MAX_INPUTS:
        raise refuse("'$.input' is invalid: it must be a text or a list of texts.", "input")
    dimensions = call.body.get("dimensions", MODELS[model])
    if not isinstance(dimensions, int) or not 0 < dimensions <= MODELS[model]:
        raise refuse("Invalid value for 'dimensions'.", "dimensions")
    tokens = sum(len(_WORD.findall(text)) for text in texts)
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": vector(text, dimensions)}
            for index, text in enumerate(texts)
        ],
        "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def vector(text: str, dimensions: int) -> list[float]:
    """Return the vector of a text, of length 1."""
    total = [0.0] * dimensions
    for word in _WORD.findall(text.lower()):
        for place, number in enumerate(_direction(_meant(word), dimensions)):
            total[place] += number
    length = math.sqrt(sum(number * number for number in total)) or 1.0
    return [round(number / length, 8) for number in total]


def _meant(word: str) -> str:
    return next((min(group) for group in ALIKE if word in group), word)


def _direction(word: str, dimensions: int) -> list[int]:
    bits = hashlib.shake_256(word.encode()).digest((dimensions + 7) // 8)
    return [1 if bits[place // 8] >> (place % 8) & 1 else -1 for place in range(dimensions)]
