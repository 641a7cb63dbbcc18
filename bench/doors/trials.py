"""What the others do. Each trial returns one line about what became of it."""

import collections
import concurrent.futures
import hashlib
import itertools
import json
import socket
import time

from daemon import message_of


def together(count, act):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(act, range(count)))


def for_a_while(count, seconds, act):
    """Many threads that do one thing again and again; counts what each returned."""
    until = time.monotonic() + seconds
    counted = collections.Counter()

    def loop(number):
        while time.monotonic() < until:
            counted[act(number)] += 1

    together(count, loop)
    return counted


def told(counted):
    return ", ".join(f"{count} x {what}" for what, count in sorted(counted.items(), key=str))


def quiet(_, seconds):
    time.sleep(seconds)
    return "nobody else"


def tags(daemon, seconds):
    """16 pages in a browser, with a cookie alone, ask for mail under 8,000 tags."""
    names = ",".join(f"t{n}" for n in range(8_000))
    headers = {"Cookie": daemon.cookie(), "Host": daemon.address, "Brainstem-Caller-Root": str(daemon.root),
               "Brainstem-Session": "greedy", "Brainstem-Tags": names}
    asked = lambda _: daemon.ask("GET", "/api/mail", headers=headers, timeout=seconds)[0]
    return "8,000 tags, 16 at once: " + told(for_a_while(16, seconds, asked))


def batches(daemon, seconds):
    """One agent asks 16 times 8,000 questions at once, each in a session, and then as many as are let through."""
    opened = [daemon.session()[0] for _ in range(16)]
    counted = collections.Counter()

    def asked(number):
        session = opened[number]
        for count in (8_000, 1_000):
            batch = [{"qid": n, "query": f"how fast does part {n} turn"} for n in range(count)]
            status, body, _ = daemon.call(session, "seek", {"batch": batch}, number=f"{number}-{time.monotonic()}", timeout=seconds)
            message = message_of(body) or {}
            result = message.get("result") or {}
            error = (result.get("structuredContent") or {}).get("error") or message.get("error")
            counted[f"{count:,} questions: {status} {error['code'] if error else 'answered'}"] += 1

    for_a_while(16, seconds, asked)
    return told(counted)


def zeros(daemon, seconds):
    """Bodies of 4 MB that become very many values: one, four at once, and forty of empty evidence."""
    zero = '{"batch":[' + ",".join(["0"] * 2_000_000) + "]}"
    empty = '{"label":"x","text":"y","evidence":[' + ",".join(['""'] * 1_300_000) + "]}"
    counted = collections.Counter()

    def post(kind, body):
        status, answer, _ = daemon.ask("POST", "/api/memorize", body, timeout=120)
        counted[f"{kind}: {status}, answer of {len(answer) // 1000} kB"] += 1

    post("1 x 2,000,000 zeros", zero)
    together(4, lambda _: post("4 x zeros", zero))
    together(40, lambda _: post("40 x evidence", empty))
    time.sleep(max(0.0, seconds - 10))
    return told(counted)


def bodies(daemon, seconds):
    """300 connections hold a body of 4 MB open, all but the last byte sent."""
    body = b'{"label":"x","text":"' + b"y" * (4_000_000 - 30)
    head = "".join(f"{name}: {value}\r\n" for name, value in daemon.headers().items())
    head = f"POST /api/memorize HTTP/1.1\r\nHost: localhost\r\n{head}Content-Type: application/json\r\nContent-Length: 4000000\r\n\r\n"
    host, port = daemon.address.rsplit(":", 1)
    counted = collections.Counter()

    def hold(_):
        try:
            with socket.create_connection((host, int(port)), timeout=40) as stream:
                stream.settimeout(40)
                stream.sendall(head.encode())
                try:
                    stream.sendall(body)
                except OSError:
                    pass
                answer = stream.recv(64)
                counted[answer[9:12].decode() or "closed"] += 1
        except OSError:
            counted["no answer"] += 1

    together(300, hold)
    return told(counted)


