"""The sources that made theses copy from, and what is particular about each thesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.marks import QUOTES, part, plain
from lab.corpora.thesis_forms import (
    ALTERNATE,
    DOCX,
    FOOT,
    LATEX,
    MD,
    PDF,
    SAME,
    TEX,
    TXT,
    Style,
)
from lab.corpora.thesis_words import (
    APA,
    ENTRIES,
    GBT,
    IEEE,
    PLAIN,
    STATEMENTS,
    Chance,
    author,
    joined,
    sentence,
    sentences,
    title,
    word,
)

# How a thesis cites: by number, by name and year, by notes at the foot of a page.
NUMBER, NAME, NOTE = "number", "name", "note"

# Sources of each language, and their entries.
SOURCES_IN = 12
_ENTRIES_IN = 16

# -- sources --


@dataclass(frozen=True)
class Source:
    """A text that theses copy from; `statement` is the number of the one that it has."""

    number: int
    language: str
    paragraphs: tuple[tuple[str, ...], ...]  # sentences; quotations have marks
    entries: tuple[str, ...]
    system: str
    statement: int | None

    @property
    def name(self) -> str:
        """Its name."""
        return f"source {self.number:02}"

    def text(self, chance: Chance) -> str:
        """Return its text: title, statement, paragraphs, references."""
        language = self.language
        blocks = [title(language, chance), author(language, chance)]
        if self.statement is not None:
            for name, says, signed in STATEMENTS[language][self.statement]:
                blocks += [name, *says, *signed]
        blocks += [joined([*map(plain, one)], language) for one in self.paragraphs]
        blocks.append("参考文献" if language == CHINESE else "References")
        blocks.append("\n".join(_numbered(self.entries, self.system)))
        return "\n\n".join(blocks) + "\n"


def _numbered(entries: Sequence[str], system: str) -> list[str]:
    return [one if system == APA else f"[{n}] {one}" for n, one in enumerate(entries, 1)]


def citation(language: str, how: str, chance: Chance) -> str:
    """Return a citation in the text; notes have signs of their own."""
    year = chance.randint(1996, 2024)
    family = word(language, "family", chance)
    if how == NAME and language == CHINESE:
        return f"（{author(language, chance)}，{year}）"
    if how == NAME:
        page = chance.choice(("", f", p. {chance.randint(2, 300)}"))
        return f" ({family}{chance.choice(('', ' et al.', ' & Young'))}, {year}{page})"
    number = chance.randint(1, 24)
    sign = chance.choice((f"[{number}]", f"[{number}]", f"[{number}-{number + 2}]"))
    return sign if language == CHINESE else f" {sign}"


def made_source(number: int, language: str, chance: Chance) -> Source:
    """Return another source."""
    said = []
    for _ in range(34):
        one = sentences(language, chance.randint(3, 6), chance)
        if chance.random() < 0.12:
            cited = citation(language, NUMBER, chance)
            words = sentence(language, chance)[:-1]
            mark, end = ("“", "。") if language == CHINESE else ("“", ".")
            one.insert(1, part(QUOTES, f"{mark}{words}”{cited}") + end)
        said.append(tuple(one))
    system = GBT if language == CHINESE else (APA, IEEE, PLAIN)[number % 3]
    entries = tuple(ENTRIES[system](chance) for _ in range(_ENTRIES_IN))
    in_pool = len(STATEMENTS[language]) - 1
    place = number % SOURCES_IN
    return Source(number, language, tuple(said), entries, system,
                   place if place < in_pool else None)  # fmt: skip


# -- plans --


@dataclass(frozen=True)
class Plan:
    """What is particular about a thesis."""

    style: Style
    cites: str
    system: str
    references: str  # the heading, with {n} for the number of a chapter
    extras: str  # names of what it has, by spaces
    contents: str

    def has(self, extra: str) -> bool:
        """Return whether the thesis has something that not all have."""
        return extra in self.extras.split()


def _zh(
    form: str, cites: str, references: str, extras: str, contents: str, **style: object
) -> Plan:
    return Plan(Style(CHINESE, form, **style), cites, GBT, references, extras, contents)  # type: ignore[arg-type]


def _en(form: str, cites: str, system: str, references: str, extras: str, **style: object) -> Plan:
    contents = "Table of Contents" if len(references) % 2 else "Contents"
    return Plan(Style(ENGLISH, form, **style), cites, system, references, extras, contents)  # type: ignore[arg-type]


PLANS = (
    _zh(DOCX, NUMBER, "参考文献", "statement appendix thanks", "目录", leader="\t"),
    _zh(DOCX, NAME, "参 考 文 献", "statement figures thanks works", "目  录", leader="."),
    _zh(DOCX, NUMBER, "第{n}章 参考文献", "head appendix", "目 录", leader="…"),
    _zh(PDF, NUMBER, "参考文献", "statement figures appendix thanks works", "目  录", width=76,
        leader=".", heads=SAME, head="{school}硕士学位论文", foot="第 {n} 页 共 {all} 页"),
    _zh(PDF, NOTE, "参考文献：", "statement thanks", "目　录", width=70, leader="…",
        heads=ALTERNATE, head="{title}", foot="- {n} -"),
    _zh(PDF, NUMBER, "参考文献", "figures thanks appendix", "目录", width=78, leader=". ",
        heads=LATEX, spaced=True),
    _zh(TXT, NUMBER, "【参考文献】", "statement thanks late", "目录", leader="·", spaced=True),
    _zh(TXT, NOTE, "主要参考文献", "appendix", "目录", width=72, leader=".", spaced=True),
    _zh(MD, NAME, "参考文献", "statement chapters thanks", "目录", spaced=True),
    _zh(TEX, NUMBER, "参考文献", "statement appendix thanks", "", spaced=True),
    _en(DOCX, NAME, APA, "References", "statement appendix thanks", leader="\t"),
    _en(DOCX, NUMBER, IEEE, "{n} References", "head figures works thanks", leader="."),
    _en(PDF, NUMBER, IEEE, "References", "statement figures appendix thanks", width=84,
        leader=".", heads=SAME, head="{title}", foot="Page {n} of {all}"),
    _en(PDF, NUMBER, PLAIN, "Bibliography", "statement figures thanks", width=78, leader=" .",
        heads=LATEX, hyphens=True),
    _en(PDF, NAME, APA, "References", "chapters appendix", width=74, leader=" .", heads=LATEX,
        hyphens=True, spaced=True),
    _en(PDF, NOTE, PLAIN, "BIBLIOGRAPHY", "statement thanks works", width=80, leader=".",
        heads=FOOT, hyphens=True),
    _en(TXT, NAME, APA, "REFERENCES", "statement appendix late", width=76, leader=".", spaced=True),
    _en(TXT, NUMBER, IEEE, "7 References", "thanks figures", leader=".", spaced=True),
    _en(MD, NOTE, PLAIN, "Works Cited", "statement thanks", spaced=True),
    _en(TEX, NUMBER, PLAIN, "Bibliography", "statement appendix", spaced=True),
)  # fmt: skip
