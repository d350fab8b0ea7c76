"""simhash: a SimhashIndex of the simhashes of character 3-grams, then a query for each text."""

import json
import re
import sys
from pathlib import Path

from simhash import Simhash, SimhashIndex

path, _, width, k = sys.argv[1:]
prints = {}
for line in Path(path).read_bytes().splitlines():
    record = json.loads(line)
    text = re.sub(r"[^\w]+", "", record["text"].lower())
    grams = [text[i : i + int(width)] for i in range(max(len(text) - int(width) + 1, 1))]
    prints[record["id"]] = Simhash(grams)
index = SimhashIndex(list(prints.items()), k=int(k))
clusters = {name: [name] for name in prints}
for name, simhash in prints.items():
    for other in index.get_near_dups(simhash):
        if clusters[other] is not clusters[name]:
            clusters[name] += clusters[other]
            clusters.update(dict.fromkeys(clusters[other], clusters[name]))
groups = list({id(group): group for group in clusters.values()}.values())
order = {name: place for place, name in enumerate(prints)}
kept = [min(group, key=order.__getitem__) for group in groups]
print(json.dumps({"clusters": groups, "kept": kept}))