def sessions(daemon, seconds):
    """A client opens a session, calls once and dies, again and again; then another client comes."""
    opened = collections.Counter()
    until = time.monotonic() + seconds

    def die(_):
        while time.monotonic() < until and sum(opened.values()) < 600:
            session, refused = daemon.session("one-shot")
            if session:
                daemon.call(session, "whoami", {})
                opened["opened"] += 1
            else:
                opened[f"refused {refused[0]}"] += 1
                time.sleep(0.2)

    together(4, die)
    began = time.monotonic()
    while time.monotonic() - began < 60:
        session, refused = daemon.session("newcomer")
        if session:
            return f"{told(opened)}; a newcomer got in after {time.monotonic() - began:.1f} s"
        time.sleep(0.5)
    kind = "JSON-RPC" if (message_of(refused[1]) or {}).get("jsonrpc") else "no JSON-RPC"
    return f"{told(opened)}; a newcomer was kept out for 60 s ({kind})"


def polls(daemon, seconds):
    """250 sessions wait for news, and somebody tells everyone; then 300 begin to wait at once."""
    def poll(name, wait):
        headers = daemon.headers(Brainstem_Session=name, Brainstem_Agent="waiting:maker")
        status, body, _ = daemon.ask("POST", "/api/live/poll", json.dumps({"wait_s": wait}), headers)
        try:
            return status, len(json.loads(body).get("messages", []))
        except ValueError:
            return status, 0

    def waiting():
        page = daemon.ask("GET", "/metrics")[1].decode()
        return next((float(line.split()[1]) for line in page.splitlines() if line.startswith("brainstem_live_waiting ")), 0)

    with concurrent.futures.ThreadPoolExecutor(300) as pool:
        for n in range(250):
            pool.submit(poll, f"w{n}", 0)
        first = [pool.submit(poll, f"w{n}", 60) for n in range(250)]
        until = time.monotonic() + 30
        while waiting() < 245 and time.monotonic() < until:
            time.sleep(0.2)
        there = waiting()
        message = json.dumps({"target": "everyone", "body": "hello", "type": "status"})
        daemon.ask("POST", "/api/live/send", message, daemon.headers(Brainstem_Session="w0"))
        woken = collections.Counter(future.result() for future in first)
        burst = collections.Counter(status for status, _ in pool.map(lambda n: poll(f"b{n}", 1), range(300)))
    return f"{there:.0f} waited: {told(woken)}; a burst of 300: {told(burst)}"


def ids(daemon, seconds):
    """Six clients in one session send requests under one id at the same time, again and again."""
    session, _ = daemon.session()
    counted, until = collections.Counter(), time.monotonic() + seconds
    for round_ in itertools.count():
        if time.monotonic() > until:
            break

        def asked(number):
            label = f"Fact {(round_ * 6 + number) % 1_000}"
            _, body, _ = daemon.call(session, "show", {"label": label}, number=7, timeout=10)
            message = message_of(body)
            if not message:
                return counted.update(["no answer"])
            if "error" in message:
                return counted.update([f"refused {message['error']['code']}"])
            shown = message["result"]["structuredContent"]["claim"]["label"]
            counted.update(["its own answer" if shown == label else "another's answer"])
        together(6, asked)
    return told(counted)


def cookie(daemon, seconds):
    """A browser's cookie asks every path that reads, under a session's name, and the home is compared."""
    document = json.loads(daemon.ask("GET", "/api/openapi.json")[1])
    paths = [path for path, item in document["paths"].items() if "get" in item and path != "/api/events"]
    headers = {"Cookie": daemon.cookie(), "Host": daemon.address, "Brainstem-Caller-Root": str(daemon.root),
               "Brainstem-Session": "intruder", "Brainstem-Tags": "orchestrator"}
    needed = {"/api/seek": "?query=x", "/api/show": "?label=Fact+1", "/api/verify": "?question=x",
              "/api/mail/search": "?query=x", "/api/mail/thread": "?file=20261116T000000Z_a_task.md", "/api/letter": "?id=x"}
    home = daemon.folder / ".brainstem"

    def prints():
        kept = lambda path: "daemon" not in path.parts and "innocent" not in path.name
        files = [path for path in home.rglob("*") if path.is_file() and kept(path)]
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    # The innocent caller changes counts and claims of its own; what is new is looked at by name.
    before = set(prints())
    counted = collections.Counter()
    until = time.monotonic() + seconds
    for path in itertools.cycle(paths):
        if time.monotonic() > until:
            break
        path = path.replace("{what}", "promotions").replace("{key}", "agent") + needed.get(path, "")
        counted[daemon.ask("GET", path, headers=headers)[0]] += 1
    new = sorted(str(path.relative_to(home)) for path in set(prints()) - before)
    new = [name for name in new if "intruder" in name or "local/beats" in name]
    return f"{told(counted)}; new files: {', '.join(new) or 'none'}"


