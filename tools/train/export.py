#!/usr/bin/env python3
"""Turns trained models into the files of the program. Needs torch to read the models, and nothing else.

    python3 tools/train/export.py --models OUT --weights WEIGHTS --texts texts.txt --reference reference.json

WEIGHTS holds `vocab.txt` and gets the two weight files. The reference is computed from those files, not from the models,
by code that shares nothing with the program.
"""

import argparse
import json
import pathlib

import formats
import forward
import wordpiece


def encoder_parts(state):
    """The state of `models.Student`, under the names of the format; rounding needs no further training."""
    parts = {}
    for name, rows, columns in formats.layout(formats.SHAPE):
        values = state[torch_name(name, columns)].float().tolist()
        parts[name] = values if columns is None else formats.quantise(values)
    return parts


def torch_name(name, columns):
    """`0.query` is `layers.0.query.weight`, and `norm.gain` is `norm.weight`."""
    lead = "layers." if name[0].isdigit() else ""
    if columns is not None:
        return f"{lead}{name}.weight"
    return lead + name.replace(".gain", ".weight")


def reference(weights, texts):
    """The pieces and vectors of some texts, from the weight files."""
    vocabulary = wordpiece.read_vocabulary(weights / "vocab.txt")
    table, _ = formats.read_static((weights / "static-256-i8.bin").read_bytes())
    encoder = forward.Encoder(formats.read_encoder((weights / "encoder-t3-i8.bin").read_bytes()))

    def rounded(vector):
        return vector and [round(number, 5) for number in vector]

    for text in texts:
        ids = wordpiece.pieces(text, vocabulary)
        yield {"text": text, "ids": [101, *ids, 102], "encoder": rounded(encoder.encode(ids)),
               "static_doc": rounded(forward.static_document(table, ids))}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("models", "weights", "texts", "reference"):
        arguments.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = arguments.parse_args()

    import torch
    student = torch.load(options.models / "student.pt", map_location="cpu", weights_only=True)
    (options.weights / "encoder-t3-i8.bin").write_bytes(formats.write_encoder(encoder_parts(student)))
    table = torch.load(options.models / "table.pt", map_location="cpu", weights_only=True)
    content = formats.write_static(formats.quantise(table["rows"].tolist()), table["query_weights"].tolist())
    (options.weights / "static-256-i8.bin").write_bytes(content)

    texts = options.texts.read_text(encoding="utf-8").split("\n")
    options.reference.write_text(json.dumps(list(reference(options.weights, texts)), ensure_ascii=False))


if __name__ == "__main__":
    main()
