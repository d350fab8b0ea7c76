"""Records of made-up publications as three databases export them, and which are the same work.

1,100 works, a third of them Chinese, give some 2,000 records: 40 % of the works occur once, 38 %
twice, 22 % three times.  Of the works with two records, one in five has both in one form, and of
those with three one in four has two in one form.  `citations` has the forms, with their
probabilities, and the writers.

Works come in groups, whose members are hard to keep apart.  The share of works of each class:

==========  =====  ===  ==================================================================
class       share  in   what a group is
==========  =====  ===  ==================================================================
ordinary     0.49    1  an article like no other
siblings     0.12    3  titles that differ in one phrase; half of the groups: same authors
parts        0.06    2  parts I and II (1/2, 上/下, 一/二) by the same authors: next pages, one
                        in three the next issue, one in five the same pages
yearly       0.06    3  reports of a body in consecutive years; half of the groups have no
                        year in the title, and of these one in three the same pages
common       0.08    1  a title such as Editorial or 书评; one in four has no authors
conference   0.02    2  an article, and a conference abstract with its title and authors, but
                        another DOI, year and pages: two works
supplement   0.01    1  an article whose second record is its abstract in a supplement of the
                        same year, without a DOI: one work
erratum      0.04    2  an article and its erratum, in the same journal
same title   0.05    2  a title such as Introduction to statistics, by others; half are books
reply        0.04    3  an article, a letter about it by others, the authors' reply
edition      0.03    2  a book and its second edition, which one title in three does not say
==========  =====  ===  ==================================================================

A conference abstract is a work of its own only if DOI, year and pages differ from the article's.
Of articles 85 % of the English and 60 % of the Chinese have a DOI, of conference papers all, of
books and reports fewer; members of a group often have consecutive DOIs.  One English article in
ten has an article number instead of pages; one Chinese article in ten goes on elsewhere (12-15+28).
What no database could know is not asked: each record keeps two of authors, year, pages, DOI and
journal if its work has them, and that of a yearly report its year or its volume.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from lab.corpora.citations import (
    BLANK,
    FORMS,
    Author,
    Journal,
    Record,
    Work,
    cited,
)
from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.manuals import grammar

ORDINARY, SIBLINGS, PARTS, YEARLY = "ordinary", "siblings", "parts", "yearly"
COMMON, CONFERENCE, SUPPLEMENT, ERRATUM = "common", "conference", "supplement", "erratum"
SAME_TITLE, REPLY, EDITION = "same title", "reply", "edition"

# Class: the share of works, and how many works a group has.
CLASSES = {
    ORDINARY: (0.49, 1), SIBLINGS: (0.12, 3), PARTS: (0.06, 2), YEARLY: (0.06, 3),
    COMMON: (0.08, 1), CONFERENCE: (0.02, 2), SUPPLEMENT: (0.01, 1), ERRATUM: (0.04, 2),
    SAME_TITLE: (0.05, 2), REPLY: (0.04, 3), EDITION: (0.03, 2),
}  # fmt: skip
FIELDS = ("medicine", "computing", "law", "education")

# How many works occur once, twice, three times.
OCCURRENCES = (0.40, 0.38, 0.22)
# The share of works with two and with three records of which two have the same form.
_ONE_FORM = {2: 0.2, 3: 0.25}
# Where a work with one record comes from.
_SOLE = (0.4, 0.35, 0.25)

_TRIES = 10_000
# No title shares more than this of its 3-grams with one of another group.
_NEAR = 0.6

Chance = random.Random
NamePair = tuple[str, str]


class Library(NamedTuple):
    """Works, and their records in random order."""

    works: list[Work]
    records: list[Record]

    @property
    def pairs(self) -> set[NamePair]:
        """All pairs of records of one work, by their ids, the smaller one first."""
        by_work: dict[int, list[str]] = {}
        for one in self.records:
            by_work.setdefault(one.work, []).append(one.id)
        return {(min(pair), max(pair)) for ids in by_work.values() for pair in combinations(ids, 2)}


def library(count: int = 1100, seed: int = 71) -> Library:
    """Return made-up works and their records.

    Parameters
    ----------
    count : int
        How many works, rounded so that groups are complete; there are 1.82 times as many records.
    seed : int
        The same seed gives the same library.
    """
    works = _Press(random.Random(f"{seed} works")).works(count)
    chance = random.Random(f"{seed} records")
    numbers = [*range(len(works))]
    chance.shuffle(numbers)
    once, twice = (round(len(works) * share) for share in OCCURRENCES[:2])
    times = dict.fromkeys(numbers, 3)
    times |= dict.fromkeys(numbers[: once + twice], 2) | dict.fromkeys(numbers[:once], 1)
    # The second record of such a work is what makes it one of its class.
    for one in works:
        if one.kind == SUPPLEMENT:
            times[one.number] = max(2, times[one.number])
    drawn = []
    for work in works:
        for number, form in enumerate(_forms(times[work.number], chance)):
            printed = _in_supplement(work, chance) if _has_supplement(work, number) else work
            drawn.append((work, form, cited(printed, form, chance)))
    chance.shuffle(drawn)
    records = [
        Record(f"r{number:05}", form, work.number, work.kind == YEARLY, *names_and_fields)
        for number, (work, form, names_and_fields) in enumerate(drawn, 1)
    ]
    return Library(works, records)


def _forms(times: int, chance: Chance) -> list[str]:
    if times == 1:
        return chance.choices(FORMS, _SOLE)
    forms = chance.sample(FORMS, times)
    if chance.random() < _ONE_FORM[times]:
        forms[-1] = forms[0]
    return forms


def _has_supplement(work: Work, number: int) -> bool:
    return work.kind == SUPPLEMENT and number == 1


def _in_supplement(work: Work, chance: Chance) -> Work:
    """Return how the abstract of an article is printed in a supplement of the same year."""
    page = str(chance.randint(1, 240))
    issue = "增刊1" if work.language == CHINESE else "Suppl 1"
    return work._replace(first=f"S{page}", last="", issue=issue, doi="")


# -- titles --

Slots = dict[str, str]


def _words(language: str, name: str, chance: Chance) -> str:
    """Return one word of each line of a section; a bar or a space is between them."""
    lines = grammar(f"works.{language}")[name]
    chosen = [chance.choice(line.split("|" if "|" in line else None)) for line in lines if line]
    return ("" if language == CHINESE else " ").join(chosen).replace("_", " ")


def _filled(pattern: str, slots: Slots) -> str:
    text = re.sub(r"\{(\w+)\}", lambda name: slots[name[1]], pattern)
    return re.sub(r"^.|(?<=\? ).", lambda one: one[0].upper(), text)


def title_key(title: str) -> str:
    """Return the letters and digits of a title, in lower case."""
    return "".join(re.findall(r"\w", title.lower()))


def _grams(title: str) -> set[str]:
    key = title_key(title)
    return {key[i : i + 3] for i in range(len(key) - 2)}


class _Press:
    """Writes works.  No two groups have the same title, but for those that share it on purpose."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._bodies: set[str] = set()
        self._grams: list[set[str]] = []
        self._with_gram = defaultdict[str, list[int]](list)
        self._names: set[tuple[Author, ...]] = set()
        self._serial = 100

    def works(self, count: int) -> list[Work]:
        makers: dict[str, Callable[[str], list[Work]]] = {
            ORDINARY: lambda language: [self._article(language)],
            SIBLINGS: self._siblings, PARTS: self._parts, YEARLY: self._yearly,
            COMMON: self._common, CONFERENCE: self._conference,
            SUPPLEMENT: lambda language: [self._article(language)],
            ERRATUM: self._erratum, SAME_TITLE: self._same_title, REPLY: self._reply,
            EDITION: self._edition,
        }  # fmt: skip
        made: list[Work] = []
        group = 0
        for kind, (share, size) in CLASSES.items():
            for number in range(round(count * share / size)):
                language = CHINESE if number % 3 == 2 else ENGLISH
                for work in makers[kind](language):
                    made.append(work._replace(number=len(made), kind=kind, group=group))
                group += 1
        return made

    # -- what a work consists of --

    def _is_new(self, title: str) -> bool:
        """Return whether no title of another group is as near as those of one group are."""
        grams = _grams(title)
        shared = Counter(number for gram in grams for number in self._with_gram.get(gram, ()))
        return all(
            count <= _NEAR * (len(grams) + len(self._grams[number]) - count)
            for number, count in shared.items()
        )

    def _remember(self, titles: Iterable[str]) -> None:
        for title in titles:
            for gram in _grams(title):
                self._with_gram[gram].append(len(self._grams))
            self._grams.append(_grams(title))

    def _titled(self, language: str, section: str) -> tuple[str, Slots, str]:
        """Return a pattern of a section, phrases for it, and the title that they make."""
        patterns = [one for one in grammar(f"works.{language}")[section] if one]
        for _ in range(_TRIES):
            pattern = self._chance.choice(patterns)
            names = re.findall(r"\{(\w+)\}", pattern)
            slots = {name: _words(language, name, self._chance) for name in names}
            title = _filled(pattern, slots)
            if self._is_new(title):
                return pattern, slots, title
        raise ValueError(f"the grammar has too few words for {section}")

    def _abstract(self, field: str, language: str, slots: Slots) -> str:
        patterns = grammar(f"works.{language}")[f"{field} abstract"]
        kept = [one for one in patterns if one and self._chance.random() < 0.8] or [patterns[0]]
        return self._sentences(kept, language, slots)

    def _sentences(self, patterns: Sequence[str], language: str, slots: Slots) -> str:
        """Return sentences about the phrases of a title, with new numbers."""
        chance = self._chance
        year = chance.randint(1998, 2016)

        known, said = dict(slots), []
        for pattern in patterns:
            names = re.findall(r"\{(\w+)\}", pattern)
            known |= {
                "n": str(chance.randint(40, 980)), "m": str(chance.randint(2, 39)),
                "y": str(year), "z": str(year + chance.randint(1, 4)),
            }  # fmt: skip
            known |= {name: _words(language, name, chance) for name in names if name not in known}
            said.append(_filled(pattern, known))
        return ("" if language == CHINESE else " ").join(said)

    def _authors(self, language: str, many: int = 0) -> tuple[Author, ...]:
        """Return authors that no other work has."""
        chance = self._chance
        for _ in range(_TRIES):
            count = many or min(9, 1 + int(chance.expovariate(0.45)))
            names = tuple(_author(language, chance) for _ in range(count))
            if names not in self._names and len(set(names)) == count:
                self._names.add(names)
                return names
        raise ValueError("there are too few names")

    def _journal(self, field: str, language: str) -> Journal:
        line = self._chance.choice(grammar(f"works.{language}")[f"{field} journal"])
        full, _, short = line.partition(" = ")
        return Journal(full, short or re.sub(r"\(.*\)", "", full))

    def _doi(self, language: str, year: int, share: float) -> str:
        """Return a DOI, close to that of the work before; or none."""
        self._serial += self._chance.randint(1, 3)
        if self._chance.random() >= share:
            return ""
        series = self._serial // 40
        if language == CHINESE:
            return f"10.99969/j.issn.1{series:03}-{series * 37 + 1000}.{year}.{self._serial:04}"
        return f"10.9990{series % 7}/mup.{year}.{self._serial:05}"

    def _placed(self, work: Work, field: str) -> Work:
        """Return a work with a journal, a year, pages and a DOI."""
        chance, language = self._chance, work.language
        year = chance.randint(1995, 2023)
        first = chance.randint(1, 2400 if language == ENGLISH else 180)
        last = str(first + chance.randint(3, 18))
        pages = str(first), last
        if language == ENGLISH and chance.random() < 0.1:
            pages = f"e{chance.randint(10_000, 99_999)}", ""
        elif language == CHINESE and chance.random() < 0.1:
            pages = str(first), f"{last}+{int(last) + chance.randint(4, 30)}"
        return work._replace(
            journal=self._journal(field, language), year=year,
            volume=str(year - chance.randint(1950, 1990)), issue=str(chance.randint(1, 12)),
            first=pages[0], last=pages[1],
            doi=self._doi(language, year, 0.85 if language == ENGLISH else 0.6),
        )  # fmt: skip

    def _article(self, language: str) -> Work:
        chance = self._chance
        field = chance.choice(FIELDS)
        _, slots, title = self._titled(language, field)
        self._remember([title])
        work = BLANK._replace(
            language=language, title=title, authors=self._authors(language),
            abstract=self._abstract(field, language, slots),
        )  # fmt: skip
        return self._placed(work, field)

    # -- groups --

    def _siblings(self, language: str) -> list[Work]:
        chance = self._chance
        field = chance.choice(FIELDS)
        pattern, first, title = self._titled(language, field)
        changed = chance.choice([*first])
        same, titles = self._authors(language), {title: first}
        while len(titles) < CLASSES[SIBLINGS][1]:
            slots = first | {changed: _words(language, changed, chance)}
            title = _filled(pattern, slots)
            if self._is_new(title):
                titles.setdefault(title, slots)
        self._remember(titles)
        own = chance.random() < 0.5
        return [
            self._placed(
                BLANK._replace(
                    language=language, title=title,
                    authors=self._authors(language) if own else same,
                    abstract=self._abstract(field, language, slots),
                ),
                field,
            )
            for title, slots in titles.items()
        ]  # fmt: skip

    def _after(self, work: Work, **changes: object) -> Work:
        """Return a work that follows another one in its journal, with the next DOI."""
        chance = self._chance
        if work.first.isdecimal():
            first = int(work.last.partition("+")[0]) + 1
            pages = str(first), str(first + chance.randint(3, 18))
        else:
            pages = f"e{int(work.first[1:]) + chance.randint(1, 9)}", ""
        doi = self._doi(work.language, work.year, 1.0 if work.doi else 0.0)
        return work._replace(first=pages[0], last=pages[1], doi=doi)._replace(**changes)

    def _parts(self, language: str) -> list[Work]:
        chance = self._chance
        work = self._article(language)
        if language == CHINESE:
            ends = chance.choice((("（上）", "（下）"), ("（一）", "（二）"), ("（Ⅰ）", "（Ⅱ）")))
        else:
            ends = chance.choice((
                (". Part I", ". Part II"), (": Part 1", ": Part 2"), (" I", " II"),
                (" (Part 1)", " (Part 2)"), (", part one", ", part two"),
            ))  # fmt: skip
        second = self._after(work)
        drawn = chance.random()
        if drawn < 0.2:
            second = second._replace(first=work.first, last=work.last)
        elif drawn < 0.53:
            issue = int(work.issue) % 12 + 1
            first = chance.randint(1, 180)
            second = second._replace(
                issue=str(issue), first=str(first), last=str(first + chance.randint(3, 18))
            )
            if issue == 1:
                second = second._replace(year=work.year + 1, volume=str(int(work.volume) + 1))
        return [one._replace(title=one.title + end) for one, end in zip((work, second), ends,
                                                                        strict=True)]  # fmt: skip

    def _yearly(self, language: str) -> list[Work]:
        chance = self._chance
        body = _words(language, "body", chance)
        while body in self._bodies:
            body = _words(language, "body", chance)
        self._bodies.add(body)
        title = _filled(chance.choice(grammar(f"works.{language}")["series"]).replace("_", " "),
                        {"body": body})  # fmt: skip
        abstract = chance.sample(_SUMMARIES[language], 3)
        start, volume = chance.randint(1999, 2019), chance.randint(2, 30)
        in_title, same_pages = chance.random() < 0.5, chance.random() < 0.33
        with_doi, length = float(chance.random() < 0.4), chance.randint(30, 90)
        works = []
        for number in range(CLASSES[YEARLY][1]):
            year = start + number
            named = f"{year}年{title}" if language == CHINESE else f"{title} {year}"
            length += 0 if same_pages and not in_title else chance.randint(1, 9)
            works.append(BLANK._replace(
                language=language, title=named if in_title else title, authors=(Author(body),),
                year=year, volume=str(volume + number), first="1", last=str(length),
                doi=self._doi(language, year, with_doi),
                abstract=self._sentences(abstract, language, {"body": body}),
            ))  # fmt: skip
        return works

    def _common(self, language: str) -> list[Work]:
        chance = self._chance
        work = self._placed(BLANK._replace(language=language), chance.choice(FIELDS))
        if work.first.isdecimal():
            more = chance.randint(0, 3)
            work = work._replace(last=str(int(work.first) + more) if more else "")
        many = chance.choice((1, 1, 1, 2, 3))
        authors = () if chance.random() < 0.25 else self._authors(language, many)
        return [work._replace(title=_words(language, "common", chance), authors=authors)]

    def _conference(self, language: str) -> list[Work]:
        chance = self._chance
        article = self._article(language)
        year = article.year - chance.randint(1, 3)
        first = int(article.first) if article.first.isdecimal() else 0
        first += chance.randint(40, 900)
        full = "学术年会论文集" if language == CHINESE else "Proceedings of the Annual Meeting"
        doi = self._doi(language, year, 1.0)
        abstract = article._replace(
            journal=Journal(full, "年会论文集" if language == CHINESE else "Proc. Annu. Meet."),
            year=year, volume="", issue="", first=str(first), last=str(first + 1), doi=doi,
            abstract=article.abstract[: len(article.abstract) // 3],
        )  # fmt: skip
        return [article._replace(doi=article.doi or self._doi(language, article.year, 1.0)),
                abstract]  # fmt: skip

    def _erratum(self, language: str) -> list[Work]:
        chance, article = self._chance, self._article(language)
        if language == CHINESE:
            title = chance.choice(("更正：{}", "《{}》一文的更正", "勘误：{}"))
        else:
            title = chance.choice((
                "Erratum to: {}", "Correction to: {}", "Correction: {}", "Corrigendum: {}",
                f"{{}} (vol {article.volume}, pg {article.first}, {article.year})",
            ))  # fmt: skip
        page = str(chance.randint(1, 1900))
        later = int(chance.random() < 0.4)
        said = f"[This corrects the article DOI: {article.doi}.]" if article.doi else ""
        return [article, self._after(
            article, title=title.format(article.title), first=page, last="",
            year=article.year + later, volume=str(int(article.volume) + later),
            issue=str(chance.randint(1, 12)),
            abstract=said if chance.random() < 0.4 and language == ENGLISH else "",
        )]  # fmt: skip

    def _book(self, language: str, title: str) -> Work:
        chance = self._chance
        year = chance.randint(1985, 2018)
        # The number of pages, as catalogues have it.
        return BLANK._replace(
            language=language, title=title, year=year, first=str(chance.randint(120, 690)),
            authors=self._authors(language, chance.choice((1, 1, 2, 3))),
            doi=self._doi(language, year, 0.3),
        )  # fmt: skip

    def _same_title(self, language: str) -> list[Work]:
        chance = self._chance
        title, works = _words(language, "same title", chance), []
        for _ in range(CLASSES[SAME_TITLE][1]):
            if chance.random() < 0.5:
                works.append(self._book(language, title))
            else:
                work = BLANK._replace(
                    language=language, title=title, authors=self._authors(language)
                )
                works.append(self._placed(work, chance.choice(FIELDS)))
        return works

    def _reply(self, language: str) -> list[Work]:
        chance, article = self._chance, self._article(language)
        if language == CHINESE:
            letter, reply = chance.choice((
                ("对《{}》一文的商榷", "对《{}》一文商榷意见的回应"), ("也谈{}", "再谈{}"),
            ))  # fmt: skip
        else:
            letter, reply = chance.choice((
                ("Re: {}", "Author reply: {}"), ("Comment on “{}”", "Reply to comment on “{}”"),
                ("Letter: {}", "Letter: {} – authors' reply"), ("RE: {}", "THE AUTHORS REPLY: {}"),
            ))  # fmt: skip
        first = self._after(
            article, title=letter.format(article.title), authors=self._authors(language, 2),
            year=article.year + int(chance.random() < 0.5), abstract="",
        )  # fmt: skip
        # Both letters are often on one page.
        second = self._after(
            first, title=reply.format(article.title), authors=article.authors,
            first=first.last or first.first, last="",
        )  # fmt: skip
        return [article, first, second]

    def _edition(self, language: str) -> list[Work]:
        chance = self._chance
        _, _, title = self._titled(language, "book")
        self._remember([title])
        first = self._book(language, title)
        ends = ("（第2版）", "（第二版）", "") if language == CHINESE else (
            " (2nd ed.)", ", Second Edition", "")  # fmt: skip
        year = first.year + chance.randint(3, 8)
        second = first._replace(
            title=first.title + chance.choice(ends), year=year,
            first=str(int(first.first) + chance.randint(8, 90)),
            doi=self._doi(language, year, 1.0 if first.doi else 0.2),
        )  # fmt: skip
        return [first, second]


_SUMMARIES = {
    ENGLISH: (
        "This report presents the figures of the {body} for the past year.",
        "A total of {n} cases were handled, {m} percent more than in the year before.",
        "The number of staff rose to {n}, and {m} sites were visited.",
        "Complaints fell to {m}, and {n} requests were answered in time.",
    ),
    CHINESE: (
        "本报告汇总了{body}过去一年的各项数据。",
        "全年共处理{n}件，比上年增长{m}%。",
        "工作人员增至{n}人，走访{m}个站点。",
        "投诉降至{m}件，按时答复{n}件。",
    ),
}


# -- names --


def _author(language: str, chance: Chance) -> Author:
    """Return an author; two in seven of English works have a Chinese name."""
    lists = grammar("authors")
    if language == CHINESE or chance.random() < 2 / 7:
        family = chance.choice(lists["han family"][0].split())
        given = [
            chance.choice(lists["han given"][0].split()) for _ in range(chance.choice((1, 2, 2)))
        ]
        han = "".join(re.findall(r"[\u4e00-\u9fff]", family + "".join(given)))
        sounds = [re.sub(r"[\u4e00-\u9fff]", "", one) for one in (family, *given)]
        return Author(sounds[0], "-".join(sounds[1:]).capitalize(), "", han)
    given = chance.choice(lists["given"][0].split("|"))
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        given += f" {chance.choice(lists['middle'][0].split())}."
    if chance.random() < 0.1:
        particle = chance.choice(lists["particle"][0].split("|")).replace("_", " ")
        return Author(chance.choice(lists["particle family"][0].split("|")), given, particle)
    return Author(chance.choice(lists["family"][0].split("|")).replace("_", " "), given)
