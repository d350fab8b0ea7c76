"""The README shows what the tool prints."""

import re
import subprocess
import sys

from support import ROOT


def test_the_readme_shows_the_real_output_for_the_examples() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    picture = re.search(r"\$ simdup scan examples/corpus\n(.*?)\n```", readme, re.DOTALL)
    assert picture is not None
    run = subprocess.run(
        [sys.executable, "-m", "simdup", "scan", "examples/corpus"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    printed = (run.stdout + b"\n" + run.stderr).decode().rstrip()

    def timeless(text: str) -> str:
        return re.sub(r"in \d+\.\d s", "in 0.0 s", text)

    assert timeless(printed) == timeless(picture[1])
