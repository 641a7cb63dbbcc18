"""A tester of another make goes through REST: Schemathesis, from the daemon's own OpenAPI document.

usage: rest_schemathesis.py PATH_OF_BRAINSTEM [EXAMPLES]

A daemon on an empty home, with two projects and a few claims. Every operation is called with values that fit
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
# What no schema can say: which files are there, which fields of a query exclude each other, what a report looks like inside.
HOOKS = '''
import itertools
import os
import schemathesis

FOLDER = os.environ["BRAINSTEM_TEST_FOLDER"]
REPORT = os.environ["BRAINSTEM_TEST_REPORT"]
NUMBERS = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    body, path = case.body, case.operation.path
    is_text = lambda field: isinstance(body.get(field), str) and body[field]
    if isinstance(body, dict):
        # What is written or read somewhere on this machine stays in a folder of the test.
        if path == "/api/export" and is_text("out"):
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
        # A poll that may wait for minutes would: one second says as much.
        try:
            if 1 < int(body.get("wait_s", 0)) <= 600:
                body["wait_s"] = 1
        except (TypeError, ValueError, OverflowError):
            pass
    # One question, or a batch of them.
    if path == "/api/seek" and isinstance(case.query, dict) and "query" in case.query:
        case.query.pop("batch", None)
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
        (folder / "hooks.py").write_text(HOOKS)
        up = brainstem("up", "--detach", "--bind", "127.0.0.1:0")
        try:
            token = pathlib.Path(up["token_file"]).read_text().strip()
            left_out = [word for path in LEFT_OUT for word in ("--exclude-path", path)]
            # The schemas of these paths do not say yet all that their verbs refuse.
            left_out += ["--exclude-path-regex", "^/api/(inbox|ledger|note)"]
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
            }
            subprocess.run(command, cwd=folder, env=tester, check=True)
            status = brainstem(cwd=folder / "cherry")
            assert status["daemon"]["pid"] == up["pid"], status
        finally:
            brainstem("down")
    print("rest_schemathesis.py: all is well")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10")
