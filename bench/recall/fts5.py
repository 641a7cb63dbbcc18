"""The baseline people have at hand: SQLite's FTS5 with Porter stems, stop words taken out of the question."""

import re
import sqlite3

STOP = set(
    "a about after again all also am an and any are as at be because been before being between both but by can "
    "could did do does doing down during each few for from further had has have having he her here hers him his "
    "how i if in into is it its just me more most my no nor not of off on once only or other our out over own s "
    "same she should so some such t than that the their theirs them then there these they this those through to "
    "too under until up very was we were what when where which while who whom why will with would you your".split()
)


def run(corpora, depth=50):
    answers = {}
    for corpus in corpora:
        base = sqlite3.connect(":memory:")
        base.execute("create virtual table claims using fts5(label unindexed, text, tokenize='porter unicode61')")
        base.executemany(
            "insert into claims values (?, ?)",
            [
                (claim["label"], f"{claim['agent']}: {claim['text']}" if "agent" in claim else claim["text"])
                for claim in corpus.claims
            ],
        )
        for question in corpus.questions:
            words = [word for word in re.findall(r"\w+", question.query.lower())]
            words = [word for word in words if word not in STOP] or words
            match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
            rows = base.execute(
                "select label from claims where claims match ? order by rank limit ?", (match, depth)
            )
            answers[question.qid] = [label for (label,) in rows] if match else []
    return answers
