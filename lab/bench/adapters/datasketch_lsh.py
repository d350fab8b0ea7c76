"""datasketch: a MinHash for each text in a MinHashLSH, then a query for each."""

import json
import sys
from pathlib import Path

from datasketch import MinHash, MinHashLSH

path, _, unit, threshold, num_perm = sys.argv[1:]
lsh = MinHashLSH(threshold=float(threshold), num_perm=int(num_perm))
sketches = {}
for line in Path(path).read_bytes().splitlines():
    record = json.loads(line)
    text, size = record["text"], int(unit) if unit.isdigit() else 0
    grams = {text[i : i + size] for i in range(len(text) - size + 1)} if size else text.split()
    sketch = MinHash(num_perm=int(num_perm))
    sketch.update_batch([gram.encode("utf-8") for gram in set(grams)])
    lsh.insert(record["id"], sketch)
    sketches[record["id"]] = sketch
clusters = {name: [name] for name in sketches}
for name, sketch in sketches.items():
    for other in lsh.query(sketch):
        if clusters[other] is not clusters[name]:
            clusters[name] += clusters[other]
            clusters.update(dict.fromkeys(clusters[other], clusters[name]))
groups = list({id(group): group for group in clusters.values()}.values())
order = {name: place for place, name in enumerate(sketches)}
kept = [min(group, key=order.__getitem__) for group in groups]
print(json.dumps({"clusters": groups, "kept": kept}))
