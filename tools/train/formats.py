"""The two weight files, read and written byte for byte. Needs only the standard library.

A matrix is a pair (scales, rows): an array of one float per row, and one array of bytes for each row; a value is its
byte times the scale of its row. `README.md` describes the files.
"""

import sys
from array import array

MAGIC = b"MOONENC1"
SHAPE = {"vocabulary": 30522, "embedding": 128, "width": 384, "heads": 12, "inner": 1536, "layers": 3, "out": 256,
         "positions": 258}


def layout(shape):
    """Every part of the encoder in the order of the file: name, rows, columns; without columns, a run of floats."""
    width, inner = shape["width"], shape["inner"]
    yield "embeddings", shape["vocabulary"], shape["embedding"]
    yield "widen", width, shape["embedding"]
    yield "positions", shape["positions"], width
    yield from (("norm.gain", width, None), ("norm.bias", width, None))
    for layer in range(shape["layers"]):
        def linear(name, rows, columns):
            yield f"{layer}.{name}", rows, columns
            yield f"{layer}.{name}.bias", rows, None

        def norm(name):
            yield f"{layer}.{name}.gain", width, None
            yield f"{layer}.{name}.bias", width, None

        for name in ("query", "key", "value", "attended"):
            yield from linear(name, width, width)
        yield from norm("attended_norm")
        yield from linear("up", inner, width)
        yield from linear("down", width, inner)
        yield from norm("norm")
    yield "out", shape["out"], width
    yield "out.bias", shape["out"], None


def read_encoder(content):
    """The parts of an encoder by name."""
    reader = Reader(content)
    if reader.take(8) != MAGIC:
        raise ValueError("not an encoder file")
    numbers = reader.numbers("I", len(SHAPE))
    if list(numbers) != list(SHAPE.values()):
        raise ValueError(f"another shape: {list(numbers)}")
    parts = {}
    for name, rows, columns in layout(SHAPE):
        parts[name] = reader.numbers("f", rows) if columns is None else reader.matrix(rows, columns)
    reader.finish()
    return parts


def write_encoder(parts):
    """The bytes of an encoder file."""
    out = [MAGIC, little(array("I", SHAPE.values()))]
    for name, rows, columns in layout(SHAPE):
        part = parts[name]
        if columns is None:
            if len(part) != rows:
                raise ValueError(f"{name}: {len(part)} numbers, not {rows}")
            out.append(little(array("f", part)))
        else:
            out += matrix_bytes(name, part, rows, columns)
    return b"".join(out)


def read_static(content):
    """The matrix of piece vectors, and the weight of each piece in a query."""
    reader = Reader(content)
    matrix = reader.matrix(SHAPE["vocabulary"], SHAPE["out"])
    weights = reader.numbers("f", SHAPE["vocabulary"])
    reader.finish()
    return matrix, weights


def write_static(matrix, weights):
    """The bytes of a table file."""
    parts = matrix_bytes("table", matrix, SHAPE["vocabulary"], SHAPE["out"])
    return b"".join([*parts, little(array("f", weights))])


def quantise(rows):
    """Rows of floats to a matrix: each row has a scale that makes its largest number 127."""
    scales, out = array("f"), []
    for row in rows:
        scales.append(max((abs(value) for value in row), default=0.0) / 127)
        scale = scales[-1]
        out.append(array("b", (max(-127, min(127, round(value / scale))) if scale else 0 for value in row)))
    return scales, out


def matrix_bytes(name, matrix, rows, columns):
    scales, values = matrix
    if len(scales) != rows or len(values) != rows or any(len(row) != columns for row in values):
        raise ValueError(f"{name}: not {rows} rows of {columns}")
    return [little(array("f", scales)), *(row.tobytes() for row in values)]


def little(numbers):
    """The bytes of an array, little-endian on every machine."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0

    def take(self, count):
        taken = self.content[self.at:self.at + count]
        if len(taken) != count:
            raise ValueError("the file is too short")
        self.at += count
        return taken

    def numbers(self, kind, count):
        numbers = array(kind)
        if numbers.itemsize != 4:
            raise ValueError("this machine has no numbers of four bytes")
        numbers.frombytes(self.take(4 * count))
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers

    def matrix(self, rows, columns):
        scales = self.numbers("f", rows)
        return scales, [array("b", self.take(columns)) for _ in range(rows)]

    def finish(self):
        if self.at != len(self.content):
            raise ValueError("the file is too long")
