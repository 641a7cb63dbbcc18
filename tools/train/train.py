#!/usr/bin/env python3
"""Trains the teacher, the encoder and the table, in this order. Needs torch, transformers and a GPU.

    python3 tools/train/train.py --data DATA --base sentence-transformers/all-MiniLM-L6-v2 --out OUT

DATA holds `pairs.jsonl` and `sentences.txt` (data.py); OUT gets `teacher.pt`, `student.pt` and `table.pt`, which
export.py turns into the files of the program.
"""

import argparse
import copy
import pathlib
import random

import torch
import torch.nn.functional as F

import wordpiece
from data import Pairs, read_sentences
from models import OUT, Student, Table, Teacher, contrast, divergence, imitate, repeated

BATCH = 1024
QUERY_LEN, DOCUMENT_LEN = 40, 126
CLUSTER = 160


class Tokens:
    """Texts to padded ids on the device, with the tokenizer of the program."""

    def __init__(self, vocabulary, device):
        self.vocabulary, self.device, self.known = vocabulary, device, {}

    def ids(self, text):
        if text not in self.known:
            self.known[text] = wordpiece.pieces(text, self.vocabulary)
        return self.known[text]

    def batch(self, texts, longest):
        rows = [[101, *self.ids(text)[:longest - 2], 102] for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=self.device)
        lengths = torch.tensor([len(row) for row in rows], device=self.device)
        return ids, torch.arange(width, device=self.device)[None] < lengths[:, None]


def descend(optimizer, step, steps, rate, loss):
    """One step with a rate that falls to nothing along a line."""
    for group in optimizer.param_groups:
        group["lr"] = rate * (1 - step / steps)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def train_teacher(teacher, tokens, pairs, steps=1265, rate=4e-5):
    """M1: contrast within each batch, held near the stock embedding."""
    stock = copy.deepcopy(teacher).eval()
    optimizer = torch.optim.AdamW(teacher.parameters(), lr=rate, weight_decay=0.01)
    for step in range(steps):
        queries, documents, _ = zip(*pairs.batch(BATCH))
        inputs = tokens.batch(queries, QUERY_LEN), tokens.batch(documents, DOCUMENT_LEN)
        with torch.autocast("cuda", torch.bfloat16):
            query, document = (teacher(*batch).float() for batch in inputs)
            with torch.no_grad():
                anchors = [stock(*batch).float() for batch in inputs]
        drift = sum((1 - (now * before).sum(-1)).mean() for now, before in zip((query, document), anchors))
        loss = contrast(query, document, repeated(queries, documents, tokens.device)) + drift
        descend(optimizer, step, steps, rate, loss)
        report("teacher", step, loss)


@torch.no_grad()
def embed(model, tokens, texts, longest=DOCUMENT_LEN):
    """The vectors of many texts."""
    parts = []
    for start in range(0, len(texts), BATCH):
        with torch.autocast("cuda", torch.bfloat16):
            parts.append(model(*tokens.batch(texts[start:start + BATCH], longest)).float())
    return torch.cat(parts)


def principal(vectors, count=OUT):
    """The centre of vectors and their first components."""
    centre = vectors.mean(0)
    _, _, basis = torch.linalg.svd(vectors - centre, full_matrices=False)
    return centre, basis[:count]


