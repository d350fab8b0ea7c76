"""Write the hostile corpus: ``python -m lab.breaking.hostile.make FOLDER``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from lab.breaking.hostile.entries import ENTRIES, corpus
from lab.breaking.hostile.values import FULL, SMALL


def main() -> None:
    """Make the files of all entries."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.breaking.hostile.make", description=__doc__
    )
    parser.add_argument("folder", type=Path, help="a folder that does not exist")
    parser.add_argument("--full", action="store_true", help="gigabytes, on the disk too")
    options = parser.parse_args()
    options.folder.mkdir()
    for kind, entry in ENTRIES:
        folder = options.folder / re.sub(r"\W+", "-", f"{kind} {entry.name}")
        corpus(folder)
        entry.fill(folder, FULL if options.full else SMALL)
        print(folder)


if __name__ == "__main__":
    main()
