"""A tester of another make goes through REST: Schemathesis, from the daemon's own OpenAPI document.

usage: rest_schemathesis.py PATH_OF_BRAINSTEM [EXAMPLES]

A daemon on an empty home, with two projects and a few claims. Every operation is called with values that fit
its schema and with values that do not, the same ones every time. No answer may be a server error, have a status
or a type that the document does not name, or a body that its schema does not allow; and the daemon is alive
afterwards, with no file of its own anywhere but in its home.
"""

# spec: IF-12, IF-14
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SEED = "7733"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "unsupported_method,allow_header_conformance,ignored_auth"
)
# An endless stream is no answer to wait for; tests of our own read it.
LEFT_OUT = ["/api/events"]
# What is written or read somewhere on this machine stays in a folder of the test.
HOOKS = '''
import os
import schemathesis

PATHS = {"out", "path"}

@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict):
        for field in PATHS & body.keys():
            if isinstance(body[field], str) and body[field].startswith("/"):
                body[field] = os.environ["BRAINSTEM_TEST_FOLDER"] + "/" + body[field].replace("\\x00", "").strip("/")
        # A poll that may wait for minutes would: one second says as much.
        try:
            if 1 < int(body.get("wait_s", 0)) <= 600:
                body["wait_s"] = 1
        except (TypeError, ValueError, OverflowError):
            pass
    return body
'''


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
            }
            subprocess.run(command, cwd=folder, env=tester, check=True)
            status = brainstem(cwd=folder / "cherry")
            assert status["daemon"]["pid"] == up["pid"], status
        finally:
            brainstem("down")
    print("rest_schemathesis.py: all is well")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10")
