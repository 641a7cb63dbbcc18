"""Memory through its doors: the command line, MCP over stdio and HTTP, and REST, with peers driven by the same script.

    cargo build --release -p brainstem
    (cd bench/memory && cargo build --release)
    python3 bench/memory/doors.py --binary target/release/brainstem --filler FILLER [--json FILE]
        [--sizes 1000,10000,100000] [--only cold,mcp,http,brains,peers]
        [--server-memory FOLDER] [--basic-memory FOLDER] [--peer-seconds 180]

FILLER is `brainstem-bench-memory` of the second command; it makes the homes, each with a built index. Peers are
measured where they are given: the folder of an `npm install @modelcontextprotocol/server-memory`, and a virtual
environment with `basic-memory`. Nothing is fetched, and BRAINSTEM_BACKGROUND=off keeps idle work out of the figures.
"""

import argparse
import http.client
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

COLD_RUNS = 25
CALLS = 200
DORMANT_STORES = 200
DORMANT_CLAIMS = 100
PEER_SECONDS = 180
PEER_SIZES_MAX = 10_000
PROJECT = "cherry"


class Report:
    """Figures, printed as rows of a table when they are known."""

    def __init__(self):
        self.rows = []
        print("| claims | what | p50 | p99 |\n| ---: | --- | ---: | ---: |")

    def times(self, claims, what, seconds):
        ordered = sorted(seconds)
        at = lambda share: ordered[round((len(ordered) - 1) * share)] * 1e3  # noqa: E731
        row = {"claims": claims, "what": what, "p50_ms": at(0.5), "p99_ms": at(0.99), "count": len(ordered)}
        self.rows.append(row)
        print(f"| {claims} | {what} | {row['p50_ms']:.2f} ms | {row['p99_ms']:.2f} ms |", flush=True)

    def number(self, claims, what, value, unit):
        self.rows.append({"claims": claims, "what": what, "value": value, "unit": unit})
        print(f"| {claims} | {what} | {value:.2f} {unit} | |", flush=True)

    def cold(self, claims, what, runs):
        """Wall-clock times of processes, and what they had of a processor."""
        self.times(claims, what, [wall for wall, _ in runs])
        self.times(claims, f"{what}, processor time", [cpu for _, cpu in runs])

    def said(self, claims, what, words):
        self.rows.append({"claims": claims, "what": what, "said": words})
        print(f"| {claims} | {what} | {words} | |", flush=True)


def timed(call):
    started = time.perf_counter()
    done = call()
    return done, time.perf_counter() - started


def cold_run(call):
    """The wall-clock and the processor time of a process that a call starts and waits for."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])  # noqa: E731
    before = used()
    wall = timed(call)[1]
    return wall, used() - before


def json_lines(path, count=None):
    with open(path) as lines:
        return [json.loads(line) for _, line in zip(range(count or 1 << 60), lines)]


class Stdio:
    """A client of an MCP server on its standard input and output."""

    def __init__(self, words, env, cwd):
        self.process = subprocess.Popen(
            words, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.ask("initialize", hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server went away")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def call(self, name, arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(str(result)[:500])
        return result

    def memory(self):
        return memory_of(self.process.pid)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Daemon:
    """A client of the daemon: MCP over one connection that is kept, and REST over another."""

    def __init__(self, home):
        words = [home.binary, "up", "--bind", "127.0.0.1:0", "--json"]
        self.process = subprocess.Popen(
            words, env=home.env, cwd=home.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        told = json.loads(self.process.stdout.readline())
        self.address = told["address"]
        self.headers = {
            "Authorization": f"Bearer {Path(told['token_file']).read_text().strip()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Brainstem-Caller-Root": str(home.project),
            "Brainstem-Agent": "bench:doors",
        }
        self.lines = {door: http.client.HTTPConnection(self.address) for door in ("mcp", "rest")}
        self.number = 0

    def open(self):
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        answer = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})[0]
        self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def post(self, message):
        return self.exchange("mcp", "POST", "/mcp", json.dumps(message))

    def exchange(self, door, method, path, body=None):
        self.lines[door].request(method, path, body, self.headers)
        answer = self.lines[door].getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {text[:300]}")
        return answer, text

    def call(self, name, arguments):
        self.number += 1
        params = {"name": name, "arguments": arguments}
        text = self.post({"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": params})[1]
        found = [line.removeprefix("data:").strip() for line in text.splitlines()]
        result = next(json.loads(line) for line in found if line.startswith("{"))["result"]
        if result.get("isError"):
            raise RuntimeError(str(result)[:500])
        return result

    def rest(self, name, arguments):
        if name == "memorize":
            return self.exchange("rest", "POST", "/api/memorize", json.dumps(arguments))
        return self.exchange("rest", "GET", f"/api/{name}?{urlencode(arguments)}")

    def memory(self):
        return memory_of(self.process.pid)

    def close(self):
        self.process.terminate()
        self.process.wait(60)


def memory_of(top):
    """Resident and private memory, in MiB, of a process and those below it."""
    resident = private = 0
    for pid in below(top):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, kib = line.split()[:2]
            resident += int(kib) if name == "Rss:" else 0
            private += int(kib) if name.startswith("Private_") else 0
    return resident / 1024, private / 1024


def below(pid):
    """A process and its children, all the way down."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(other for child in children for other in below(int(child)))]


