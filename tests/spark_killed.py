"""Scan the rows of a file on two executors of their own, and kill one of them meanwhile.

Prints the clusters as JSON, and how many executors were killed.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from spark_session import session


def executors() -> list[int]:
    """The executors that descend from this process."""
    parents, found = {}, []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            status = Path("/proc", entry, "stat").read_text("utf-8", "replace")
            command = Path("/proc", entry, "cmdline").read_bytes()
        except OSError:
            continue
        parents[int(entry)] = int(status.rpartition(")")[2].split()[1])
        if b"CoarseGrainedExecutorBackend" in command and b"java" in command.split(b"\0")[0]:
            found.append(int(entry))
    return [one for one in found if _descends(one, parents)]


def _descends(one: int, parents: dict[int, int]) -> bool:
    while one in parents and one != os.getpid():
        one = parents[one]
    return one == os.getpid()


def main(rows: str, checkpoint: str) -> None:
    """Scan, and kill an executor as soon as the first stage has been made."""
    killed: list[int] = []

    def kill() -> None:
        while not list(Path(checkpoint).glob("*/prepared.done/_SUCCESS")):
            time.sleep(0.05)
        for one in executors()[:1]:
            os.kill(one, signal.SIGKILL)
            killed.append(one)

    with session("local-cluster[2,1,1024]", **{"spark.executor.memory": "1g"}) as spark:
        import simdup.spark

        frame: Any = spark.read.schema("id string, text string, n long").json(rows)
        watch = threading.Thread(target=kill, daemon=True)
        watch.start()
        found = simdup.spark.scan(frame.repartition(4, "id"), order="n", checkpoint_dir=checkpoint)
        clusters = [list(row) for row in found.clusters.collect()]
    print(json.dumps({"clusters": clusters, "killed": len(killed)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
