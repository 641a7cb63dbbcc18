"""A daemon on a home of its own, filled, and what it takes of memory."""

import http.client
import json
import os
import pathlib
import subprocess
import threading
import time

CLAIMS = 2_000
SESSIONS = 800
# How long after a trial it is looked what the daemon kept: answers are kept for 15 s.
SETTLED_S = 30


class Daemon:
    def __init__(self, binary: pathlib.Path, folder: pathlib.Path):
        self.binary, self.folder = binary, folder
        self.root = folder / "cherry"
        self.env = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        self.peak_kib = 0

    def __enter__(self):
        self.root.mkdir()
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.run("bootstrap")
        lines = [
            {"label": f"Fact {n}", "text": f"Part {n} of the machine turns at {n * 37 % 991} rounds a minute."}
            for n in range(CLAIMS)
        ]
        batch = self.folder / "claims.jsonl"
        batch.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.run("memorize", "--batch", str(batch))
        self.fill_register()
        up = self.run("up", "--detach", "--bind", "127.0.0.1:0")
        self.pid, self.address = up["pid"], up["address"]
        self.token = pathlib.Path(up["token_file"]).read_text().strip()
        self.meter = threading.Thread(target=self.measure, daemon=True)
        self.meter.start()
        return self

    def __exit__(self, *_):
        self.env["BRAINSTEM_BACKGROUND"] = "off"
        subprocess.run([self.binary, "down"], env=self.env, cwd=self.root, capture_output=True)
        # One that does not end by itself is ended: the trial is over.
        try:
            os.kill(self.pid, 9)
        except ProcessLookupError:
            pass

    def run(self, *words):
        done = subprocess.run(
            [self.binary, "--json", *words], env=self.env, cwd=self.root, check=True, capture_output=True, text=True
        )
        return json.loads(done.stdout.splitlines()[-1])

    def fill_register(self):
        """Sessions that were here, as many agents leave them in a month."""
        self.run("--session", "s0", "mail", "list")
        one = next((self.folder / ".brainstem/local/sessions-register").glob("*/s0.json"))
        record = json.loads(one.read_text())
        for n in range(1, SESSIONS):
            (one.parent / f"s{n}.json").write_text(json.dumps({**record, "name": f"s{n}"}))

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))

    def measure(self):
        while True:
            try:
                self.peak_kib = max(self.peak_kib, self.resident_kib())
            except (FileNotFoundError, StopIteration):
                return
            time.sleep(0.05)

    def memory(self):
        time.sleep(SETTLED_S)
        try:
            kept = self.resident_kib()
        except (FileNotFoundError, StopIteration):
            return {"peak_mib": self.peak_kib / 1024, "kept_mib": float("nan")}
        return {"peak_mib": self.peak_kib / 1024, "kept_mib": kept / 1024}

    # Requests.

    def headers(self, **more):
        named = {"Authorization": f"Bearer {self.token}", "Brainstem-Caller-Root": str(self.root)}
        return {**named, **{name.replace("_", "-"): value for name, value in more.items()}}

    def ask(self, method, path, body=None, headers=None, timeout=120.0):
        """Status and document of one request on a connection of its own; 0 where there was no answer."""
        connection = http.client.HTTPConnection(self.address, timeout=timeout)
        try:
            headers = headers or self.headers()
            if body is not None:
                headers = {"Content-Type": "application/json", **headers}
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        except (OSError, http.client.HTTPException):
            return 0, b"", {}
        finally:
            connection.close()

    def cookie(self):
        link = self.run("page")["link"]
        _, _, headers = self.ask("GET", link.split(self.address, 1)[1], headers={"Host": self.address})
        headers = {name.lower(): value for name, value in headers.items()}
        return headers["set-cookie"].split(";")[0]

    # MCP.

    def mcp(self, message, session=None, timeout=120.0, **more):
        headers = self.headers(**more)
        headers["Accept"] = "application/json, text/event-stream"
        if session:
            headers["Mcp-Session-Id"] = session
        return self.ask("POST", "/mcp", json.dumps(message), headers, timeout)

    def session(self, name="greedy", version="2025-06-18"):
        """The id of a new session, or the status and the body of the refusal."""
        hello = {
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}},
        }
        status, body, headers = self.mcp(hello)
        found = next((value for key, value in headers.items() if key.lower() == "mcp-session-id"), None)
        if found is None:
            return None, (status, body)
        self.mcp({"jsonrpc": "2.0", "method": "notifications/initialized"}, found)
        return found, None

    def call(self, session, tool, arguments, number=1, timeout=120.0):
        params = {"name": tool, "arguments": arguments}
        return self.mcp({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}, session, timeout)


def message_of(body: bytes):
    """The last message of an answer, which is JSON or a stream of events."""
    text = body.decode("utf-8", "replace")
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    lines = [line for line in lines if line] or [text]
    try:
        return json.loads(lines[-1])
    except ValueError:
        return None