class Home:
    """A home made by the filler, and the program in it."""

    def __init__(self, folder, binary):
        self.folder, self.binary = Path(folder), binary
        self.project = self.folder / PROJECT
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("BRAINSTEM_")}
        self.env |= {"BRAINSTEM_HOME": str(self.folder / "home"), "BRAINSTEM_BACKGROUND": "off"}
        self.env |= {"BRAINSTEM_AGENT": "bench:doors"}

    def run(self, *words, given=None):
        done = subprocess.run(
            [self.binary, *words], cwd=self.project, env=self.env, input=given, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise SystemExit(f"{words}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout

    def mcp(self):
        return Stdio([self.binary, "mcp"], self.env, self.project)


def draft(note, number):
    return {
        "label": f"doors {number} {note['label']}",
        "title": note["title"],
        "text": note["text"],
        "tags": note["tags"],
    }


def cold(report, home, claims, questions, notes):
    """A process for each call, with the files in the cache of the system."""
    floor = [cold_run(lambda: home.run("--version")) for _ in range(COLD_RUNS)]
    report.cold(claims, "command line, `--version`", floor)
    home.run("seek", questions[0]["sentence"])
    asked = iter(questions)
    calls = {
        "seek": lambda: home.run("seek", next(asked)["sentence"], "--json"),
        "north": lambda: home.run("north", next(asked)["sentence"], "--json"),
    }
    times = {name: [] for name in calls}
    for _ in range(COLD_RUNS):
        for name, call in calls.items():
            times[name].append(cold_run(call))
    for name in calls:
        report.cold(claims, f"command line, `{name}`", times[name])
    words = lambda note, at: ["memorize", f"cold {at} {note['label']}", "--text", note["text"]]  # noqa: E731
    written = [cold_run(lambda: home.run(*words(note, at))) for at, note in enumerate(notes[:COLD_RUNS])]
    report.cold(claims, "command line, `memorize`", written)


def through_mcp(report, home, claims, questions, notes):
    started = time.perf_counter()
    server = home.mcp()
    server.call("seek", {"query": questions[0]["sentence"]})
    report.number(claims, "MCP, start to first answer", (time.perf_counter() - started) * 1e3, "ms")
    one_door(report, claims, "MCP", server.call, questions, notes, 0)
    resident, private = server.memory()
    mixed = []
    for at, note in enumerate(notes[:50]):
        server.call("memorize", draft(note, 1000 + at))
        mixed.append(timed(lambda: server.call("seek", {"query": questions[at]["sentence"]}))[1])
    report.times(claims, "MCP, `seek` right after a `memorize`", mixed)
    report.number(claims, "MCP, resident memory", resident, "MiB")
    report.number(claims, "MCP, private memory (its index mapped by it alone)", private, "MiB")
    server.close()


def through_http(report, home, claims, questions, notes):
    started = time.perf_counter()
    daemon = Daemon(home)
    daemon.open()
    daemon.call("seek", {"query": questions[0]["sentence"]})
    report.number(claims, "daemon, start to first answer", (time.perf_counter() - started) * 1e3, "ms")
    # What a request costs that asks for nothing.
    floor = [timed(lambda: daemon.exchange("rest", "GET", "/healthz"))[1] for _ in range(CALLS)]
    report.times(claims, "HTTP, `/healthz`", floor)
    one_door(report, claims, "MCP over HTTP", daemon.call, questions, notes, 2000)
    one_door(report, claims, "REST", daemon.rest, questions, notes, 3000)
    resident, private = daemon.memory()
    report.number(claims, "daemon, resident memory", resident, "MiB")
    report.number(claims, "daemon, private memory (its index mapped by it alone)", private, "MiB")
    daemon.close()


def one_door(report, claims, door, call, questions, notes, numbers):
    """Each verb by itself, one call after the other; no two doors write the same labels."""
    sentences = [question["sentence"] for question in questions]
    seeks = [timed(lambda: call("seek", {"query": sentence}))[1] for sentence in sentences[:CALLS]]
    norths = [timed(lambda: call("north", {"task": sentence}))[1] for sentence in sentences[:CALLS]]
    drafts = [draft(note, numbers + at) for at, note in enumerate(notes[:CALLS])]
    writes = [timed(lambda: call("memorize", each))[1] for each in drafts]
    for name, times in (("seek", seeks), ("north", norths), ("memorize", writes)):
        report.times(claims, f"{door}, `{name}`", times)
        report.number(claims, f"{door}, `{name}`", len(times) / sum(times), "a second")


def all_brains(report, binary, filler):
    """Many stores that nobody asked for a while, in one question."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([filler, "fill", folder, "1000"], check=True)
        home = Home(folder, binary)
        subprocess.run([filler, "dormant", folder, str(DORMANT_STORES), str(DORMANT_CLAIMS)], check=True)
        claims = DORMANT_STORES * DORMANT_CLAIMS
        question = json_lines(Path(folder, "questions.jsonl"), 1)[0]["sentence"]
        ask = lambda: home.run("seek", question, "--tier", "all-brains", "--json")  # noqa: E731
        what = f"`seek --tier all-brains`, {DORMANT_STORES} dormant stores of {DORMANT_CLAIMS} claims"
        report.cold(claims, f"command line, {what}", [cold_run(ask) for _ in range(COLD_RUNS)])
        server = home.mcp()
        call = lambda: server.call("seek", {"query": question, "tier": "all-brains"})  # noqa: E731
        report.number(claims, f"MCP, {what}, first", timed(call)[1] * 1e3, "ms")
        report.times(claims, f"MCP, {what}", [timed(call)[1] for _ in range(50)])
        server.close()


def peer(report, name, claims, notes, questions, start, remember, recall, seconds):
    """One peer at one size: filled through its own interface, then asked; it has so many seconds for filling."""
    try:
        server, first = timed(start)
        report.number(claims, f"{name}, start", first * 1e3, "ms")
        until = time.monotonic() + seconds
        writes = []
        for note in notes[:claims]:
            writes.append(timed(lambda: remember(server, note))[1])
            if time.monotonic() > until:
                break
        held = len(writes)
        if held < claims:
            report.said(claims, f"{name}, filling", f"stopped after {seconds} s with {held} notes")
        # What it costs to add one more when it is this full.
        report.times(held, f"{name}, write", writes[-100:])
        until = time.monotonic() + 60
        seeks = []
        for question in questions[:50]:
            seeks.append(timed(lambda: recall(server, question))[1])
            if time.monotonic() > until:
                break
        report.times(held, f"{name}, search", seeks)
        resident, _ = server.memory()
        report.number(held, f"{name}, resident memory", resident, "MiB")
        server.close()
    except Exception as error:  # noqa: BLE001: a peer that fails is a line of the table
        report.said(claims, name, f"failed: {str(error)[:200]}")


def server_memory(report, folder, claims, notes, questions, seconds):
    program = next(Path(folder).glob("node_modules/@modelcontextprotocol/server-memory/dist/index.js"))
    with tempfile.TemporaryDirectory() as data:
        env = {**os.environ, "MEMORY_FILE_PATH": str(Path(data, "memory.jsonl"))}

        def remember(server, note):
            entity = {"name": note["label"], "entityType": "note", "observations": [note["title"], note["text"]]}
            server.call("create_entities", {"entities": [entity]})

        def recall(server, question):
            # It finds a part of a text, not words: one telling word is what can be asked of it.
            server.call("search_nodes", {"query": question["words"].split()[1]})

        start = lambda: Stdio(["node", str(program)], env, data)  # noqa: E731
        peer(report, "server-memory", claims, notes, questions, start, remember, recall, seconds)


def basic_memory(report, folder, claims, notes, questions, seconds):
    with tempfile.TemporaryDirectory() as data:
        env = {**os.environ, "HOME": data, "BASIC_MEMORY_HOME": str(Path(data, "notes"))}
        env["BASIC_MEMORY_CONFIG_DIR"] = str(Path(data, "config"))
        env["BASIC_MEMORY_DEFAULT_PROJECT_MODE"] = "true"

        def remember(server, note):
            arguments = {"title": note["label"], "content": note["text"], "tags": note["tags"]}
            server.call("write_note", arguments | named(server, {"directory": "notes", "folder": "notes"}, "write_note"))

        def recall(server, question):
            server.call("search_notes", {"query": " OR ".join(question["words"].split()), "page_size": 10})

        start = lambda: Stdio([str(Path(folder, "bin/basic-memory")), "mcp"], env, data)  # noqa: E731
        peer(report, "basic-memory", claims, notes, questions, start, remember, recall, seconds)


def named(server, possible, tool):
    """The arguments of these that a tool knows; names differ between versions."""
    if not hasattr(server, "tools"):
        listed = server.ask("tools/list", {})["tools"]
        server.tools = {each["name"]: each["inputSchema"].get("properties", {}) for each in listed}
    return {name: value for name, value in possible.items() if name in server.tools[tool]}


def fts5(report, claims, notes, questions):
    """What the library of most peers does by itself: each note in a transaction that is synced."""
    with tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(Path(folder, "notes.sqlite"), isolation_level=None)
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=FULL")
        base.execute("CREATE VIRTUAL TABLE notes USING fts5(label, title, text, tags, tokenize='porter unicode61')")
        row = lambda note: (note["label"], note["title"], note["text"], " ".join(note["tags"]))  # noqa: E731
        base.execute("BEGIN")
        base.executemany("INSERT INTO notes VALUES (?,?,?,?)", map(row, notes[:claims]))
        base.execute("COMMIT")
        insert = lambda note: base.execute("INSERT INTO notes VALUES (?,?,?,?)", row(note))  # noqa: E731
        report.times(claims, "SQLite FTS5 in Python, durable insert", [timed(lambda: insert(n))[1] for n in notes[:CALLS]])
        sql = "SELECT label FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT 10"
        for kind in ("words", "sentence"):
            match = lambda asked: " OR ".join(f'"{word}"' for word in asked.split())  # noqa: E731
            ask = lambda asked: base.execute(sql, (match(asked),)).fetchall()  # noqa: E731
            times = [timed(lambda: ask(question[kind]))[1] for question in questions[:CALLS]]
            report.times(claims, f"SQLite FTS5 in Python, {kind}", times)
        base.close()


def main():
    parser = argparse.ArgumentParser(prog="doors.py", description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default="target/release/brainstem")
    parser.add_argument("--filler", default="bench/memory/target/release/brainstem-bench-memory")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--only", default="cold,mcp,http,brains,peers")
    parser.add_argument("--server-memory", help="the folder of an npm install")
    parser.add_argument("--basic-memory", help="a virtual environment")
    parser.add_argument("--json")
    parser.add_argument("--peer-seconds", type=int, default=PEER_SECONDS, help="how long a peer may be filled")
    args = parser.parse_args()
    binary, filler = (str(Path(path).resolve()) for path in (args.binary, args.filler))
    only = args.only.split(",")
    report = Report()
    for claims in map(int, args.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([filler, "fill", folder, str(claims)], check=True)
            home = Home(folder, binary)
            notes = json_lines(Path(folder, "notes.jsonl"))
            questions = json_lines(Path(folder, "questions.jsonl"))
            if "cold" in only:
                cold(report, home, claims, questions, notes)
            if "mcp" in only:
                through_mcp(report, home, claims, questions, notes)
            if "http" in only:
                through_http(report, home, claims, questions, notes)
            if "peers" in only:
                fts5(report, claims, notes, questions)
                if args.server_memory and claims <= PEER_SIZES_MAX:
                    server_memory(report, args.server_memory, claims, notes, questions, args.peer_seconds)
                if args.basic_memory and claims <= PEER_SIZES_MAX:
                    basic_memory(report, args.basic_memory, claims, notes, questions, args.peer_seconds)
    if "brains" in only:
        all_brains(report, binary, filler)
    if args.json:
        Path(args.json).write_text(json.dumps({"figures": report.rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
