"""What reading a document gives: its text, or why there is none."""

from __future__ import annotations

from typing import NamedTuple


class OfficeText(NamedTuple):
    """What a document holds."""

    text: str
    title: str | None = None  # as in `Document`
    note: str = ""  # on how it was read


class NotReadable(Exception):
    """The document cannot be read; the message is the reason why it is skipped."""

    def __init__(self, reason: str, error: bool = True) -> None:
        super().__init__(reason)
        self.error = error  # as in `Skipped`
