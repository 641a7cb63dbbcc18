#!/usr/bin/env python3
"""Reads the shipped weights, writes them again, and computes the reference anew. Needs only the standard library.

    python3 tools/train/check_format.py           seconds; the encoder on its shortest texts
    python3 tools/train/check_format.py --all     minutes; the encoder on every text
"""

import hashlib
import json
import pathlib
import sys

import formats
import forward
import wordpiece

CRATE = pathlib.Path(__file__).resolve().parents[2] / "crates" / "recall-model"
HASHES = {
    "encoder-t3-i8.bin": "8369f0c354793664935bb6a57d7c9e61aea0cf2b793ec9e0da27ce6233c51477",
    "static-256-i8.bin": "391bd3da1f7d87c7d92b219bb88c3a80fbb5a9deb2b785092ea7586c4c7c8413",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def main():
    files = {name: (CRATE / "weights" / name).read_bytes() for name in HASHES}
    for name, expected in HASHES.items():
        check(hashlib.sha256(files[name]).hexdigest() == expected, f"{name} has its hash")

    parts = formats.read_encoder(files["encoder-t3-i8.bin"])
    check(formats.write_encoder(parts) == files["encoder-t3-i8.bin"], "the encoder is written as it was read")
    table, weights = formats.read_static(files["static-256-i8.bin"])
    check(formats.write_static(table, weights) == files["static-256-i8.bin"], "the table is written as it was read")
    sample = [forward.floats(([scale], [row]))[0] for scale, row in zip(table[0][1000:1100], table[1][1000:1100])]
    _, again = formats.quantise(sample)
    # A row whose largest byte is 127 was quantised as here; rounding its scale to a float may not change a byte.
    check(all(new == old for new, old in zip(again, table[1][1000:1100]) if max(map(abs, old)) == 127),
          "quantising what was quantised changes nothing")

    vocabulary = wordpiece.read_vocabulary(CRATE / "weights" / "vocab.txt")
    check(wordpiece.normalise("parseHTTPHeader_fast") == "parse HTTP Header fast", "identifiers are split")
    cases = json.loads((CRATE / "tests" / "reference.json").read_text(encoding="utf-8"))
    for case in cases:
        ids = wordpiece.pieces(case["text"], vocabulary)
        check([101, *ids, 102] == case["ids"], f"pieces of {case['text']!r}")
        vector = forward.static_document(table, ids)
        if case["static_doc"] is None:
            check(vector is None, "a text without pieces has no direction")
        else:
            check(forward.cosine(vector, case["static_doc"]) > 0.99999, f"table vector of {case['text']!r}")

    encoder = forward.Encoder(parts)
    count = len(cases) if "--all" in sys.argv[1:] else 2
    for case in sorted(cases, key=lambda case: len(case["ids"]))[:count]:
        similarity = forward.cosine(encoder.encode(case["ids"][1:-1]), case["encoder"])
        check(similarity > 0.99999, f"encoder vector of {case['text']!r}, cosine {similarity:.6f}")
    print(f"{check.count} checks passed")


def check(holds, what):
    check.count += 1
    if not holds:
        sys.exit(f"failed: {what}")


check.count = 0

if __name__ == "__main__":
    main()
