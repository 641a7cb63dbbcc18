"""Both models in plain floats, straight from the weight files: slow, and easy to compare with README.md.

Needs only the standard library. `reference.json` was made by a reader of this kind.
"""

import math
from operator import mul

from formats import SHAPE
from wordpiece import CLOSING, OPENING


def static_document(matrix, ids, weights=None):
    """The vector of a text by the table, or None where no piece has a direction."""
    scales, rows = matrix
    total = [0.0] * SHAPE["out"]
    for piece in ids:
        factor = scales[piece] * (weights[piece] if weights else 1.0)
        total = [sum_ + factor * value for sum_, value in zip(total, rows[piece])]
    return unit(total)


class Encoder:
    """The encoder; matrices become floats once, so the first text takes longest."""

    def __init__(self, parts):
        self.parts = {
            name: part if not isinstance(part, tuple) or name == "embeddings" else floats(part)
            for name, part in parts.items()
        }

    def encode(self, ids):
        """The vector of a text's pieces."""
        scales, rows = self.parts["embeddings"]
        states = []
        for position, piece in enumerate([OPENING, *ids, CLOSING]):
            embedding = [scales[piece] * value for value in rows[piece]]
            wide = [dot(row, embedding) for row in self.parts["widen"]]
            states.append(self.norm("norm", add(wide, self.parts["positions"][position])))
        for layer in range(SHAPE["layers"]):
            states = self.layer(f"{layer}.", states)
        mean = [sum(column) / len(states) for column in zip(*states)]
        return unit(self.linear("out", mean))

    def layer(self, name, states):
        queries, keys, values = (
            [self.linear(name + kind, state) for state in states] for kind in ("query", "key", "value"))
        head_width = SHAPE["width"] // SHAPE["heads"]
        after = []
        for state, query in zip(states, queries):
            attended = []
            for start in range(0, SHAPE["width"], head_width):
                head = slice(start, start + head_width)
                shares = softmax([dot(query[head], key[head]) / math.sqrt(head_width) for key in keys])
                attended += [dot(shares, column) for column in zip(*(value[head] for value in values))]
            state = self.norm(name + "attended_norm", add(state, self.linear(name + "attended", attended)))
            inner = [gelu(x) for x in self.linear(name + "up", state)]
            after.append(self.norm(name + "norm", add(state, self.linear(name + "down", inner))))
        return after

    def linear(self, name, state):
        return [dot(row, state) + bias for row, bias in zip(self.parts[name], self.parts[name + ".bias"])]

    def norm(self, name, state):
        mean = sum(state) / len(state)
        factor = 1 / math.sqrt(sum((x - mean) ** 2 for x in state) / len(state) + 1e-12)
        gains, biases = self.parts[name + ".gain"], self.parts[name + ".bias"]
        return [(x - mean) * factor * gain + bias for x, gain, bias in zip(state, gains, biases)]


def floats(matrix):
    return [[scale * value for value in row] for scale, row in zip(*matrix)]


def dot(a, b):
    return sum(map(mul, a, b))


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def softmax(scores):
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def unit(numbers):
    length = math.sqrt(dot(numbers, numbers))
    return [number / length for number in numbers] if length else None


def cosine(a, b):
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))
