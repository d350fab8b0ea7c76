"""Subtitles, SubRip and WebVTT: the lines that are shown, without times, numbers and markup."""

from __future__ import annotations

from itertools import pairwise

from simdup.base.when_used import pattern
from simdup.corpus.decoding import decode, unify_line_ends
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.corpus.html import extract_text
from simdup.model.settings import Reading

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = pattern(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?")
# Times within a line, the places of SubStation, such as {\an8}, and the dash before who speaks;
# other tags are those of HTML.
_MARKS = pattern(r"<[\d:.]+>|\{\\[^{}]*\}|^[-–—](?!\s*\d)\s*")
# Blocks of WebVTT that are not shown.
_BLOCKS = pattern(r"(?:WEBVTT|NOTE|STYLE|REGION)(?:[ \t].*)?")


def read(content: bytes, _: File, reading: Reading) -> Extracted:
    """Return the lines of subtitles."""
    decoded = decode(content, reading.encoding)
    lines = [line.strip() for line in unify_line_ends(decoded.text).split("\n")]
    web = lines[0].startswith("WEBVTT")
    timed = [bool(_TIMES.fullmatch(line)) for line in lines]
    shown = list[str]()
    hidden, above = False, ""
    for line, (here, below) in zip(lines, pairwise([*timed, False]), strict=True):
        begins = not above
        above = line
        hidden = (
            bool(line) and not here and (hidden or bool(web and begins and _BLOCKS.fullmatch(line)))
        )
        # Above the times of a line is its number or its name.
        names = below and (line.isdecimal() or (web and begins))
        if here or hidden or names:
            continue
        text = _MARKS.sub("", line)
        text = extract_text(text, "all") if "<" in text or "&" in text else text
        # Lines that roll up are shown again, with the next one below.
        if text and text not in shown[-1:]:
            shown.append(text)
    return Extracted("\n".join(shown), None, decoded.note)
