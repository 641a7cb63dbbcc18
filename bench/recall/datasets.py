"""Public data sets as claims and questions.

A data set is a list of corpora; a corpus is searched on its own. Each gives claims (the lines that
`memorize --batch` takes) and questions (a qid, a query, the labels that answer it, a category).
"""

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path


@dataclass
class Question:
    qid: str
    query: str
    gold: list
    category: str = "all"


@dataclass
class Corpus:
    name: str
    claims: list
    questions: list = field(default_factory=list)


def slug(label):
    """The id that `seek --batch` answers for a short ASCII label."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def locomo(path):
    """One corpus a conversation: label = turn id, author = speaker, group = session."""
    corpora = []
    for sample in json.loads(Path(path).read_text()):
        conversation = sample["conversation"]
        claims = []
        for key in sorted(conversation, key=lambda key: [int(n) for n in re.findall(r"\d+", key)]):
            if not re.fullmatch(r"session_\d+", key):
                continue
            said = conversation[f"{key}_date_time"]
            day = datetime.strptime(said, "%I:%M %p on %d %B, %Y").replace(tzinfo=timezone.utc)
            for turn, entry in enumerate(conversation[key]):
                text = entry["text"]
                if entry.get("blip_caption"):
                    text += f" [shares a photo of {entry['blip_caption']}]"
                claims.append(
                    {
                        "label": entry["dia_id"],
                        "text": text,
                        "agent": entry["speaker"],
                        "created": int(day.timestamp() * 1000) + turn * 1000,
                        "group": key,
                    }
                )
        known = {claim["label"] for claim in claims}
        questions = []
        for number, qa in enumerate(sample["qa"]):
            gold = {part.strip() for entry in qa["evidence"] for part in re.split(r"[;,\s]+", entry)}
            gold = [label for label in sorted(gold) if label in known]
            if gold:
                qid = f"{sample['sample_id']}-{number}"
                questions.append(Question(qid, qa["question"], gold, str(qa["category"])))
        corpora.append(Corpus(sample["sample_id"], claims, questions))
    return corpora


def cosqa(folder, queries="cosqa-retrieval-dev-500.json"):
    """One corpus of Python functions; the question is what somebody typed into a search engine."""
    folder = Path(folder)
    code = json.loads((folder / "code_idx_map.txt").read_text())
    claims = [{"label": f"f{index}", "text": text} for text, index in code.items() if text.strip()]
    name = queries if (folder / queries).exists() else sorted(p.name for p in folder.glob("*.json"))[0]
    questions = [
        Question(str(entry["idx"]), entry["doc"], [f"f{entry['retrieval_idx']}"])
        for entry in json.loads((folder / name).read_text())
    ]
    return [Corpus("cosqa", claims, questions)]


def load(name, data):
    data = Path(data)
    if name == "locomo":
        return locomo(data if data.is_file() else data / "locomo-dev.json")
    if name == "cosqa":
        return cosqa(data if (data / "code_idx_map.txt").exists() else data / "cosqa")
    raise SystemExit(f"no such data set: {name} (locomo, cosqa)")
