"""On Spark, the results are those of one machine, row for row."""

import csv
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import spark_session
from support import ROOT, Command, environment

import simdup
from lab.corpora.made import edited, near, prose
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings

pytestmark = [
    pytest.mark.spark,
    # PySpark warns of new versions of pandas, and leaves sockets to the end of the process.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    spark_session.require()
    with spark_session.session() as made:
        yield made


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame(make_rows(), "id string, text string, n long").repartition(3, "id")


@pytest.fixture(scope="module")
def scanned(frame: Any) -> Any:
    """What a scan as usual finds, with the stages that it has made."""
    from simdup.spark import scan

    return scan(frame, order="n")


def make_rows() -> list[dict[str, Any]]:
    """Families of near-duplicates, a family of one template, copies, and rows without a text."""
    texts: list[str | None] = [edited(prose(i // 3), i, i % 5) for i in range(500)]
    template = prose(1000, 80)
    texts += [edited(template, i, 1 + i % 14) for i in range(150)]
    texts += [texts[i % 7] for i in range(60)] + [near(prose(3)), None, "", "。"]
    # As chance would have it: 5 is prime to the number of rows.
    return [
        {"id": f"d{i * 5 % len(texts):04d}", "text": text, "n": i * 5 % len(texts)}
        for i, text in enumerate(texts)
    ]


# The columns that both have.
COLUMNS = (
    "cluster",
    "role",
    "document",
    "fingerprint",
    "distance",
    "similarity",
    "measure",
    "kept",
)


def by_command(simdup: Command, folder: Path, *options: str) -> list[list[str]]:
    """The rows of the CSV that the command writes."""
    ran = simdup("scan", folder / "rows.jsonl", "--id-field", "id", "-f", "csv", *options)
    return [[row[name] for name in COLUMNS] for row in csv.DictReader(ran.lines)]


def plain(rows: list[Any]) -> list[list[str]]:
    """Rows as a CSV has them."""
    from simdup.model.formats import digits

    def cell(value: Any) -> str:
        return "" if value is None else digits(value) if isinstance(value, float) else str(value)

    return [[cell(row[name]) for name in COLUMNS] for row in rows]


# A job takes Spark 10 s and more, so one does for several conditions; the stages are compared
# in more ways without Spark.
OTHER: dict[str, Any] = {
    "keep": "longest", "prefer": ("d01*",), "cosine": 0.8,
    "method": "minhash", "shingle": "words:3",
}  # fmt: skip
STRIPPED = "[河木]."


def options(case: dict[str, Any]) -> list[str]:
    return [
        part
        for name, value in case.items()
        for part in (f"--{name}", value[0] if isinstance(value, tuple) else str(value))
    ]


def test_rows_are_those_of_the_command(scanned: Any, simdup: Command, tmp_path: Path) -> None:
    rows = make_rows()
    write(tmp_path, rows)
    expected = by_library(rows)
    assert plain(scanned.clusters.collect()) == by_command(simdup, tmp_path)
    figures = scanned.summary()
    for name in ("documents", "clusters", "redundant", "skipped", "pairs"):
        assert getattr(figures, name) == getattr(expected.summary, name), name
    assert [tuple(row)[1:5] for row in scanned.pairs.collect()] == [
        (pair.a, pair.b, pair.distance, pair.similarity)
        for cluster in expected.clusters
        for pair in cluster.pairs
    ]
    assert {tuple(row) for row in scanned.skipped.collect()} == {
        (one.document, one.reason) for one in expected.skipped
    }
    first = dict.fromkeys(row["cluster_id"] for row in scanned.clusters.collect())
    assert [*first] == [min(m.name for m in c.members) for c in expected.clusters]


def test_rows_that_stay_are_those_of_the_command(
    frame: Any, simdup: Command, tmp_path: Path
) -> None:
    from simdup.spark import dedupe

    write(tmp_path, make_rows())
    left = dedupe(frame, order="n", text="text", containment=0.6)
    assert left.columns == frame.columns
    kept = simdup("dedupe", tmp_path / "rows.jsonl", "--id-field", "id", "-o", "out.jsonl",
                  "--containment", "0.6")  # fmt: skip
    assert kept.status in (0, 2)
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert sorted(row["id"] for row in left.collect()) == sorted(
        json.loads(line)["id"] for line in lines
    )


def write(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> None:
    """Write rows in their order, as a command reads them."""
    ordered = sorted(rows, key=lambda row: row["n"])
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in ordered)
    (folder / name).write_text("".join(lines), "utf-8")


def by_library(rows: list[dict[str, Any]]) -> simdup.Result:
    """What `scan` finds in a table of the rows."""
    import pyarrow as pa

    ordered = sorted(rows, key=lambda row: row["n"])
    return simdup.scan(pa.Table.from_pylist(ordered), id="id", jobs=1)


def test_references_are_never_redundant(spark: Any, simdup: Command, tmp_path: Path) -> None:
    from simdup.spark import dedupe, scan

    rows = make_rows()
    known, new = rows[:100], rows[100:]
    write(tmp_path, new)
    write(tmp_path, known, "known.jsonl")
    schema = "id string, text string, n long"
    frames = [spark.createDataFrame(some, schema) for some in (new, known)]
    checkpoint = {"checkpoint_dir": str(tmp_path / "checkpoint")}
    found = scan(frames[0], order="n", references=frames[1], **checkpoint)
    expected = by_command(simdup, tmp_path, "--reference", "known.jsonl")
    assert plain(found.clusters.collect()) == expected
    # The stages are there already.
    left = dedupe(frames[0], order="n", references=frames[1], **checkpoint)
    redundant = {row[2] for row in expected if row[1] == "redundant"}
    assert {row["id"] for row in left.collect()} == {row["id"] for row in new} - redundant


def test_workers_map_a_model_that_the_recipe_names(
    spark: Any, simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from simdup.spark import job, scan

    rows, model = make_rows(), tmp_path / "idf.model"
    write(tmp_path, rows)
    simdup("fit", tmp_path / "rows.jsonl", "-o", model)
    sizes: list[int] = []
    run = job.run

    def measured(frame: Any, work: Any, *more: Any, **options: Any) -> Any:
        sizes.append(len(pickle.dumps(work)))
        return run(frame, work, *more, **options)

    monkeypatch.setattr(job, "run", measured)
    frame = spark.createDataFrame(rows, "id string, text string, n long")
    found = scan(frame, Recipe(idf=str(model), strip=(STRIPPED,)), order="n")
    expected = by_command(simdup, tmp_path, "--recipe", f"default,idf={model}", "--strip", STRIPPED)
    assert plain(found.clusters.collect()) == expected
    assert max(sizes) < 5_000 < model.stat().st_size


def test_a_checkpoint_is_read_by_the_same_job_and_format_only(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from simdup.spark import job

    schema = "id string, text string, name string"
    frame = spark.createDataFrame([("a", "one", "two")], schema)

    def digest(**fields: Any) -> str:
        settings = Settings.of(id="id", **fields)
        return job.digest_of(job.open_rows(frame, None, settings, ["id"]), settings)

    cases: list[dict[str, Any]] = [
        {"text": ("text", "name")}, {"text": "text", "same": "title"},
        {"text": "text", "keep": "max:name"},
    ]  # fmt: skip
    digests = [digest(**case) for case in cases]
    assert len(set(digests)) == len(cases)
    assert digest(**cases[0]) == digests[0]
    monkeypatch.setattr(job, "_FORMAT", job._FORMAT - 1)
    assert digest(**cases[0]) not in digests


def test_limits_of_a_task_change_nothing(scanned: Any) -> None:
    limited = replace(scanned, checkpoint=f"{scanned.checkpoint}/limited", many=20)
    assert limited.clusters.collect() == scanned.clusters.collect()
    assert limited.components.count() == scanned.components.count()
    assert limited.components.collect() != scanned.components.collect()


def test_a_job_that_was_stopped_goes_on_at_the_next_stage(
    frame: Any, scanned: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import DataFrameWriter

    from simdup.spark import scan

    write, made = DataFrameWriter.parquet, list[str]()

    def stopped(self: Any, path: str) -> None:
        write(self, path)
        if path.endswith(".done"):
            made.append(Path(path).stem)
            raise KeyboardInterrupt

    expected = [tuple(row) for row in scanned.clusters.collect()]
    monkeypatch.setattr(DataFrameWriter, "parquet", stopped)
    stages = ["prepared", "frequencies", "documents", "edges", "labels", "components", "groups"]
    stages.append("numbers")
    for _ in stages:
        with pytest.raises(KeyboardInterrupt):
            scan(frame, order="n", checkpoint_dir=str(tmp_path))
    assert made == stages
    found = scan(frame, order="n", checkpoint_dir=str(tmp_path))
    assert [tuple(row) for row in found.clusters.collect()] == expected


def test_the_command_writes_folders(
    spark: Any, simdup: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from simdup.spark.__main__ import main

    write(tmp_path, make_rows())
    source, out = str(tmp_path / "rows.jsonl"), tmp_path / "out"
    given = ["-s", "0.9", *options(OTHER)]
    assert main(["scan", source, "-o", str(out), "--format", "csv", *given]) == 0
    assert "documents" in capsys.readouterr().err
    lines = [
        line.split(",")[:-1]
        for part in sorted((out / "clusters").glob("*.csv"))
        for line in part.read_text("utf-8").splitlines()[1:]
    ]
    expected = by_command(simdup, tmp_path, *given)
    assert [line[:5] for line in lines] == [line[:5] for line in expected]
    assert {one.name for one in out.iterdir()} == {"clusters", "pairs", "skipped"}
    assert main(["scan", source, "-o", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["scan", source, "-o", str(tmp_path / "no"), "--field", "body"]) == 2
    assert "there is no column 'body'" in capsys.readouterr().err
    assert main(["scan", source, "-o", str(tmp_path / "no"), "--keep", "last"]) == 2
    assert "--keep: " in capsys.readouterr().err
    assert main(["--path"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_file()


def test_the_python_of_the_page_runs(spark: Any, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "spark.md").read_text("utf-8")
    (block,) = re.findall(r"^```py\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    rows = [(row["text"], f"https://example.org/{row['n']}", row["n"]) for row in make_rows()[:40]]
    frame = spark.createDataFrame(rows, "content string, url string, position long")
    known: dict[str, Any] = {"df": frame}
    exec(block.replace("hdfs:///tmp/simdup", str(tmp_path)), known)
    assert 0 < known["clean"].count() < frame.count()
    shown = re.findall(r"(\w+)\.show\(\) +# (.*)", block)
    assert {name: getattr(known["found"], name).columns for name, _ in shown} == {
        name: columns.split(", ") for name, columns in shown
    }


def test_mistakes_are_said_in_a_sentence(spark: Any, tmp_path: Path) -> None:
    from simdup.spark import dedupe, scan

    frame = spark.createDataFrame([("a", "one"), ("a", "two")], "id string, text string")
    with pytest.raises(simdup.SimdupError, match="'a' is the id of several rows"):
        dedupe(frame)
    with pytest.raises(simdup.SimdupError, match="there is no column 'url'"):
        scan(frame, id="url")
    with pytest.raises(simdup.SimdupError, match="invalid value"):
        scan(frame, similarity=2)
    with pytest.raises(simdup.SimdupError, match="across: does not work on Spark"):
        scan(frame, across="author")


def test_a_killed_executor_changes_nothing(tmp_path: Path) -> None:
    spark_session.require()
    rows = make_rows()
    write(tmp_path, rows)
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "spark_killed.py", "rows.jsonl", tmp_path / "checkpoint"],
        cwd=tmp_path, env=environment(SPARK_LOCAL_IP="127.0.0.1"), capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["killed"] == 1
    expected = by_library(rows)
    assert [row[2] for row in said["clusters"]] == [
        member.name for cluster in expected.clusters for member in cluster.members
    ]
