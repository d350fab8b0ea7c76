"""datatrove: its four steps of MinHash deduplication, run on one machine."""

import gzip
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import (
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
)
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.hashing import HashConfig

path, workers, language, n_grams, num_buckets, hashes_per_bucket = sys.argv[1:]
config = MinhashConfig(
    hash_config=HashConfig(precision=64),
    n_grams=int(n_grams),
    num_buckets=int(num_buckets),
    hashes_per_bucket=int(hashes_per_bucket),
)


def run(folder: str) -> None:
    """Run the steps one after the other."""
    reader = JsonlReader(str(Path(path).parent), glob_pattern=Path(path).name)
    removed = JsonlWriter(f"{folder}/removed")
    signatures, buckets, ids = f"{folder}/signatures", f"{folder}/buckets", f"{folder}/ids"
    steps = [
        ([reader, MinhashDedupSignature(signatures, config=config, language=language)], 1),
        ([MinhashDedupBuckets(signatures, buckets, config=config)], int(num_buckets)),
        ([MinhashDedupCluster(buckets, ids, config=config, save_cluster_id=True)], 1),
        (
            [
                reader,
                MinhashDedupFilter(ids, exclusion_writer=removed, load_cluster_ids=True),
                JsonlWriter(f"{folder}/kept"),
            ],
            1,
        ),
    ]
    for number, (pipeline, tasks) in enumerate(steps):
        LocalPipelineExecutor(
            pipeline, tasks=tasks, workers=int(workers), logging_dir=f"{folder}/logs{number}"
        ).run()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
        groups, kept = defaultdict(list), []
        for file in Path(folder).glob("[kr]*/*.jsonl.gz"):
            for line in gzip.decompress(file.read_bytes()).splitlines():
                record = json.loads(line)
                cluster = record["metadata"].get("minhash_cluster_id", -1)
                groups[record["id"] if cluster == -1 else cluster].append(record["id"])
                if file.parent.name == "kept":
                    kept.append(record["id"])
    print(json.dumps({"clusters": list(groups.values()), "kept": kept}))