def clusters(vectors, size=CLUSTER, rounds=10):
    """Indices of near vectors together, by k-means."""
    centres = vectors[torch.randperm(len(vectors), device=vectors.device)[:max(1, len(vectors) // size)]]
    for _ in range(rounds):
        nearest = torch.cat([(part @ centres.T).argmax(1) for part in vectors.split(8192)])
        sums = torch.zeros_like(centres).index_add_(0, nearest, vectors)
        centres = F.normalize(sums + 1e-6 * centres, dim=-1)
    groups = {}
    for index, cluster in enumerate(nearest.tolist()):
        groups.setdefault(cluster, []).append(index)
    return list(groups.values())


class Goals:
    """What the teacher says of every text, in the 256 dimensions of the product."""

    def __init__(self, teacher, tokens, pairs, sentences):
        self.queries, self.documents, _ = map(list, zip(*pairs.all()))
        self.sentences = sentences
        raw = {name: embed(teacher, tokens, getattr(self, name)) for name in ("queries", "documents", "sentences")}
        self.centre, self.components = principal(raw["sentences"])
        self.vectors = {name: self.project(vectors) for name, vectors in raw.items()}
        self.clusters = clusters(self.vectors["documents"])

    def project(self, vectors):
        return F.normalize((vectors - self.centre) @ self.components.T, dim=-1)

    def draw(self, rng, size):
        """Sentences, and pairs of which every second batch comes from clusters."""
        sentences = rng.sample(range(len(self.sentences)), size)
        if rng.random() < 0.5:
            pairs = []
            while len(pairs) < size:
                pairs += rng.choice(self.clusters)
            return sentences, pairs[:size]
        return sentences, rng.sample(range(len(self.documents)), size)


def distil(forward, goals, tokens, optimizer, rate, steps, size, contrast_weight, name):
    """Has a model imitate the teacher; `forward(ids, mask, is_query)` gives its vectors."""
    rng = random.Random(2)
    for step in range(steps):
        alone, pairs = goals.draw(rng, size)
        queries, documents = ([getattr(goals, kind)[at] for at in pairs] for kind in ("queries", "documents"))
        sentence = forward(*tokens.batch([goals.sentences[at] for at in alone], DOCUMENT_LEN), False)
        query = forward(*tokens.batch(queries, QUERY_LEN), True)
        document = forward(*tokens.batch(documents, DOCUMENT_LEN), False)
        goal_query, goal_document = (goals.vectors[kind][pairs] for kind in ("queries", "documents"))
        near = 2 - (query * goal_query).sum(-1).mean() - (document * goal_document).sum(-1).mean()
        loss = (imitate(sentence, goals.vectors["sentences"][alone])
                + 2 * (near + divergence(query @ document.T, goal_query @ goal_document.T))
                + contrast_weight * contrast(query, document, repeated(queries, documents, tokens.device)))
        descend(optimizer, step, steps, rate, loss)
        report(name, step, loss)


def train_student(teacher, goals, tokens, frequencies, steps=3089, rate=5e-4):
    """T3."""
    student = Student().to(tokens.device)
    student.start_from(teacher, frequencies, goals.components, goals.centre)

    def forward(ids, mask, _is_query):
        with torch.autocast("cuda", torch.bfloat16):
            return student(ids, mask).float()

    optimizer = torch.optim.AdamW(student.parameters(), lr=rate, betas=(0.9, 0.98))
    distil(forward, goals, tokens, optimizer, rate, steps, BATCH, 0.2, "student")
    return student


def train_table(teacher, goals, tokens, frequencies, steps=784, rate=4e-3):
    """The table: it starts from single pieces, rare ones weighing more. Longer training made it worse."""
    pieces = torch.arange(len(frequencies), device=tokens.device)
    texts = torch.stack([torch.full_like(pieces, 101), pieces, torch.full_like(pieces, 102)], 1)
    with torch.no_grad():
        single = torch.cat([teacher(part, torch.ones_like(part)).float() for part in texts.split(BATCH)])
    share = frequencies.to(tokens.device) / frequencies.sum()
    table = Table(goals.project(single) * (1e-3 / (1e-3 + share)).unsqueeze(1)).to(tokens.device)
    optimizer = torch.optim.Adam(table.parameters(), lr=rate)
    distil(table, goals, tokens, optimizer, rate, steps, 2 * BATCH, 0.5, "table")
    return table


def report(name, step, loss):
    if step % 50 == 0:
        print(f"{name} {step}: {loss.item():.4f}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "base", "out", "vocabulary"):
        arguments.add_argument(f"--{name}", required=name != "vocabulary")
    options = arguments.parse_args()
    torch.manual_seed(1)
    data, out = pathlib.Path(options.data), pathlib.Path(options.out)
    here = pathlib.Path(__file__).resolve().parents[2] / "crates" / "recall-model" / "weights" / "vocab.txt"
    tokens = Tokens(wordpiece.read_vocabulary(options.vocabulary or here), "cuda")
    pairs, sentences = Pairs(data / "pairs.jsonl"), read_sentences(data / "sentences.txt")

    teacher = Teacher(options.base).to("cuda")
    train_teacher(teacher, tokens, pairs)
    torch.save(teacher.state_dict(), out / "teacher.pt")
    teacher.eval()

    goals = Goals(teacher, tokens, pairs, sentences)
    frequencies = torch.zeros(len(tokens.vocabulary))
    for text in sentences:
        for piece in tokens.ids(text):
            frequencies[piece] += 1
    torch.save(train_student(teacher, goals, tokens, frequencies).state_dict(), out / "student.pt")
    torch.save(train_table(teacher, goals, tokens, frequencies).state_dict(), out / "table.pt")


if __name__ == "__main__":
    main()
