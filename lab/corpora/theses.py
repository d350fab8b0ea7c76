"""Made theses with known parts: what an examiner leaves out, and what a source has too.

Twenty theses, half of them in Chinese, as Word text, plain text, Markdown, LaTeX and as a reader of
PDF prints them.  They copy from a pool of sources that is made as well; references, quotations and
statements stand in the sources, too.  What belongs to a part at its borders:

references
    From the heading of the list, with its number, to the end of the last entry; in LaTeX from
    ``\\begin{thebibliography}`` to its ``\\end``.  One for each list.  Publications of the author,
    an appendix and the notes at the foot of a page do not count.
quotes
    Quotations that name a source: from the opening mark to the closing one, and the citation behind
    it (a number, a name with a year, the sign of a note); not the name of an author before it, nor
    a full stop after the citation.  A block quotation from its first letter to the citation at its
    end, with the signs of Markdown and the environment of LaTeX.  A sentence that quotes a term of
    one or two words and cites somewhere does not count.
contents
    From the heading to the last entry; lists of figures the same.
headers
    Each head and each foot of a page, page numbers included.  A line that stands once at the head
    of a text without pages does not count.
statement
    From its heading to the last line to sign.  A statement of originality and one of rights are
    two parts.

Blank lines around a part are outside, those within inside.  A part is cut by the head and foot of
a page in it; so is a copied range.  Quotations without a source are copied and no part.
Copied ranges are what the author took; they may be shorter than what a search reports, and a few
sentences of the author's own share some words with a source by chance.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lab.corpora.facts import CHINESE, ENGLISH, LANGUAGES, han
from lab.corpora.marks import (
    CLOSE,
    QUOTES,
    REFERENCES,
    STATEMENT,
    Copied,
    Part,
    copied,
    located,
    note,
    opened,
    part,
    plain,
)
from lab.corpora.office_files import docx, paragraphs
from lab.corpora.thesis_forms import (
    BREAK,
    CAPTION,
    DOCX,
    END,
    ENTRY,
    FIGURES,
    HEADING,
    LINE,
    MD,
    PARAGRAPH,
    PDF,
    QUOTE,
    TABLE_OF_CONTENTS,
    TEX,
    TITLE,
    TXT,
    Block,
    paged,
    unpaged,
)
from lab.corpora.thesis_plans import (
    NOTE,
    NUMBER,
    PLANS,
    SOURCES_IN,
    Plan,
    Source,
    citation,
    made_source,
)
from lab.corpora.thesis_words import (
    APA,
    DECOY_HEADINGS,
    DECOYS,
    ENTRIES,
    PLAIN,
    STATEMENTS,
    Chance,
    author,
    heading,
    joined,
    sentence,
    sentences,
    title,
    word,
)

# Shares of paragraphs: copied ones, with a quotation that names a source and with one that names
# none, block quotations, lines that look like a part, sentences that cite without a quotation.
_COPIED, _QUOTED, _UNNAMED, _BLOCKS, _DECOYS, _CITING = 0.22, 0.16, 0.07, 0.07, 0.1, 0.12
# Of quotations, those whose words are in the pool; the same of references and statements.
_IN_POOL = 0.7


class Thesis(NamedTuple):
    """A thesis and what is known of it; `form` is docx, txt, md, tex or pdf."""

    name: str
    text: str
    form: str
    language: str
    parts: list[Part]
    copies: list[Copied]


class Counts(NamedTuple):
    """Characters of a thesis without white space."""

    all: int
    left_out: int
    copied: int
    copied_left_out: int

    @property
    def share(self) -> float:
        """The share that is copied."""
        return self.copied / self.all

    @property
    def share_without(self) -> float:
        """The share of what is not left out that is copied."""
        return (self.copied - self.copied_left_out) / (self.all - self.left_out)


def counts(thesis: Thesis, kinds: Collection[str]) -> Counts:
    """Return how much of a thesis is copied, and how much is in parts of these kinds."""
    left_out = bytearray(len(thesis.text))
    same = bytearray(len(thesis.text))
    for one in thesis.parts:
        if one.kind in kinds:
            left_out[one.start : one.end] = b"\1" * (one.end - one.start)
    for copy in thesis.copies:
        same[copy.start : copy.end] = b"\1" * (copy.end - copy.start)
    flags = [
        (out, again)
        for out, again, character in zip(left_out, same, thesis.text, strict=True)
        if not character.isspace()
    ]
    return Counts(
        len(flags), sum(out for out, _ in flags), sum(again for _, again in flags),
        sum(out and again for out, again in flags),
    )  # fmt: skip


class Theses(NamedTuple):
    """Theses, and the texts of the sources by name."""

    theses: list[Thesis]
    sources: dict[str, str]


# -- a thesis --


class _Author:
    """Writes a thesis block by block."""

    def __init__(self, plan: Plan, pool: Sequence[Source], chance: Chance) -> None:
        self._plan, self._chance, self._language = plan, chance, plan.style.language
        mine = [one for one in pool if one.language == self._language]
        same = [one for one in mine if one.system == plan.system]
        self._sources = chance.sample(same, 2) + chance.sample(mine, 3)
        self._pool = mine
        self._fresh = [
            (one, place) for one in dict.fromkeys(self._sources)
            for place in range(len(one.paragraphs))
        ]  # fmt: skip
        chance.shuffle(self._fresh)
        self._entries = [
            (one, place) for one in dict.fromkeys(self._sources) if one.system == plan.system
            for place in range(len(one.entries))
        ]  # fmt: skip
        chance.shuffle(self._entries)
        self.notes: dict[int, str] = {}
        self._blocks: list[Block] = []
        self._chapter = 0
        self._chinese = self._language == CHINESE
        self.title = title(self._language, chance)
        self.school = word(self._language, "school", chance)

    def blocks(self) -> list[Block]:
        """Return all blocks."""
        plan = self._plan
        self._front()
        if plan.has("statement") and not plan.has("late"):
            self._statements()
        self._abstract()
        if plan.contents or plan.style.format == TEX:
            self._add(TABLE_OF_CONTENTS, plan.contents)
        if plan.has("figures"):
            self._add(BREAK)
            self._add(FIGURES, "插图目录" if self._chinese else "List of Figures")
        for _ in range(5):
            self._new_chapter()
        if not plan.has("chapters"):
            self._references(plan.references, 1)
        self._back()
        if plan.has("statement") and plan.has("late"):
            self._statements()
        return self._blocks

    def _add(self, form: str, text: str = "", number: str = "", level: int = 0) -> None:
        self._blocks.append(Block(form, text, number, level))

    def _say(self, count: int) -> str:
        return joined(sentences(self._language, count, self._chance), self._language)

    # -- front and back --

    def _front(self) -> None:
        chance, language = self._chance, self._language
        if self._plan.has("head"):
            kind = "硕士学位论文" if self._chinese else " – Master's Thesis"
            self._add(LINE, self.school + kind)
        who, guide = author(language, chance), author(language, chance)
        college = word(language, "college", chance)
        if self._chinese:
            lines = ("分类号：G25　　密级：公开", self.school, "硕 士 学 位 论 文", self.title,
                     f"学生姓名：{who}", f"指导教师：{guide}　教授", f"学　　院：{college}",
                     "二〇二四年五月")  # fmt: skip
        else:
            lines = (self.title, f"by {who}", f"A thesis submitted to {self.school}",
                     "in partial fulfilment of the requirements for the degree of",
                     "Master of Arts", college, f"Supervisor: {guide}", "May 2024")  # fmt: skip
        for line in lines:
            self._add(TITLE, line)
        self._add(BREAK)

    def _statements(self) -> None:
        variants = STATEMENTS[self._language]
        number = self._chance.randrange(len(variants))
        holders = [one for one in self._pool if one.statement == number]

        def said(text: str) -> str:
            return copied(holders[0].number, text) if holders else text

        for name, says, signed in variants[number]:
            self._add(HEADING, opened(STATEMENT) + said(name))
            for text in says:
                self._add(PARAGRAPH, said(text))
            for text in signed[:-1]:
                self._add(LINE, said(text))
            self._add(LINE, said(signed[-1]) + CLOSE)
        self._add(BREAK)

    def _abstract(self) -> None:
        for language in (CHINESE, ENGLISH) if self._chinese else (ENGLISH,):
            own = sentences(language, self._chance.randint(6, 9), self._chance)
            self._add(HEADING, "摘　要" if language == CHINESE else "Abstract")
            self._add(PARAGRAPH, joined(own, language))
            topics = [word(language, "topic", self._chance) for _ in range(4)]
            keys = (
                "关键词：" + "；".join(topics)
                if language == CHINESE
                else "Keywords: " + ", ".join(topics)
            )
            self._add(LINE, keys)
            self._add(BREAK)

    def _back(self) -> None:
        plan, chance, language = self._plan, self._chance, self._language
        if plan.has("appendix"):
            self._add(BREAK)
            self._add(
                HEADING, "附录A　访谈提纲" if self._chinese else "Appendix A: Questions", "", 1
            )
            for number in range(1, 5):
                mark = f"{number}．" if self._chinese else f"{number}. "
                self._add(LINE, mark + sentence(language, chance))
            self._add(PARAGRAPH, self._say(3))
        if plan.has("works"):
            self._add(BREAK)
            name = "攻读学位期间发表的学术论文" if self._chinese else "Publications by the Author"
            self._add(HEADING, name, "", 1)
            for number in range(1, 4):
                self._add(LINE, f"[{number}] {ENTRIES[plan.system](chance)}")
        if plan.has("thanks"):
            self._add(BREAK)
            thanks = ("致　谢", "感谢导师") if self._chinese else ("Acknowledgements", "I thank ")
            self._add(HEADING, thanks[0], "", 1)
            names = [author(language, chance) for _ in range(3)]
            self._add(PARAGRAPH, thanks[1] + ("、" if self._chinese else ", ").join(names)
                      + ("。" if self._chinese else ". ") + self._say(3))  # fmt: skip

    # -- chapters --

    def _new_chapter(self) -> None:
        self._chapter += 1
        chance, language, plan = self._chance, self._language, self._plan
        self._add(BREAK)
        first = ("绪论" if self._chinese else "Introduction") if self._chapter == 1 else ""
        number = f"第{han(self._chapter)}章" if self._chinese else f"{self._chapter}"
        if not self._chinese and plan.style.format == DOCX:
            number = f"Chapter {self._chapter}:"
        self._add(HEADING, first or heading(language, chance), number, 1)
        for section in range(1, chance.randint(3, 4)):
            name = heading(language, chance)
            if self._chapter == 3 and section == 2:
                name = chance.choice(DECOY_HEADINGS[language])
            self._add(HEADING, name, f"{self._chapter}.{section}", 2)
            for _ in range(chance.randint(4, 6)):
                self._paragraph()
            if section == 1 and plan.has("figures"):
                mark = "图" if self._chinese else "Figure"
                self._add(CAPTION, f"{mark} {self._chapter}-1 {heading(language, chance)}")
        if plan.has("chapters"):
            self._references(plan.references, 2)

    def _paragraph(self) -> None:
        chance, point = self._chance, self._chance.random()
        before = self._own(chance.randint(1, 3))
        after = self._own(chance.randint(1, 2))
        for share, make in (
            (_COPIED, self._passage), (_QUOTED, self._quotation), (_UNNAMED, self._unnamed),
        ):  # fmt: skip
            if point < share:
                text = make()
                alone = make == self._passage and chance.random() < 0.5
                self._add(
                    PARAGRAPH, text if alone else joined([*before, text, *after], self._language)
                )
                return
            point -= share
        if point < _BLOCKS:
            # Word text has no indents.
            if self._plan.style.format == DOCX or chance.random() < 0.5:
                who = author(self._language, chance)
                before.append(f"{who}写道：" if self._chinese else f"{who} writes as follows:")
            self._add(PARAGRAPH, joined(before, self._language))
            self._add(QUOTE, self._block_quotation())
        elif point < _BLOCKS + _DECOYS:
            for line in chance.choice(DECOYS[self._language]):
                self._add(LINE, line)
        self._add(PARAGRAPH, joined(self._own(chance.randint(3, 5)), self._language))

    def _own(self, count: int) -> list[str]:
        """Return sentences of the thesis's own, some of which cite or quote a term."""
        made = []
        for one in sentences(self._language, count, self._chance):
            text = one
            if self._chance.random() < _CITING:
                text = one[:-1] + self._cited(NUMBER if self._plan.cites == NOTE else "") + one[-1]
            elif self._chance.random() < 0.12:
                term = word(self._language, "short", self._chance)
                left, right = self._marks()
                name = f"{left}{term}{right}"
                text = f"所谓{name}，{one}" if self._chinese else f"What is {name}? {one}"
            made.append(text)
        return made

    def _taken(self, least: int, most: int) -> tuple[Source, list[str]]:
        """Return some sentences in a row that no other place of the thesis has."""
        source, place = self._fresh.pop()
        whole = source.paragraphs[place]
        size = min(len(whole), self._chance.randint(least, most))
        start = self._chance.randint(0, len(whole) - size)
        return source, [*whole[start : start + size]]

    def _passage(self) -> str:
        source, taken = self._taken(2, 6)
        return copied(source.number, joined(taken, self._language))

    def _words(self, most: int) -> str:
        """Return the words of a quotation, without a full stop at their end."""
        if self._chance.random() < _IN_POOL:
            source, taken = self._taken(1, most)
            flat = [plain(one) for one in taken if plain(one) == one]
            if flat:
                # What was between the others is not in the source.
                text = joined(flat if len(flat) == len(taken) else flat[-1:], self._language)
                return copied(source.number, text[:-1])
        return self._say(self._chance.randint(1, most))[:-1]

    def _cited(self, how: str = "") -> str:
        """Return a citation of the thesis's own."""
        how = how or self._plan.cites
        if self._plan.style.format == TEX:
            key = self._chance.randint(1, 24)
            return f"\\cite{{{key}}}" if self._chinese else f"~\\cite{{{key}}}"
        if how != NOTE:
            return citation(self._language, how, self._chance)
        number = len(self.notes) + 1
        work, page = title(self._language, self._chance), self._chance.randint(2, 300)
        who, press = (
            author(self._language, self._chance),
            word(self._language, "press", self._chance),
        )
        self.notes[number] = (
            f"{who}：《{work}》，{press}，2018年，第{page}页。" if self._chinese
            else f"{who}, {work} ({press}, 2018), {page}."
        )  # fmt: skip
        return note(number)

    def _marks(self) -> tuple[str, str]:
        if self._plan.style.format == TEX and not self._chinese:
            return "``", "''"
        if not self._chinese and self._plan.style.format in (TXT, MD):
            return '"', '"'
        return ("「", "」") if self._plan.contents == "目　录" else ("“", "”")

    def _quotation(self) -> str:
        """Return a sentence with a quotation that names its source."""
        chance, (left, right) = self._chance, self._marks()
        words, cited = self._words(2), self._cited()
        who, year = word(self._language, "family", chance), chance.randint(1996, 2024)
        quoted, stop = part(QUOTES, f"{left}{words}{right}{cited}"), "。" if self._chinese else "."
        inside = part(QUOTES, f"{left}{words}{stop}{right}{cited}")
        if self._chinese:
            who = author(self._language, chance)
            named = part(QUOTES, f"{left}{words}{stop}{right}")
            return chance.choice((f"{who}指出：{inside}", f"有学者认为，{quoted}。", f"{quoted}。",
                                  f"{who}（{year}）写道：{named}"))  # fmt: skip
        named = part(QUOTES, f"{left}{words}{stop}{right}")
        return chance.choice((f"As {who} puts it, {inside}", f"It was held that {quoted}.",
                              f"{quoted}.", f"{who} ({year}) writes: {named}"))  # fmt: skip

    def _unnamed(self) -> str:
        """Return a sentence with a quotation that names no source."""
        source, taken = self._taken(1, 2)
        flat = [plain(one) for one in taken][:1]
        left, right = self._marks()
        words = copied(source.number, flat[0][:-1])
        if self._chinese:
            return f"常听到这样的说法：{left}{words}{right}。"
        return f"A common view is this: {left}{words}{right}."

    def _block_quotation(self) -> str:
        words, cited = self._words(4), self._cited()
        return part(QUOTES, f"{words}{'。' if self._chinese else '.'}{cited}")

    # -- references --

    def _references(self, name: str, level: int) -> None:
        plan, chance = self._plan, self._chance
        number = str(self._chapter + 1) if not self._chinese else han(self._chapter + 1)
        chapter, mark, rest = name.format(n=number).partition(" ")
        # "参 考 文 献" and "Works Cited" have no number.
        numbered = bool(mark) and (chapter[-1] == "章" or chapter.isdecimal())
        self._add(BREAK) if level == 1 else None
        text = opened(REFERENCES) + (rest if numbered else name)
        self._add(HEADING, text, chapter if numbered else "", level)
        count = chance.randint(5, 8) if level == 2 else chance.randint(16, 26)
        entries = []
        for _ in range(count):
            if self._entries and chance.random() < _IN_POOL:
                source, place = self._entries.pop()
                entries.append((source.entries[place], source.number))
            else:
                entries.append((ENTRIES[plan.system](chance), -1))
        if plan.system in (APA, PLAIN):
            entries.sort()
        for place, (entry, source_number) in enumerate(entries, 1):
            text = copied(source_number, entry) if source_number >= 0 else entry
            self._add(
                ENTRY, text, "" if plan.system == APA and plan.style.format != TEX else f"[{place}]"
            )
        self._add(END, CLOSE)


