"""The digest of a scan of records on Spark: ``python -m campaigns.on_spark``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from campaigns.digests import digest_of, make_rows
from simdup.output.records import digits


def take_digest(spark: Any) -> str:
    """Return the digest of what `scan -f csv` would print of the same records."""
    from simdup.spark import scan

    rows = [row | {"n": n} for n, row in enumerate(make_rows())]
    frame = spark.createDataFrame(rows, "id string, text string, n long").repartition(3, "id")
    found = scan(frame, order="n").clusters
    # The last column is an id of the cluster, which the command does not have.
    lines = [found.columns[:-1], *([_cell(value) for value in row[:-1]] for row in found.collect())]
    return digest_of(["".join(",".join(line) + "\n" for line in lines)])


def _cell(value: Any) -> str:
    return "" if value is None else digits(value) if isinstance(value, float) else str(value)


def main() -> None:
    """Print the digest."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    import spark_session

    if reason := spark_session.missing():
        print(reason, file=sys.stderr)
        sys.exit(3)
    with spark_session.session() as spark:
        print(take_digest(spark))


if __name__ == "__main__":
    main()
