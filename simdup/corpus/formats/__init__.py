"""The formats of files that are one document each: a row each, and the module that reads it.

How a file begins decides before its suffix does: a Word document that is called ``a.txt`` is none
the less a Word document.  A format is deleted with its row and its module.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from simdup.corpus.compression import split_compression
from simdup.model.settings import PAGES, Reading

if TYPE_CHECKING:
    from simdup.corpus.files import File


class Extracted(NamedTuple):
    """What a document holds."""

    text: str
    title: str | None = None  # as in `Document`
    note: str = ""  # on how it was read


# The `read` of a module: it returns what a file with this content holds.  It raises `NotReadable`
# with the reason, and takes time and memory that grow with the content.
Reader: TypeAlias = "Callable[[bytes, File, Reading], Extracted]"


class Format(NamedTuple):
    """A format.

    Attributes
    ----------
    name : str
        How `File.format` names it.
    module : str
        The module whose `read` reads it.
    suffixes : tuple of str
        How names of such files end, in lower case.
    begins : tuple of bytes
        How such files begin; empty if that does not tell them from others.
    holds : bytes
        What they hold too, if others begin alike.
    named : tuple of str
        The suffixes of files whose beginning counts; empty for all.
    """

    name: str
    module: str
    suffixes: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()
    holds: bytes = b""
    named: tuple[str, ...] = ()


# Programs write pages under the suffixes of office programs, which open them.
_EXPORTED = (".doc", ".xls", ".ppt", ".wps", ".et", ".dps")
_HTML = (".html", ".htm", ".xhtml", ".xht")
_PAGE = (b"<html", b"<HTML", b"<!DOCTYPE html", b"<!DOCTYPE HTML", b"<!doctype html")
_CUES = (b"WEBVTT", b"1\n00:", b"1\r\n00:")
_ZIP = (b"PK\x03\x04",)
_MAIL = (b"Return-Path:", b"Received:", b"Delivered-To:", b"Message-ID:", b"X-Mozilla-Status:")
_OFFICE, _MESSAGE = "simdup.corpus.office", "simdup.corpus.formats.mail"

# Bytes of a file that tell how it begins.
_HEAD = 1024

TEXT = Format("text", "simdup.corpus.formats.text")
_ROWS = (
    TEXT,
    Format("html", "simdup.corpus.html", _HTML, _PAGE, named=_EXPORTED),
    Format("rtf", "simdup.corpus.formats.rtf", begins=(b"{\\rtf",)),
    Format("ipynb", "simdup.corpus.formats.notebook", (".ipynb",), (b"{",), b'"nbformat"'),
    Format("srt", "simdup.corpus.formats.subtitles", (".srt", ".vtt"), _CUES, b" --> "),
    Format("eml", _MESSAGE, (".eml",), _MAIL, b"\nFrom:"),
    Format("mht", _MESSAGE, begins=(b"From: <Saved by ",)),
    Format("mht", _MESSAGE, (".mht", ".mhtml"), (b"MIME-Version:",), b"multipart/rel", _EXPORTED),
    Format("tex", "simdup.corpus.formats.tex", (".tex",), (b"\\documentclass",)),
    Format("docx", _OFFICE, (".docx",), _ZIP, b"word/document.xml"),
    Format("pptx", _OFFICE, (".pptx",), _ZIP, b"ppt/presentation.xml"),
    Format("odt", _OFFICE, (".odt",), _ZIP, b"mimetypeapplication/vnd.oasis.opendocument.text"),
    Format("epub", _OFFICE, (".epub",), _ZIP, b"mimetypeapplication/epub+zip"),
    Format("pdf", _OFFICE, (".pdf",), (b"%PDF-",)),
)
FORMATS = {row.name: row for row in _ROWS}
FORMAT_OF = {suffix: row.name for row in _ROWS for suffix in row.suffixes}


def format_within(content: bytes, file: File, reading: Reading) -> Format:
    """Return the format of a file that is one document, given its content."""
    if reading.input_format in ("auto", PAGES):
        head = content[:_HEAD].removeprefix(codecs.BOM_UTF8).lstrip()
        for row in _ROWS:
            known = head.startswith(row.begins) and row.holds in content
            if known and (not row.named or suffix_of(file.path) in row.named):
                return row
    return FORMATS[file.format]


def suffix_of(path: str) -> str:
    """Return the suffix of a file, in lower case and without that of its compression."""
    return os.path.splitext(split_compression(path)[0])[1].lower()


@cache
def reader_of(row: Format) -> Reader:
    """Return what reads a format."""
    reader: Reader = import_module(row.module).read
    return reader
