"""The program that reads PDF files for `simdup.corpus.office.pdf`; it imports nothing of simdup.

A request is a line with the length of the file and the most characters to return, and the file.
The answer is a line with a JSON object that tells the length of the text, and the text in UTF-8
with a form feed behind each page.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

# Seconds for one file: a page takes 1 to 10 ms, so these are books of 10,000 pages and more.
MOST_SECONDS = 60
# Bytes; a file of 100 MB takes 300 MB, and a hostile one of 1 kB any number.
MOST_MEMORY = 2 << 30

_began: float | None = None  # when the file was begun that is being read


def serve() -> None:
    """Answer requests until there are no more."""
    global _began
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A library that prints something must not spoil an answer.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    while request := requests.readline():
        length, most = map(int, request.split())
        content = requests.read(length)
        _began = time.monotonic()
        facts, text = _read(content, most)
        _began = None
        encoded = text.encode("utf-8", "replace")
        answers.write(json.dumps({**facts, "length": len(encoded)}).encode() + b"\n" + encoded)
        answers.flush()


def _watch(parent: int) -> None:
    """End this process if a file takes too long, or nobody waits for it.

    PDFium cannot be interrupted, but lets other threads run.
    """
    while True:
        time.sleep(0.2)
        late = _began is not None and time.monotonic() - _began > MOST_SECONDS
        if late or os.getppid() != parent:
            os._exit(1)


def _read(content: bytes, most: int) -> tuple[dict[str, Any], str]:
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        return {"locked": "password" in str(error).lower()}, ""
    pages: list[str] = []
    left, failed = most, 0
    for number in range(len(document)):
        try:
            page = document[number]
            text = page.get_textpage()
            pages.append(text.get_text_range())
            text.close()
            page.close()
        except pdfium.PdfiumError:
            failed += 1
            continue
        left -= len(pages[-1])
        if left < 0:
            return {"large": True}, ""
    return {"pages": len(document), "failed": failed}, "".join(page + "\f" for page in pages)


if __name__ == "__main__":
    serve()
