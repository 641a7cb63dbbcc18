"""Greedy, careless and dead callers at the doors of a daemon, with an innocent one beside them.

usage: python3 bench/doors --binary target/release/brainstem [--trials NAME,…] [--seconds N] [--json FILE]

Each trial has a daemon on a home of its own, with a project of 2,000 claims and 800 sessions on record. One innocent
caller, a process of its own with a name of its own, asks `whoami`, seeks and remembers, one call after the other, each
on a new connection: first alone, then while the others do their worst. For each trial its calls are counted, with the
time they took alone and beside the others, the most memory that the daemon took and what it kept half a minute later.

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



def row(name, found):
    alone, beside, daemon = found["alone"], found["beside"], found["daemon"]
    took = " ".join(f"{calls[key]:>8.1f}" for calls in (alone, beside) for key in ("p50_ms", "p99_ms"))
    unanswered = beside["calls"] - beside["answered"]
    memory = f"{daemon['peak_mib']:>7.0f} {daemon['kept_mib']:>7.0f}"
    return f"{name:<9} {beside['calls']:>6} {unanswered:>10} {took} {beside['max_ms']:>8.1f} {memory}  {found['told']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, type=pathlib.Path)
    parser.add_argument("--trials", default=",".join(trials.ALL))
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the others go on")
    parser.add_argument("--json", type=pathlib.Path)
    asked = parser.parse_args()
    print("times in ms: of the innocent caller alone, then beside the others; memory of the daemon in MiB")
    print(f"{'trial':<9} {'calls':>6} {'unanswered':>10} {'p50':>8} {'p99':>8} {'p50':>8} {'p99':>8} {'max':>8} "
          f"{'peak':>7} {'kept':>7}  what became of the others")
    results = {}
    for name in asked.trials.split(","):
        with tempfile.TemporaryDirectory(prefix="brainstem-doors-") as folder:
            with Daemon(asked.binary.resolve(), pathlib.Path(folder)) as daemon:
                told, alone, beside = watch(daemon, lambda: trials.ALL[name](daemon, asked.seconds))
                results[name] = {"told": told, "alone": alone, "beside": beside, "daemon": daemon.memory()}
                print(row(name, results[name]), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
