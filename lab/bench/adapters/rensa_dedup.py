"""rensa: an RMinHashDeduplicator says of each text whether it is kept, and whose copy it is."""

import json
import sys
from pathlib import Path

from rensa import RMinHash, RMinHashDeduplicator

path, _, unit, threshold, num_perm = sys.argv[1:]
records = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
tokens = []
for text in (record["text"] for record in records):
    size = int(unit) if unit.isdigit() else 0
    grams = [text[i : i + size] for i in range(len(text) - size + 1)] if size else text.split()
    tokens.append(grams)
sketches = RMinHash.from_token_sets(tokens, num_perm=int(num_perm), seed=42)
dedup = RMinHashDeduplicator(threshold=float(threshold), num_perm=int(num_perm), use_lsh=True)
names = [record["id"] for record in records]
keep = dedup.add_pairs(zip(names, sketches, strict=True))
clusters = {name: [name] for name, stays in zip(names, keep, strict=True) if stays}
for name, sketch, stays in zip(names, sketches, keep, strict=True):
    if not stays:
        clusters[dedup.get_duplicates(sketch)[0]].append(name)
print(json.dumps({"clusters": list(clusters.values()), "kept": list(clusters)}))
