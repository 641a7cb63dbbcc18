"""What the built binary writes as mail is read by a YAML parser of another make.

usage: mail_yaml.py PATH_OF_BRAINSTEM

Every message is a file with frontmatter: PyYAML must read each value as the text that was sent, the keys
stand in the order of the specification, and names sort by time under `ls`.
"""

# spec: MAIL-5, MAIL-7, MAIL-7a
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

ORDER = [
    "from", "to", "type", "timestamp", "needs_response", "priority", "tags", "in_reply_to", "thread_id", "expires",
    "read_at", "subject",
]  # fmt: skip
TEXTS = [
    "plain words", "no", "Yes", "null", "~", "1e3", "0x1f", "2026-01-28", "12:30:45", "- item", "# comment", "key: value",
    "---", "a --- b", "'single'", '"double"', "back\\slash", "tab\\there", "[list]", "{map: 1}", "&anchor", "*alias", "!tag",
    "| block", "> fold", "%percent", "@at", "`tick`", "trailing ", " leading", "emoji 🧠", "日本語", "caf\u00e9", "e\u0301", "\u00a0",
    "on", "=", "<<", "?", ":", ",", "-", ".5", "1_000", "+1", "0o7", ".inf", ".nan", "y", "N",
]  # fmt: skip


def main(binary: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "mail"
        env = {"HOME": folder, "PATH": os.environ["PATH"], "BRAINSTEM_MAIL_ROOT": str(root)}

        def run(*words: str, session: str = "123") -> dict:
            line = [binary, "--json", "--session", session, *words]
            return json.loads(subprocess.run(line, env=env, cwd=folder, check=True, capture_output=True).stdout)

        sent = []
        for text in TEXTS:
            words = [f"--subject={text}", f"--tag={text.strip() or 'x'}", "--tag=b", f"--body=---\n{text}\n---\n"]
            answer = run("mail", "send", "--to", "no", "--type", "report", "--expires", "2h", *words)
            check(pathlib.Path(answer["path"]).read_text(encoding="utf-8"), text)
            sent.append(answer["file"])
        assert len(set(sent)) == len(TEXTS), "each has a name of its own"
        assert sorted(sent) == sent, "names sort by time"
        for file in sent[:5]:
            run("--as", "human:no", "mail", "mark-read", file, "--box", "no", "--force", session="456")
            head = frontmatter((root / "no" / "read" / file).read_text(encoding="utf-8"))
            assert isinstance(head["read_at"], datetime.datetime), head
    print(f"mail: {len(TEXTS)} messages read by PyYAML {yaml.__version__}")


def frontmatter(text: str) -> dict:
    assert text.startswith("---\n"), text
    return yaml.safe_load(text[4:].split("\n---\n", 1)[0])


def check(text: str, given: str) -> None:
    head = frontmatter(text)
    known = [key for key in head if key in ORDER]
    assert known == sorted(known, key=ORDER.index), list(head)
    assert head["subject"] == given, (head["subject"], given)
    assert head["tags"] == [given.strip() or "x", "b"], head["tags"]
    assert head["from"] == "123" and head["to"] == "no" and head["type"] == "report", head
    assert head["needs_response"] is False and head["priority"] == "normal", head
    assert isinstance(head["timestamp"], datetime.datetime), head
    body = text.split("\n---\n", 1)[1]
    assert body == f"\n---\n{given}\n---\n", body


if __name__ == "__main__":
    main(sys.argv[1])
