"""The operations on PySpark: the same clusters as on one machine, row for row."""

from simdup.spark.job import Found, dedupe, scan

__all__ = ["Found", "dedupe", "scan"]
