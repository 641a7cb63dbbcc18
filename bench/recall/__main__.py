"""Retrieval quality on public data sets, through the program's own front door.

    python3 bench/recall run     --set locomo --data DATA --binary BRAINSTEM --out ours.jsonl
    python3 bench/recall fts5    --set locomo --data DATA --out fts5.jsonl
    python3 bench/recall minilm  --set locomo --data DATA --out minilm.jsonl   (see minilm.py for what it needs)
    python3 bench/recall score   --set locomo --data DATA ours.jsonl fts5.jsonl ...

A run file has one JSON object on each line: {"qid", "ranked": [labels]}. Nothing is fetched.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import datasets  # noqa: E402
import score  # noqa: E402


def write_run(path, run):
    Path(path).write_text("".join(json.dumps({"qid": q, "ranked": r}) + "\n" for q, r in run.items()))


def read_run(path):
    lines = map(json.loads, Path(path).read_text().splitlines())
    return {str(line["qid"]): line["ranked"] for line in lines}


def ours(corpora, binary, options):
    """Imports each corpus into a brain of its own and asks its questions in one batch."""
    run = {}
    for corpus in corpora:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, corpus.name)
            (root / ".git").mkdir(parents=True)
            env = {**os.environ, "BRAINSTEM_HOME": str(Path(folder, "home")), "BRAINSTEM_AGENT": "bench:recall"}
            env.pop("BRAINSTEM_WORKSPACE_ROOT", None)

            def call(*words, lines=None):
                given = None if lines is None else "".join(json.dumps(line) + "\n" for line in lines)
                done = subprocess.run(
                    [binary, *words], cwd=root, env=env, input=given, capture_output=True, text=True
                )
                if done.returncode != 0:
                    raise SystemExit(f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
                return done.stdout

            started = time.monotonic()
            call("bootstrap")
            call("memorize", "--batch", "-", lines=corpus.claims)
            imported = time.monotonic()
            label_of = {datasets.slug(claim["label"]): claim["label"] for claim in corpus.claims}
            questions = [{"qid": q.qid, "query": q.query} for q in corpus.questions]
            answers = call("seek", "--batch", "-", "--limit", "50", *options, lines=questions)
            for line in map(json.loads, answers.splitlines()):
                run[str(line["qid"])] = [label_of[found] for found in line["ranked"] if found in label_of]
            asked = time.monotonic()
            print(
                f"{corpus.name}: {len(corpus.claims)} claims in {imported - started:.1f} s, "
                f"{len(questions)} questions in {asked - imported:.1f} s",
                file=sys.stderr,
            )
    return run


def main():
    parser = argparse.ArgumentParser(prog="bench/recall", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "fts5", "minilm", "score"])
    parser.add_argument("--set", required=True, help="locomo or cosqa")
    parser.add_argument("--data", required=True, help="the folder or file of the data set")
    parser.add_argument("--binary", default="target/release/brainstem")
    parser.add_argument("--out")
    parser.add_argument("--option", action="append", default=[], help="passed on to seek")
    parser.add_argument("runs", nargs="*")
    args = parser.parse_intermixed_args()
    corpora = datasets.load(args.set, args.data)
    if args.what == "score":
        return report(corpora, args.runs)
    if args.what == "run":
        run = ours(corpora, str(Path(args.binary).resolve()), args.option)
    elif args.what == "fts5":
        import fts5

        run = fts5.run(corpora)
    else:
        import minilm

        run = minilm.run(corpora)
    write_run(args.out, run)


def report(corpora, paths):
    questions = [q for corpus in corpora for q in corpus.questions]
    runs = {Path(path).stem: read_run(path) for path in paths}
    kinds = {"all": lambda q: True}
    categories = sorted({q.category for q in questions})
    if len(categories) > 1:
        kinds = {"1-4": lambda q: q.category != "5", **kinds}
        kinds |= {c: (lambda q, c=c: q.category == c) for c in categories}
    for kind, wanted in kinds.items():
        asked = [(q.qid, q.gold) for q in questions if wanted(q)]
        print(f"\n{kind} ({len(asked)} questions)")
        print("| run | R@1 | R@5 | R@10 | R@25 | R@50 | MRR |\n|---|---|---|---|---|---|---|")
        for name, run in runs.items():
            print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in score.table(asked, run)) + " |")
        first, *others = runs
        if kind in ("1-4", "all"):
            for other in others:
                gains = score.paired(asked, runs[first], runs[other])
                told = " | ".join(f"{mean:+.1f} [{low:.1f}, {high:.1f}]" for mean, low, high in gains)
                print(f"| {first} − {other} | {told} |")


main()
