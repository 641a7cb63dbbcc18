"""Text to word pieces: identifiers split, then BERT's uncased tokenizer. Needs only the standard library."""

import re
import unicodedata

UNKNOWN, OPENING, CLOSING = 100, 101, 102
PIECE_COUNT_MAX = 256
WORD_LEN_MAX = 100
IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)
JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def normalise(text):
    """Splits camel case and snake case, as every text for training and for recall is."""
    return JOINT.sub(" ", text).replace("_", " ")


def read_vocabulary(path):
    """The id of each piece."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        return {line.rstrip("\n"): number for number, line in enumerate(lines)}


def pieces(text, vocabulary):
    """The ids of a text's pieces, at most PIECE_COUNT_MAX, without the marks that open and close it."""
    ids = []
    for word in words(text):
        ids += spell(word, vocabulary)
    return ids[:PIECE_COUNT_MAX]


def words(text):
    """Cleaned, lowered words without accents; punctuation and ideographs stand alone."""
    cleaned = []
    for c in text:
        if c in "\t\n\r" or unicodedata.category(c) == "Zs":
            cleaned.append(" ")
        elif ord(c) == 0xFFFD or unicodedata.category(c) in ("Cc", "Cf", "Co"):
            continue
        elif any(first <= ord(c) <= last for first, last in IDEOGRAPHS):
            cleaned.append(f" {c} ")
        else:
            cleaned.append(c)
    for word in "".join(cleaned).split():
        plain = (c for low in word for c in unicodedata.normalize("NFD", low.lower()))
        current = ""
        for c in plain:
            if unicodedata.category(c) == "Mn":
                continue
            if is_punctuation(c):
                yield from filter(None, (current, c))
                current = ""
            else:
                current += c
        if current:
            yield current


def is_punctuation(c):
    """Every ASCII symbol, and what Unicode calls punctuation."""
    if ord(c) < 128:
        return 33 <= ord(c) and not c.isalnum() and ord(c) != 127
    return unicodedata.category(c).startswith("P")


def spell(word, vocabulary):
    """The longest pieces from left to right, or one unknown piece."""
    if len(word) > WORD_LEN_MAX:
        return [UNKNOWN]
    ids, start = [], 0
    while start < len(word):
        lead = "##" if start else ""
        for end in range(len(word), start, -1):
            if (found := vocabulary.get(lead + word[start:end])) is not None:
                ids.append(found)
                start = end
                break
        else:
            return [UNKNOWN]
    return ids
