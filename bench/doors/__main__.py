"""Greedy, careless and dead callers at the doors of a daemon, with an innocent one beside them.

usage: python3 bench/doors --binary target/release/brainstem [--trials NAME,…] [--seconds N] [--json FILE]

Each trial has a daemon on a home of its own, with a project of 2,000 claims and 800 sessions on record. While the
others do their worst, one innocent caller, a process of its own with a name of its own, asks `whoami`, seeks and
remembers, one call after the other, each on a new connection. For each trial the answers that caller got are
counted, with the time they took, beside the most memory the daemon took and what it kept half a minute later.

Needs Python 3.11 and nothing else. Linux: memory is read from /proc.
"""

import argparse
import json
import multiprocessing
import pathlib
import tempfile

from daemon import Daemon
from innocent import watch
import trials

ORDER = ["quiet", "tags", "batches", "zeros", "bodies", "sessions", "polls", "ids", "cookie"]


def row(name, found):
    innocent, daemon = found["innocent"], found["daemon"]
    took = " ".join(f"{innocent[key]:>8.1f}" for key in ("p50_ms", "p99_ms", "max_ms"))
    unanswered = innocent["calls"] - innocent["answered"]
    memory = f"{daemon['peak_mib']:>7.0f} {daemon['kept_mib']:>7.0f}"
    return f"{name:<9} {innocent['calls']:>6} {unanswered:>10} {took} {memory}  {found['told']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--trials", default=",".join(ORDER))
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the others go on")
    parser.add_argument("--json", type=pathlib.Path)
    asked = parser.parse_args()
    print(f"{'trial':<9} {'calls':>6} {'unanswered':>10} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8} "
          f"{'peak M':>7} {'kept M':>7}  what became of the others")
    results = {}
    for name in asked.trials.split(","):
        with tempfile.TemporaryDirectory(prefix="brainstem-doors-") as folder:
            with Daemon(asked.binary.resolve(), pathlib.Path(folder)) as daemon:
                told, innocent = watch(daemon, lambda: trials.ALL[name](daemon, asked.seconds))
                results[name] = {"told": told, "innocent": innocent, "daemon": daemon.memory()}
                print(row(name, results[name]), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