def theses(seed: int = 37) -> Theses:
    """Return twenty theses and the sources that they copy from."""
    chance = random.Random(seed)
    pool = [
        made_source(number, LANGUAGES[number // SOURCES_IN], chance)
        for number in range(2 * SOURCES_IN)
    ]
    names = [one.name for one in pool]
    made = []
    for number, plan in enumerate(PLANS, 1):
        writer = _Author(plan, pool, random.Random(f"{seed} {number}"))
        blocks = writer.blocks()
        head = plan.style.head.replace("{school}", writer.school).replace("{title}", writer.title)
        style = replace(plan.style, head=head)
        write = paged if style.format == PDF else unpaged
        text, parts, copies = located(write(blocks, style, writer.notes), names)
        made.append(
            Thesis(f"thesis {number:02}", text, style.format, style.language, parts, copies)
        )
    return Theses(made, {one.name: one.text(chance) for one in pool})


def write_theses(made: Theses, folder: Path) -> dict[str, Path]:
    """Write theses and sources as files of two folders, and return the files by name.

    Word text becomes a Word document with a paragraph for each line; what a reader of PDF prints
    becomes a text file with form feeds.
    """
    suffixes = {DOCX: ".docx", PDF: ".txt"}
    paths = {}
    for one in made.theses:
        path = (
            folder
            / "theses"
            / (one.name.replace(" ", "-") + suffixes.get(one.form, f".{one.form}"))
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        content = docx(paragraphs(*one.text.split("\n"))) if one.form == DOCX else one.text.encode()
        path.write_bytes(content)
        paths[one.name] = path
    for name, text in made.sources.items():
        path = folder / "sources" / (name.replace(" ", "-") + ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        paths[name] = path
    return paths
