"""text-dedup: its command for MinHash, on texts as they are or with blanks between characters."""

import json
import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from datasets import load_from_disk

path, workers, unit, ngram, threshold, num_perm = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    if unit == "characters":
        records = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
        path = f"{folder}/spaced.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for record in records:
                record["text"] = " ".join("".join(record["text"].split()))
                file.write(json.dumps(record) + "\n")
    options = {
        "path": "json", "data_files": path, "split": "train", "cache_dir": f"{folder}/cache",
        "output": f"{folder}/output", "column": "text", "idx_column": "id", "batch_size": "10000",
        "ngram": ngram, "threshold": threshold, "num_perm": num_perm, "num_proc": workers,
    }  # fmt: skip
    command = [sys.executable, "-m", "text_dedup.minhash", "--debug"]
    for name, value in options.items():
        command += [f"--{name}", value]
    subprocess.run(command, check=True, stdout=sys.stderr)
    with Path(f"{folder}/output/uf.pkl").open("rb") as file:
        linked = pickle.load(file)
    groups = defaultdict(list)
    for name in list(linked.parent):
        groups[linked.find(name)].append(name)
    kept = list(load_from_disk(f"{folder}/output")["id"])
print(json.dumps({"clusters": list(groups.values()), "kept": kept}))
