"""Write the hostile corpus: ``python -m lab.breaking.hostile.make FOLDER``."""

import argparse
import re
from pathlib import Path

from lab.breaking.hostile import ENTRIES
from lab.breaking.hostile.entries import SCALES, corpus, put

if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m lab.breaking.hostile.make", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder that does not exist")
    parser.add_argument("--full", action="store_true", help="gigabytes, on the disk too")
    options = parser.parse_args()
    options.folder.mkdir()
    for kind, entry in ENTRIES:
        folder = options.folder / re.sub(r"\W+", "-", f"{kind} {entry.name}")
        corpus(folder)
        put(entry.fill, folder, SCALES["full" if options.full else "small"])
        print(folder)
