"""gaoya: a MinHashStringIndex of all texts, then a query for each."""

import json
import sys
from pathlib import Path

from gaoya.minhash import MinHashStringIndex

path, _, analyzer, size, threshold, num_bands, band_size = sys.argv[1:]
index = MinHashStringIndex(
    hash_size=32,
    jaccard_threshold=float(threshold),
    num_bands=int(num_bands),
    band_size=int(band_size),
    num_hashes=int(num_bands) * int(band_size),
    analyzer=analyzer,
    lowercase=True,
    ngram_range=(int(size), int(size)),
)
records = [json.loads(line) for line in Path(path).read_bytes().splitlines()]
texts = [record["text"] for record in records]
index.par_bulk_insert_docs(list(range(len(texts))), texts)
clusters = {number: [number] for number in range(len(texts))}
for number, others in enumerate(index.par_bulk_query(texts)):
    for other in others:
        if clusters[other] is not clusters[number]:
            clusters[number] += clusters[other]
            clusters.update(dict.fromkeys(clusters[other], clusters[number]))
numbers = {id(group): group for group in clusters.values()}.values()
groups = [[records[number]["id"] for number in group] for group in numbers]
kept = [records[min(group)]["id"] for group in numbers]
print(json.dumps({"clusters": groups, "kept": kept}))
