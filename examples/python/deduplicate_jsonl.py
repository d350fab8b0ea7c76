"""Copy the records of a JSON lines file, except near-duplicates of other records.

    python deduplicate_jsonl.py INPUT.jsonl OUTPUT.jsonl

Of each group the longest record stays. The command `simdup dedupe` does the same and more; a script
is the way where records need a look of their own first.
"""

import json
import sys

from simdup import scan

if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = file.readlines()
    # Here, the title is part of the text to compare.
    records = map(json.loads, lines)
    texts = [f"{record.get('title', '')}\n{record['text']}" for record in records]
    found = scan(((str(i), text) for i, text in enumerate(texts)), keep="longest")
    redundant = {int(name) for name in found.redundant}
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(line for i, line in enumerate(lines) if i not in redundant)
    print(f"{len(lines) - len(redundant)} of {len(lines)} records kept")
