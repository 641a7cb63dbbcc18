"""The innocent caller: a process that asks one thing after the other, and notes what it took."""

import http.client
import json
import multiprocessing
import time

# A call that takes longer is one that got no answer.
PATIENCE_S = 60.0
PAUSE_S = 0.02


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


def live(address, headers, over, pipe):
    took, answered, number = [], 0, 0
    while not over.is_set():
        number += 1
        began = time.monotonic()
        answered += ask(address, headers, number, PATIENCE_S) == 200
        took.append((time.monotonic() - began) * 1000)
        time.sleep(PAUSE_S)
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))] if took else 0.0
    pipe.send({
        "calls": len(took), "answered": answered, "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1.0),
    })


def watch(daemon, trial):
    """What a trial told, and how the innocent caller fared meanwhile."""
    over = multiprocessing.Event()
    here, there = multiprocessing.Pipe()
    caller = multiprocessing.Process(target=live, args=(daemon.address, daemon.headers(), over, there))
    caller.start()
    time.sleep(1.0)
    try:
        told = trial()
    finally:
        over.set()
    found = here.recv() if here.poll(PATIENCE_S + 10) else {
        "calls": 0, "answered": 0, "p50_ms": float("nan"), "p99_ms": float("nan"), "max_ms": float("nan"),
    }
    caller.join(5)
    return told, found
