"""Training text: what the three steps read, and how batches are drawn from it.

`pairs.jsonl` holds one `{"kind", "query", "document", "group"}` on each line and `sentences.txt` one sentence. README.md
says which texts those were; the functions at the end make pairs from each kind of source.
"""

import ast
import json
import random
import re

from wordpiece import normalise

# How often a batch is of each kind. A batch has one kind, so that its negatives are hard.
SHARES = {"code": 0.38, "dlg": 0.24, "wn": 0.15, "cm": 0.13, "md": 0.10}


class Pairs:
    """Pairs by kind; `group` is the conversation of a pair, where it has one."""

    def __init__(self, path, seed=1):
        self.random = random.Random(seed)
        self.by_kind = {kind: [] for kind in SHARES}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                pair = json.loads(line)
                self.by_kind[pair["kind"]].append(
                    (normalise(pair["query"]), normalise(pair["document"]), pair.get("group")))
        self.groups = {}
        for pair in self.by_kind["dlg"]:
            self.groups.setdefault(pair[2], []).append(pair)

    def __len__(self):
        return sum(map(len, self.by_kind.values()))

    def all(self):
        """Every pair, kind after kind."""
        return [pair for pairs in self.by_kind.values() for pair in pairs]

    def batch(self, size):
        """Pairs of one kind; half of the dialogue batches are whole conversations."""
        kind = self.random.choices(list(SHARES), SHARES.values())[0]
        if kind == "dlg" and self.random.random() < 0.5:
            groups = list(self.groups.values())
            self.random.shuffle(groups)
            return [pair for group in groups for pair in group][:size]
        pairs = self.by_kind[kind]
        return self.random.sample(pairs, min(size, len(pairs)))


def read_sentences(path):
    """Sentences for distillation."""
    with open(path, encoding="utf-8") as lines:
        return [normalise(line.strip()) for line in lines if line.strip()]


def code_pairs(source, rng):
    """A docstring's first paragraph, a third of them worded like a search, and the function without it."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = (ast.get_docstring(node) or "").split("\n\n")[0]
        query = " ".join(text.split())
        if not 3 <= len(query.split()) <= 60:
            continue
        node.body = node.body[1:] or [ast.Pass()]
        if rng.random() < 0.35:
            query = as_search(query, rng)
        yield {"kind": "code", "query": query, "document": ast.unparse(node)[:470]}


def as_search(sentence, rng):
    """`Return the sum of a list.` as somebody would type it: `python return sum of list`."""
    words = re.findall(r"[\w.]+", sentence.split(". ")[0].lower())
    words = [word for word in words if word not in ("a", "an", "the", "this", "that", "given")]
    lead = rng.choice(["", "python", "how to", "python how to"])
    return " ".join([lead, *words[:10]]).strip()


def commit_pairs(subject, body, paths):
    """A commit's subject finds its body and the paths that it changed."""
    if body.strip():
        yield {"kind": "cm", "query": subject, "document": body[:600]}
    if paths:
        yield {"kind": "cm", "query": subject, "document": " ".join(paths)[:400]}


def section_pairs(markdown):
    """A heading finds its section."""
    for heading, section in re.findall(r"^#+ +(.+?)\n(.*?)(?=^#|\Z)", markdown, re.M | re.S):
        if len(section.split()) >= 12:
            yield {"kind": "md", "query": heading, "document": section.strip()[:600]}


def reply_pairs(turns, names, group):
    """A question asked of `you` finds the reply, with the name of who gives it; `turns` are (speaker, text)."""
    for (_, asked), (speaker, reply) in zip(turns, turns[1:]):
        if "?" in asked and re.search(r"\byou\b", asked, re.I):
            query = re.sub(r"\byour\b", f"{names[speaker]}'s", asked, flags=re.I)
            query = re.sub(r"\b(are|do|have|did|were) you\b",
                           lambda found: f"{THIRD[found[1].lower()]} {names[speaker]}", query, flags=re.I)
            yield {"kind": "dlg", "query": query, "document": f"{names[speaker]}: {reply}", "group": group}


THIRD = {"are": "is", "do": "does", "have": "has", "did": "did", "were": "was"}


def lemma_pairs(lemma, gloss, synonyms, examples):
    """A word finds its gloss and its synonyms; a gloss finds its examples."""
    yield {"kind": "wn", "query": lemma, "document": gloss}
    for synonym in synonyms:
        yield {"kind": "wn", "query": lemma, "document": synonym}
    for example in examples:
        yield {"kind": "wn", "query": gloss, "document": example}
