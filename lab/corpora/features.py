"""Copies of the package without a feature: a file and its rows, by the table that has these."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

from lab.measuring import CHECKOUT
from simdup.corpus.formats import FORMATS
from simdup.near.measures import MEASURES
from simdup.near.methods import METHODS
from simdup.near.rules import DIVIDING, RULES
from simdup.near.steps import STEPS

# What the default consists of.
DEFAULT = {
    "shingles", "edits", "simhash", "minhash", "short_texts", "references", "terms", "text", "html",
}  # fmt: skip
# What rows have that does not name the module.
_NAMED = {"office": "_OFFICE,", "mail": "_MESSAGE,"}


class Part(NamedTuple):
    """A feature: its module, and the package with the table that has its rows."""

    table: str
    module: str

    def copied_without(self, folder: Path) -> Path:
        """Return a folder that has a copy of the package without the feature."""
        source = CHECKOUT / "simdup"
        shutil.copytree(source, folder / "simdup", ignore=shutil.ignore_patterns("__pycache__"))
        self.remove_from(folder)
        return folder

    def remove_from(self, folder: Path) -> None:
        """Delete the file, or the folder, and the rows from a copy of the package."""
        package = folder / Path(*self.table.split("."))
        place = package / self.module
        if not place.exists():
            place = place.with_suffix(".py")
        if not place.exists():
            place = package.parent / self.module
        shutil.rmtree(place) if place.is_dir() else place.unlink()
        rows = package / "__init__.py"
        lines = rows.read_text("utf-8").splitlines(keepends=True)
        named = _NAMED.get(self.module, rf'\("{self.module}"|"{self.table}.{self.module}"')
        kept = [line for line in lines if not (line[0] == " " and re.search(named, line))]
        if len(kept) == len(lines):
            raise ValueError(f"no row names {self.module}")
        rows.write_text("".join(kept), "utf-8")


FEATURES = [
    Part(f"simdup.near.{table}", module)
    for table, modules in {
        "measures": {row.module for row in MEASURES},
        "methods": {row.module for row in METHODS},
        "rules": {row.module for row in (*RULES.values(), *DIVIDING)},
        "steps": {row.module for row in STEPS},
    }.items()
    for module in sorted(modules - DEFAULT)
]
FEATURES += [
    Part("simdup.corpus.formats", module)
    for module in sorted({row.module.rpartition(".")[2] for row in FORMATS.values()} - DEFAULT)
]
