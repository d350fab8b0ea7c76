"""Entry point of `python -m simdup.spark` and of spark-submit."""

import sys

from simdup.spark.command import main

if __name__ == "__main__":
    sys.exit(main())
