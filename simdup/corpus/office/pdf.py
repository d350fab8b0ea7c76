"""PDF files, by PDFium in a process of its own, which may hang or crash without harm.

A PDF file is a program that draws pages.  One of 6 kB whose drawings draw each other 2^30 times
keeps PDFium busy for ever, one of 1 kB makes it take 2 GB; both are ended.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from simdup.base.errors import reason
from simdup.base.system import is_closed_pipe
from simdup.base.when_used import pattern
from simdup.corpus.decoding import NotReadable
from simdup.corpus.formats import Extracted
from simdup.corpus.office.pdf_child import MOST_SECONDS

_NEEDS = "PDF: needs python -m pip install 'simdup[office]'"
_CHILD = Path(__file__).with_name("pdf_child.py")

# A line goes on where it is this full: headings and last lines of paragraphs seldom are.
_FULL = 0.75
_HAN = "\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE = pattern(f"[{_HAN}\u3000-\u30ff\uac00-\ud7af\uff00-\uff60]")
# Lines at an edge of a page that may be running heads, and on how many pages these are at least.
_EDGE, _RECURS = 2, 3
_DIGITS = pattern(r"[\d\s]+")
# Between these, a line end is no space.
_OPEN_END, _HAN_START = pattern(f"[{_HAN}，、；：]$"), pattern(f"[{_HAN}]")
# What PDFium and TeX write for a hyphen at a line end.
_HYPHEN, _SMALL = pattern("[\x02\xad\u2010\u2011\ufffe]$"), pattern("[^\\W\\d_]")
_MARKS = str.maketrans("", "", "\x02\xad\ufffe")


def read_pdf(content: bytes, most: int) -> Extracted:
    """Return the text of all pages.

    Parameters
    ----------
    content : bytes
        The file.
    most : int
        The most characters.

    Raises
    ------
    NotReadable
        If pypdfium2 is not installed, or PDFium cannot read the file.
    """
    if find_spec("pypdfium2") is None:
        raise NotReadable(_NEEDS, error=False)
    try:
        facts, text = Child.here().ask(content, most)
    except OSError as error:
        raise NotReadable(f"PDFium cannot be started: {reason(error)}") from None
    if facts.get("large"):
        raise NotReadable(f"more than {most:,} characters")
    if "locked" in facts:
        raise NotReadable("encrypted" if facts["locked"] else "not PDF, or damaged")
    if facts["failed"] == facts["pages"]:
        raise NotReadable("damaged: no page can be read")
    failed = facts["failed"]
    note = f"{failed:,} of {facts['pages']:,} pages cannot be read" if failed else ""
    return Extracted(join_lines(text), note=note)


class Child:
    """The process that reads files, one after another: it can be ended without harm."""

    # By the process that started it, because a forked one cannot use that of its parent.
    _started: ClassVar[dict[int, Child]] = {}

    @classmethod
    def here(cls) -> Child:
        """Return the child of this process.

        Raises
        ------
        OSError
            If it cannot be started.
        """
        if os.getpid() not in cls._started:
            cls._started[os.getpid()] = cls()
        return cls._started[os.getpid()]

    def __init__(self) -> None:
        # Nothing is imported from the folder of the program: `-P`.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_CHILD)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._parent = os.getpid()
        self._one_at_a_time = threading.Lock()
        atexit.register(self.close)

    def ask(self, content: bytes, most: int) -> tuple[dict[str, Any], str]:
        """Return what is known of a file, and its text; after an error the process is ended."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        with self._one_at_a_time:
            try:
                # Without an answer, it is noticed below that the process has ended.
                try:
                    requests.writelines([b"%d %d\n" % (len(content), most), content])
                    requests.flush()
                except OSError as error:
                    if not is_closed_pipe(error):
                        raise
                line = answers.readline()
                if not line:
                    what = f"PDFium fails on it, or takes more than {MOST_SECONDS} seconds"
                    raise NotReadable(what)
                facts: dict[str, Any] = json.loads(line)
                return facts, answers.read(facts["length"]).decode()
            except BaseException:
                # An answer that nobody has read would be taken for that of the next request.
                self.close()
                raise

    def close(self) -> None:
        """End the process; the next request gets a new one."""
        if os.getpid() != self._parent:
            return
        atexit.unregister(self.close)
        self._started.pop(self._parent, None)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()


def join_lines(text: str) -> str:
    """Join the lines of paragraphs: a PDF file has lines only.

    Lines are joined between Chinese characters, which have no space between them, and where a word
    was divided, but not with running heads.  Other line ends stay; they are white space.
    """
    pages = [[line.strip() for line in re.split("[\r\n]+", page)] for page in text.split("\f")]
    pages = [[line for line in page if line] for page in pages]
    heads = _running_heads(pages)
    lines = [line for page in pages for line in page]
    longest = max(map(_width, lines), default=0)
    pieces: list[str] = []
    for line, following in pairwise([*lines, ""]):
        divided = _HYPHEN.search(line) and _SMALL.match(following)
        goes_on = _OPEN_END.search(line) and _HAN_START.match(following)
        if goes_on and heads and not heads.isdisjoint(map(_uncounted, (line, following))):
            goes_on = None
        if divided:
            pieces.append(line[:-1])
        elif goes_on and _width(line) >= _FULL * longest:
            pieces.append(line)
        else:
            pieces.append(line + "\n")
    return "".join(pieces).translate(_MARKS).rstrip("\n")


def _running_heads(pages: list[list[str]]) -> set[str]:
    """Return the lines that begin or end several pages, without their numbers."""
    edges = (set(map(_uncounted, page[:_EDGE] + page[-_EDGE:])) for page in pages)
    counts = Counter(line for page in edges for line in page)
    return {line for line, count in counts.items() if count >= _RECURS}


def _uncounted(line: str) -> str:
    return _DIGITS.sub("", line)


def _width(line: str) -> int:
    return len(line) + len(_WIDE.findall(line))
