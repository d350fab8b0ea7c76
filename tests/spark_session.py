"""Spark on this machine, for tests; nobody else reaches it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import pytest
from support import environment

from simdup import SimdupError
from simdup.spark.__main__ import prepare_java

_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def missing() -> str:
    """Why Spark cannot run here; empty if it can."""
    if find_spec("pyspark") is None:
        return "PySpark is not installed"
    try:
        prepare_java()
    except SimdupError as error:
        return error.what
    home = os.environ.get("JAVA_HOME")
    found = f"{home}/bin/java" if home else "java"
    works = subprocess.run([found, "-version"], capture_output=True, check=False).returncode == 0
    return "" if works else "there is no Java"


def require() -> None:
    """Skip a test without Spark, or fail if it is required."""
    reason = missing()
    if reason and os.environ.get("SIMDUP_REQUIRE_SPARK"):
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


@contextmanager
def session(master: str = "local[2]", **settings: str) -> Iterator[Any]:
    """A session that finds this checkout, whatever is installed."""
    from pyspark.sql import SparkSession

    path = environment()["PYTHONPATH"]
    os.environ |= {"PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable}
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    known = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g", "spark.executorEnv.PYTHONPATH": path,
        "spark.sql.shuffle.partitions": "3", "spark.log.level": "ERROR",
        # Jobs here take seconds: for three scans Java needs 44 s of processor time instead of 84
        # if it compiles less.
        "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": _QUICK, "spark.executor.extraJavaOptions": _QUICK,
    }  # fmt: skip
    builder: Any = SparkSession.builder.master(master)
    for name, value in (known | settings).items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    try:
        yield made
    finally:
        made.stop()
