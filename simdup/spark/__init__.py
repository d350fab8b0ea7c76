"""The operations on PySpark: the same clusters as on one machine, row for row."""

from simdup.spark.job import Job, dedupe, scan

__all__ = ["Job", "dedupe", "scan"]
