"""The innocent caller: a process that asks one thing after the other, and notes what it took."""

import http.client
import json
import multiprocessing
import time

# A call that takes longer is one that got no answer.
PATIENCE_S = 60.0
PAUSE_S = 0.02
# How long it calls alone before the others come. Its first calls open the stores and are not counted.
ALONE_S = 8.0
WARM_UP = 6


def ask(address, headers, number, patience):
    agent = {**headers, "Brainstem-Agent": "innocent:maker", "Brainstem-Session": "innocent"}
    kinds = [
        ("GET", "/api/whoami", None),
        ("GET", "/api/seek?query=how+fast+does+part+7+turn&limit=3", None),
        ("POST", "/api/memorize", json.dumps({"label": f"Note {number % 50}", "text": f"It was {number}."})),
    ]
    method, path, body = kinds[number % len(kinds)]
    connection = http.client.HTTPConnection(address, timeout=patience)
    try:
        connection.request(method, path, body=body, headers={"Content-Type": "application/json", **agent})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def summary(calls):
    """Counts and times of calls, each a pair of whether it was answered and the milliseconds it took."""
    took = sorted(ms for _, ms in calls)
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))] if took else float("nan")
    answered = sum(is_answered for is_answered, _ in calls)
    return {"calls": len(took), "answered": answered, "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0)}


def live(address, headers, begun, over, pipe):
    alone, beside, number = [], [], 0
    while not over.is_set():
        number += 1
        calls = beside if begun.is_set() else alone
        began = time.monotonic()
        is_answered = ask(address, headers, number, PATIENCE_S) == 200
        calls.append((is_answered, (time.monotonic() - began) * 1000))
        time.sleep(PAUSE_S)
    pipe.send((summary(alone[WARM_UP:]), summary(beside)))


def watch(daemon, trial):
    """What a trial told, and how the innocent caller fared before it and meanwhile."""
    begun, over = multiprocessing.Event(), multiprocessing.Event()
    here, there = multiprocessing.Pipe()
    arguments = (daemon.address, daemon.headers(), begun, over, there)
    caller = multiprocessing.Process(target=live, args=arguments)
    caller.start()
    time.sleep(ALONE_S)
    begun.set()
    try:
        told = trial()
    finally:
        over.set()
    alone, beside = here.recv() if here.poll(PATIENCE_S + 10) else (summary([]), summary([]))
    caller.join(5)
    return told, alone, beside
