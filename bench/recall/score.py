"""Scores run files: recall at k and mean reciprocal rank, with paired bootstrap intervals."""

import random

DEPTHS = (1, 5, 10, 25, 50)


def recall_at(gold, ranked, k):
    return len(set(gold) & set(ranked[:k])) / len(gold)


def reciprocal(gold, ranked):
    return next((1 / place for place, found in enumerate(ranked, 1) if found in gold), 0.0)


def measures(question, ranked):
    row = [recall_at(question, ranked, k) for k in DEPTHS]
    return row + [reciprocal(question, ranked)]


def table(questions, run):
    """The mean of each measure over the questions, in hundredths."""
    rows = [measures(gold, run.get(qid, [])) for qid, gold in questions]
    return [100 * sum(column) / len(rows) for column in zip(*rows)]


def paired(questions, run, other, rounds=2000, seed=7):
    """What `run` gains on `other` in each measure, with a 95 % interval over resampled questions."""
    gains = [
        [a - b for a, b in zip(measures(gold, run.get(qid, [])), measures(gold, other.get(qid, [])))]
        for qid, gold in questions
    ]
    chance = random.Random(seed)
    means = []
    for _ in range(rounds):
        sample = [gains[chance.randrange(len(gains))] for _ in gains]
        means.append([100 * sum(column) / len(sample) for column in zip(*sample)])
    out = []
    for measure in range(len(DEPTHS) + 1):
        column = sorted(row[measure] for row in means)
        mean = 100 * sum(row[measure] for row in gains) / len(gains)
        out.append((mean, column[int(0.025 * rounds)], column[int(0.975 * rounds)]))
    return out
