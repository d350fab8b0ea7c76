"""The program that strips texts for `simdup.text.analyzer`; it imports nothing of simdup.

A request is a line with a JSON object, the expressions and the bytes of each text, and the texts in
UTF-8.  The answer is, for each text, one byte for each expression, 1 if it matches something, and a
line with the bytes of what is left, and that; -1 and nothing if no expression matches.
"""

from __future__ import annotations

import faulthandler
import json
import re
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import IO

# Seconds for one text: a thousand times what usual expressions take.
MOST_SECONDS = 5
_PER_CHARACTER = 1e-6


def most_seconds(characters: int) -> int:
    """Return how many seconds a text may take."""
    return MOST_SECONDS + int(characters * _PER_CHARACTER)


def serve() -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while request := requests.readline():
        asked = json.loads(request)
        patterns = [re.compile(one, re.MULTILINE) for one in asked["strip"]]
        for content in [requests.read(size) for size in asked["sizes"]]:
            text = content.decode("utf-8", "surrogatepass")
            _end_after(most_seconds(len(text)))
            _strip(text, patterns, answers)
            _end_after(0)


def _strip(text: str, patterns: Sequence[re.Pattern[str]], answers: IO[bytes]) -> None:
    changed = False
    for pattern in patterns:
        text, found = pattern.subn("", text)
        changed = changed or bool(found)
        # At once: what is missing tells which expression takes too long.
        answers.write(b"1" if found else b"0")
        answers.flush()
    left = text.encode("utf-8", "surrogatepass")
    answers.write(b"%d\n%b" % (len(left), left) if changed else b"-1\n")
    answers.flush()


def _end_after(seconds: int) -> None:
    """End this process after some seconds, unless it is called again; 0 is never.

    An expression can be interrupted by nothing else: it lets no other thread run.  Where there is
    no timer of processor time, the clock decides, which a busy machine makes late.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
    elif seconds:
        faulthandler.dump_traceback_later(4 * seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    serve()
