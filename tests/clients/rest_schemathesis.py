"""A tester of another make goes through REST: Schemathesis, from the daemon's own OpenAPI document.

usage: rest_schemathesis.py PATH_OF_BRAINSTEM [EXAMPLES]

A daemon on a new home, with two projects, a few claims, and a ledger with some messages. Every operation is called with values that fit
its schema and with values that do not, the same ones every time. No answer may be a server error, have a status
or a type that the document does not name, or a body that its schema does not allow; what fits the schema is taken, what
does not is refused; and the daemon is alive afterwards.
"""

# spec: IF-12, IF-14
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEED = "7733"
# Every check there is. What fits the schema must be taken, and what does not must be refused.
CHECKS = "all"
# An endless stream is no answer to wait for; tests of our own read it.
LEFT_OUT = ["/api/events"]
# What no schema can say: which files, topics and agents are there, which fields of a query exclude each other, what a report looks
# like inside.
HOOKS = '''
import itertools
import os
import re
import schemathesis

FOLDER = os.environ["BRAINSTEM_TEST_FOLDER"]
REPORT = os.environ["BRAINSTEM_TEST_REPORT"]
TOPIC, KEY = os.environ["BRAINSTEM_TEST_TOPIC"], os.environ["BRAINSTEM_TEST_KEY"]
NUMBERS = itertools.count()
AGENT = re.compile("[A-Za-z0-9_][A-Za-z0-9._@-]*(:[A-Za-z0-9_][A-Za-z0-9._@-]*)?")
ENTITY_ID = re.compile("[A-Za-z0-9._@:-]{1,64}")
TOPIC_ID = re.compile("(0|[1-9][0-9]*)([.](0|[1-9][0-9]*)){2}")


def fits(kind, value):
    return isinstance(value, str) and kind.fullmatch(value) is not None


def fits_its_schema(case):
    # Every part of the call fits its schema.
    return case.meta is None or case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    body, path = case.body, case.operation.path
    is_text = lambda field: isinstance(body.get(field), str) and body[field]
    if isinstance(body, dict):
        # What is written or read somewhere on this machine stays in a folder of the test.
        if path in ("/api/export", "/api/ledger/head", "/api/ledger/receipt") and is_text("out"):
            body["out"] = f"{FOLDER}/out-{next(NUMBERS)}"
        if path == "/api/import" and is_text("path"):
            body["path"] = f"{FOLDER}/export.jsonl"
            # It is no folder, and one brain's.
            body.pop("sort", None), body.pop("from", None)
        if path == "/api/bootstrap" and is_text("path"):
            body["path"] = FOLDER
        if path == "/api/debrief" and is_text("report"):
            body["report"] = REPORT
        # Of an author who wrote neither side there is nothing to take.
        if path == "/api/resolve" and is_text("take"):
            body["take"] = "ours"
        # A message goes to a reader that is there, and a receipt is of a topic that is there.
        if path == "/api/inbox/send" and fits(AGENT, body.get("to_agent")):
            body["to_agent"] = "human"
        if path == "/api/note" and isinstance(body.get("notify"), list):
            body["notify"] = ["human" if fits(AGENT, name) else name for name in body["notify"]]
        if path == "/api/ledger/receipt" and fits(TOPIC_ID, body.get("topic")):
            body["topic"] = TOPIC
        # An entity stays what it was made as: each note with a type is on one of its own.
        if path == "/api/note" and "entity_type" in body and fits(ENTITY_ID, body.get("entity_id")):
            body["entity_id"] = f"entity-{next(NUMBERS)}"
        # A poll that may wait for minutes would: one second says as much.
        try:
            if 1 < int(body.get("wait_s", 0)) <= 600:
                body["wait_s"] = 1
        except (TypeError, ValueError, OverflowError):
            pass
    # One question, or a batch of them.
    if path == "/api/seek" and isinstance(case.query, dict) and "query" in case.query:
        case.query.pop("batch", None)
    # A topic is read from one place on, and a cursor of the feed comes from an answer.
    if path == "/api/ledger/show" and isinstance(case.query, dict):
        if fits(TOPIC_ID, case.query.get("topic")):
            case.query["topic"] = TOPIC
        places = [name for name in ("message", "after", "since") if name in case.query]
        if len(places) > 1 and fits_its_schema(case):
            for name in places[1:]:
                case.query.pop(name)
    if path == "/api/inbox/events" and isinstance(case.query, dict) and fits_its_schema(case):
        case.query.pop("after", None)
    # A head that was kept is a file, and a key is that of its ledger.
    if path == "/api/ledger/verify" and isinstance(case.query, dict) and fits_its_schema(case):
        if "against" in case.query or "key" in case.query:
            case.query.update(against=f"{FOLDER}/head.txt", key=KEY)
    # Delegations are each project's own.
    if isinstance(case.query, dict) and case.query.get("what") == "delegations":
        case.query.pop("all_brains", None)


@schemathesis.hook
def filter_body(context, body):
    # A field that is null is one that is left out.
    return not (isinstance(body, dict) and None in body.values())


@schemathesis.hook
def filter_headers(context, headers):
    # Headers that a server does not know are no mistake.
    return not any("schemathesis" in name for name in (headers or {}))
'''
REPORT = """[brainstem dlg_00000000000000000000] success

DEVIATIONS
- none

FINDINGS
- Nothing was found."""