def deep(daemon, seconds):
    """Bodies of JSON that is nested a million deep, or has a key twice, at both doors, again and again."""
    bodies = ["[" * 1_000_000, '{"a":' * 200_000, '{"batch":' + "[" * 500_000 + "]" * 500_000 + "}",
              '{"label":"x","text":"y","label":"z"}']
    headers = {**daemon.headers(), "Accept": "application/json, text/event-stream"}

    def asked(number):
        path = ("/api/memorize", "/mcp")[number % 2]
        return f"{path} {daemon.ask('POST', path, bodies[number // 2 % len(bodies)], headers)[0]}"

    return told(for_a_while(16, seconds, asked))


def slow(daemon, seconds):
    """100 strangers and 100 callers send a byte every half second: strangers of a head, callers of a body."""
    host, port = daemon.address.rsplit(":", 1)
    token = f"Authorization: Bearer {daemon.token}\r\n"
    head = f"POST /api/memorize HTTP/1.1\r\nHost: localhost\r\n{token}Content-Type: application/json\r\nContent-Length: 400\r\n\r\n"
    open_ = {}
    for n in range(200):
        stream = socket.create_connection((host, int(port)), timeout=10)
        begun = b"GET /api/whoami HTTP/1.1\r\nX: " if n % 2 else head.encode() + b'{"label":"'
        stream.sendall(begun)
        stream.setblocking(False)
        open_[stream] = "head" if n % 2 else "body"
    counted, began = collections.Counter(), time.monotonic()
    while open_ and time.monotonic() - began < 60:
        for stream, kind in list(open_.items()):
            try:
                stream.send(b"y")
                answer = stream.recv(64)[9:12].decode() or "closed"
            except BlockingIOError:
                continue
            except OSError:
                answer = "closed"
            counted[f"{kind}: {answer} after {time.monotonic() - began:.0f} s"] += 1
            del open_[stream]
            stream.close()
        time.sleep(0.5)
    counted["still open after 60 s"] += len(open_)
    return told(+counted)


def loop(daemon, seconds):
    """One agent under one name asks on 64 connections at once, again and again, and waits for nothing in between."""
    headers = daemon.headers(Brainstem_Agent="looping:maker", Brainstem_Session="loop")
    paths = ["/api/seek?query=how+fast+does+part+9+turn", "/api/north?task=machine", "/api/list?limit=1000", "/api/mail"]
    return told(for_a_while(64, seconds, lambda number: daemon.ask("GET", paths[number % 4], headers=headers)[0]))


def strangers(daemon, seconds):
    """64 strangers connect again and again: they say nothing, half a head, or ask for what needs no token."""
    host, port = daemon.address.rsplit(":", 1)
    words = [b"", b"GET /api/whoami HTTP/1.1\r\nHost: loc", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"]

    def come(number):
        try:
            with socket.create_connection((host, int(port)), timeout=5) as stream:
                stream.sendall(words[number % 3])
                if number % 3 == 2:
                    return stream.recv(64)[9:12].decode() or "closed"
                return "left"
        except OSError:
            return "no connection"

    return told(for_a_while(64, seconds, come))


ALL = {act.__name__: act for act in (
    quiet, tags, batches, zeros, bodies, deep, slow, loop, strangers, sessions, polls, ids, cookie)}
