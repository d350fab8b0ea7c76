"""What a report page is asked to carry."""

from __future__ import annotations

from dataclasses import dataclass

# The prototype carries the texts of all clusters of nearly every corpus that was tried, and a mail
# program still takes the file.
TEXT_BYTES = 16 << 20


KINDS = ("scan", "cluster", "compare", "dedupe", "passages")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a report page carries.

    Attributes
    ----------
    texts : int or None
        Most bytes that texts may take in the file; 0 for no texts, None for all of them.
    root : str or None
        The folder that links to documents start from; None for the working folder.
    command : str
        The command that made the page, as it was typed.
    kind : str
        One of `KINDS`: what made the page.
    """

    texts: int | None = TEXT_BYTES
    root: str | None = None
    command: str = ""
    kind: str = "scan"