def main(binary: str, examples: str):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = {"HOME": str(folder), "PATH": os.environ["PATH"], "BRAINSTEM_BACKGROUND": "off"}

        def brainstem(*words: str, cwd: pathlib.Path = folder):
            done = subprocess.run(
                [binary, "--json", *words], cwd=cwd, env=env, check=True, capture_output=True, text=True
            )
            return json.loads(done.stdout)

        for project in ["cherry", "plum"]:
            (folder / project).mkdir()
            subprocess.run(["git", "init", "-q", folder / project], check=True)
            brainstem("bootstrap", cwd=folder / project)
            for n in range(3):
                brainstem("memorize", f"Claim {n}", "--text", f"It is {n} in {project}.", cwd=folder / project)
        (folder / "out").mkdir()
        brainstem("export", "--out", str(folder / "out" / "export.jsonl"), cwd=folder / "cherry")
        sent = brainstem("inbox", "send", "--to", "human", "--type", "fyi", "--subject", "Hello")
        brainstem("note", "Begun.", "--on", "TASK-7", "--new", "task", "--notify", "human")
        key = brainstem("ledger", "head", "--out", str(folder / "out" / "head.txt"))["key"]
        (folder / "hooks.py").write_text(HOOKS)
        up = brainstem("up", "--detach", "--bind", "127.0.0.1:0")
        try:
            token = pathlib.Path(up["token_file"]).read_text().strip()
            left_out = [word for path in LEFT_OUT for word in ("--exclude-path", path)]
            command = [
                str(pathlib.Path(sys.executable).parent / "schemathesis"),
                "run", f"{up['url']}/api/openapi.json", "--url", up["url"],
                "--header", f"Authorization: Bearer {token}",
                "--header", f"Brainstem-Caller-Root: {folder / 'cherry'}",
                "--header", f"Brainstem-Mail-Root: {folder / 'cherry' / '.mail'}",
                "--seed", SEED, "--max-examples", examples, "--checks", CHECKS,
                "--phases", "examples,coverage,fuzzing", "--workers", "1",
                "--suppress-health-check", "all", "--warnings", "off", "--no-color", *left_out,
            ]  # fmt: skip
            tester = {
                **os.environ,
                "SCHEMATHESIS_HOOKS": "hooks",
                "PYTHONPATH": str(folder),
                "BRAINSTEM_TEST_FOLDER": str(folder / "out"),
                "BRAINSTEM_TEST_REPORT": REPORT,
                "BRAINSTEM_TEST_TOPIC": sent["topic_id"],
                "BRAINSTEM_TEST_KEY": key,
            }
            subprocess.run(command, cwd=folder, env=tester, check=True)
            status = brainstem(cwd=folder / "cherry")
            assert status["daemon"]["pid"] == up["pid"], status
        finally:
            brainstem("down")
    print("rest_schemathesis.py: all is well")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10")
