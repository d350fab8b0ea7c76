"""Word and PowerPoint documents (ECMA-376), transitional and strict.

The text is what a reader sees: paragraphs, tables, text boxes, footnotes, endnotes, formulas, and
the notes of slides.  Headers, footers, comments, phonetic guides and tracked deletions are not.
"""

from __future__ import annotations

from itertools import product

from simdup.corpus.office.found import NotReadable, OfficeText
from simdup.corpus.office.package import Package
from simdup.corpus.office.xml import PARAGRAPH, SKIP, TEXT, Grammar, attributes_of, text_of

_STRICT, _TRANSITIONAL = "http://purl.oclc.org/ooxml/", "http://schemas.openxmlformats.org/"
_WORD = (f"{_STRICT}wordprocessingml/main", f"{_TRANSITIONAL}wordprocessingml/2006/main")
_DRAWING = (f"{_STRICT}drawingml/main", f"{_TRANSITIONAL}drawingml/2006/main")
_MATH = (f"{_STRICT}officeDocument/math", f"{_TRANSITIONAL}officeDocument/2006/math")
_COMPATIBILITY = (f"{_TRANSITIONAL}markup-compatibility/2006",)


def _named(spaces: tuple[str, ...], names: str) -> list[str]:
    return [f"{space} {name}" for space, name in product(spaces, names.split())]


_GRAMMAR = Grammar(
    elements={
        **dict.fromkeys(_named(_WORD, "p") + _named(_DRAWING, "p"), PARAGRAPH),
        **dict.fromkeys(_named(_WORD + _DRAWING + _MATH, "t"), TEXT),
        # Choices of one text box: programs that know the first one do not show the other.
        **dict.fromkeys(_named(_COMPATIBILITY, "Fallback"), SKIP),
        **dict.fromkeys(_named(_WORD, "rt del moveFrom"), SKIP),
        # Numbers of slides, and dates.
        **dict.fromkeys(_named(_DRAWING, "fld"), SKIP),
    },
    marks={
        **dict.fromkeys(_named(_WORD, "tab ptab") + _named(_DRAWING, "tab"), "\t"),
        **dict.fromkeys(_named(_WORD, "br cr") + _named(_DRAWING, "br"), "\n"),
        **dict.fromkeys(_named(_WORD, "noBreakHyphen"), "-"),
    },
)


def read_docx(package: Package) -> OfficeText:
    """Return the text of a Word document: body, footnotes, endnotes.

    Raises
    ------
    NotReadable
        If it is not a Word document, or damaged.
    """
    main = _main_part(package, "docx")
    related = list(package.targets(main).values())
    parts = [main]
    for wanted in ("footnotes", "endnotes"):
        parts += [part for kind, part in related if kind == wanted and part in package]
    return OfficeText(_joined(package, parts))


def read_pptx(package: Package) -> OfficeText:
    """Return the text of slides in their order, each with its notes.

    Raises
    ------
    NotReadable
        If it is not a presentation, or damaged.
    """
    main = _main_part(package, "pptx")
    related = package.targets(main)
    parts = []
    for name, given in attributes_of(package.read(main)):
        if name.endswith(" sldId"):
            # The attribute is `r:id`, in one of two namespaces; `id` alone is a number.
            ids = [value for key, value in given.items() if key.endswith(" id")]
            slides = [related[one][1] for one in ids if one in related]
            parts += [part for slide in slides for part in (slide, *_notes(package, slide))]
    return OfficeText(_joined(package, parts))


def _notes(package: Package, slide: str) -> list[str]:
    found = package.targets(slide).values()
    return [part for kind, part in found if kind == "notesSlide" and part in package]


def _main_part(package: Package, kind: str) -> str:
    roots = [part for what, part in package.targets("").values() if what == "officeDocument"]
    wanted = "word/" if kind == "docx" else "ppt/"
    if not roots or not roots[0].startswith(wanted):
        raise NotReadable(f"not {kind.upper()}")
    return roots[0]


def _joined(package: Package, parts: list[str]) -> str:
    texts = (text_of(package.read(part), _GRAMMAR)[0] for part in parts)
    return "\n".join(text for text in texts if text)
